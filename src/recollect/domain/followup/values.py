"""Values in a question, by type: a year can take the place of a year, a month of a month."""

import re
from enum import Enum, auto
from typing import Final

from recollect.domain.followup.languages.pack import LanguagePack

_YEAR: Final = re.compile(r"(?:1[0-9]|20|21)\d\d(?:[-\u2013/]\d{2,4})?$")
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th|e|de|ste|er|ème|o|a|\.)$")
_NUMBER: Final = re.compile(r"\d[\d.,:/\-\u2013]*$")


class ValueType(Enum):
    """What kind of value a word is."""

    YEAR = auto()
    MONEY = auto()
    PERCENT = auto()
    ORDINAL = auto()
    NUMBER = auto()
    MONTH = auto()
    TIME_UNIT = auto()
    EXTREME = auto()  # "most", "earliest", "top": one end of an order


def value_type(word: str, pack: LanguagePack) -> ValueType | None:
    """The type of value a word is, or None for an ordinary word."""
    if word[:1].isalpha():
        return _word_type(word, pack)
    if word[:1] in "$€£" and len(word) > 1:
        return ValueType.MONEY
    if word.endswith("%") and word[0].isdigit():
        return ValueType.PERCENT
    return _number_type(word) or _word_type(word, pack)


def _number_type(word: str) -> ValueType | None:
    if _YEAR.match(word):
        return ValueType.YEAR
    if _NUMBER.match(word):
        return ValueType.NUMBER
    return ValueType.ORDINAL if _ORDINAL.match(word) else None


def _word_type(word: str, pack: LanguagePack) -> ValueType | None:
    if word in pack.months:
        return ValueType.MONTH
    if word in pack.time_units:
        return ValueType.TIME_UNIT
    if word in pack.opposites:
        return ValueType.EXTREME
    if word in pack.aggregates:
        return ValueType.EXTREME
    return ValueType.NUMBER if word in pack.number_words else None


def can_replace(new: str, old: str, pack: LanguagePack) -> bool:
    """Whether one value can stand where another stood."""
    new_type = None if new == old else value_type(new, pack)
    if new_type is None:
        return False
    old_type = value_type(old, pack)
    if new_type is ValueType.EXTREME:
        both = new in pack.aggregates and old in pack.aggregates
        return both or pack.opposites.get(new) == old or pack.opposites.get(old) == new
    return new_type is old_type or {new_type, old_type} == {ValueType.NUMBER, ValueType.MONEY}
