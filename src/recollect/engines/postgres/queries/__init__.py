"""The engine's SQL, one statement a file, each with a line that says what it is for."""

from functools import cache
from importlib.resources import files


@cache
def query(name: str) -> str:
    """The text of a statement, read once."""
    return (files(__package__) / f"{name}.sql").read_text(encoding="utf-8")
