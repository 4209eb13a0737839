"""First names that tell an introduction from what somebody is: `first_names.toml`."""

import tomllib
from functools import cache
from importlib.resources import files

from recollect.domain.language import fold


def is_first_name(word: str) -> bool:
    """Whether a word is a first name in German, and nothing that somebody can be."""
    return fold(word) in _names("german")


def is_persons_name(word: str) -> bool:
    """Whether a word that is written with a capital is a first name in one of the languages."""
    return is_first_name(word) or fold(word) in _names("others")


def is_assistants_name(word: str) -> bool:
    """Whether a word is what users call an assistant: "Alexa"."""
    return fold(word) in _names("assistants")


@cache
def _names(kind: str) -> frozenset[str]:
    text = files(__package__).joinpath("first_names.toml").read_text("utf-8")
    return frozenset(fold(tomllib.loads(text)[kind]).split())
