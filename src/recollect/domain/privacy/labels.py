"""Words around a number that tell what it is: a telephone number, an order, an amount."""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.domain.language import fold

_REACH: Final = 48
"""Characters before a number in which its label may stand."""
_MOST_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_END_OF_SENTENCE: Final = re.compile(r"[!?;\n]|\.\s")
_CURRENCIES: Final = frozenset("€$£¥%‰")
_AFTER: Final = 16
_BETWEEN: Final = " :.=#'\"(°-"
_MARKS: Final = 5
"""How many marks may stand between a word and what it labels."""


class Label(StrEnum):
    """The lists of `labels.toml`."""

    PHONES = "phones"
    THINGS = "things"
    KEYS = "keys"
    BSN = "bsn"
    SSN = "ssn"
    VERSIONS = "versions"
    FILLERS = "fillers"
    UNITS = "units"


def may_be_labelled(text: str, start: int) -> bool:
    """Whether a word stands right before a place, which is told at once."""
    return text[max(0, start - _MARKS) : start].rstrip(_BETWEEN)[-1:].isalpha()


def label_before(text: str, start: int) -> Label | None:
    """What the nearest telling word before a place says of what follows; None if nothing does.

    Only words such as "number" and "is" may stand between. A thing counts before its key, as in
    `order_id`.
    """
    if not may_be_labelled(text, start):
        return None
    before = _END_OF_SENTENCE.split(text[max(0, start - _REACH) : start])[-1]
    labels = _labels()
    key: Label | None = None
    for word in reversed(_WORD.findall(fold(before))[-_MOST_WORDS:]):
        label = labels.get(word)
        if label is Label.KEYS:
            key = label
        elif label is not Label.FILLERS:
            return key or label if label is not Label.THINGS else label
    return key


def is_amount(text: str, start: int, end: int) -> bool:
    """Whether a currency or a unit stands beside a number."""
    if text[max(0, start - 2) : start].rstrip()[-1:] in _CURRENCIES:
        return True
    after = text[end : end + _AFTER].lstrip(" ")
    if after[:1] in _CURRENCIES:
        return True
    word = _WORD.match(fold(after)) if after[:1].isalpha() else None
    return word is not None and word[0] in _units()


@cache
def _labels() -> Mapping[str, Label]:
    """Each word with the list that it is in; the first counts."""
    words: dict[str, Label] = {}
    for label in Label:
        if label is not Label.UNITS:
            for word in _lists()[label].split():
                words.setdefault(word, label)
    return words


@cache
def _units() -> frozenset[str]:
    return frozenset(_lists()[Label.UNITS].split())


@cache
def _lists() -> Mapping[str, str]:
    text = files(__package__).joinpath("labels.toml").read_text("utf-8")
    return {name: fold(words) for name, words in tomllib.loads(text).items()}
