"""First names that tell an introduction from what somebody is: `first_names.toml`."""

import tomllib
from functools import cache
from importlib.resources import files

from recollect.domain.language import fold


def is_first_name(word: str) -> bool:
    """Whether a word is a first name in German, and nothing that somebody can be."""
    return fold(word) in _german_names()


@cache
def _german_names() -> frozenset[str]:
    text = files(__package__).joinpath("first_names.toml").read_text("utf-8")
    return frozenset(fold(tomllib.loads(text)["german"]).split())
