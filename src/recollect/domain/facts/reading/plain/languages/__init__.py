"""The words by which plain sayings are told: TOML files with a table for each language."""

import tomllib
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import TypeVar

from recollect.domain.speech.phrases import Phrases

Words = TypeVar("Words")


def table_of(name: str, code: str) -> dict[str, str]:
    """What the file of a subject has for one of the `LANGUAGES`."""
    return dict(_tables(name)[code])


@cache
def _tables(name: str) -> dict[str, dict[str, str]]:
    """The tables of all languages: read once, since that takes long for a first message."""
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))


def phrases_of(kind: type[Words], name: str, code: str) -> Words:
    """The table of a language as an object that has phrases under the names of its fields."""
    table = table_of(name, code)
    return kind(**{one.name: Phrases.parse(table[one.name]) for one in fields(kind)})  # type: ignore[arg-type]
