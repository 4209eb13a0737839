"""Words that make what follows them a secret, of all languages together."""

import tomllib
from enum import StrEnum
from functools import cache
from importlib.resources import files

from recollect.domain.language import fold


class WordSet(StrEnum):
    """The lists of `secrets.toml`, each of single words."""

    PASSWORDS = "passwords"
    """What follows is secret, whatever it looks like."""
    LOGINS = "logins"
    """What follows is secret if it has letters beside digits or signs."""
    KEYS = "keys"
    """What follows is secret if it looks generated."""
    CODES = "codes"
    """Digits that follow are secret."""
    DOOR_CODES = "door_codes"
    """Digits that follow are secret if one of the `locks` is named."""
    NUMBERS = "numbers"
    """Documents whose numbers are secret."""
    LOCKS = "locks"
    JOINTS = "joints"
    """Between a password and its value: "is"."""
    FILLERS = "fillers"
    """What may stand before the value: "just"."""
    NOT_PASSWORDS = "not_passwords"
    """What is said of passwords and is none: "wrong", "manager"."""


@cache
def word_set(kind: WordSet) -> frozenset[str]:
    """The words of a list, without accents and in small letters."""
    text = files(__package__).joinpath("secrets.toml").read_text("utf-8")
    return frozenset(fold(tomllib.loads(text)[kind]).split())
