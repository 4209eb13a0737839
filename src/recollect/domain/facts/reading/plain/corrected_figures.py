"""Dates and figures that set right what users have just said: "No wait, 4 May", "Sorry, 35"."""

import re
from dataclasses import dataclass
from typing import Final

from recollect.domain.dates import DATES
from recollect.domain.language import fold
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in

_NUMERIC: Final = re.compile(
    r"(?<![\d./-])(?P<first>\d{1,2})([./-])(?P<second>\d{1,2})(?P<year>\2\d{4})?(?![\d/-])"
)
_MONTHS, _DAYS = 12, 31
_FIGURES: Final = re.compile(r"\d+")
_AGE: Final = re.compile(r"[1-9]\d|1[01]\d")
"""Of two figures: "No, 3" counts something else."""
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)\b")
_LONGEST: Final = 200
"""Characters of a fact that a date is looked for in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Date:
    """A day that a text names, and where it stands in it."""

    start: int
    end: int
    without_year: int
    """Where its day and month end; its start if these cannot be told from the year."""
    has_year: bool
    is_numeric: bool = False
    """Whether it is in figures alone: "4/5"."""


def is_date(text: str, code: str) -> bool:
    """Whether a text is a day in one language, and nothing else: "4 May", "4/5/1990"."""
    return _date(text, code, is_whole=True) is not None


def is_age(text: str) -> bool:
    """Whether a text is a figure that may be an age."""
    return _AGE.fullmatch(text) is not None


def are_of_date(words: Phrase, code: str) -> bool:
    """Whether words are figures, months and what joins them, with a figure among them."""
    known = DATES[code]
    joints = words_in(known.of.replace("|", " "))
    has_figure = any(word[0].isdigit() for word in words)
    return has_figure and all(
        word[0].isdigit() or word in known.months or word in joints for word in words
    )


def with_date(content: str, date: str) -> str | None:
    """What a fact with one date says with another one; None if it has none, or other figures.

    Its year stays if the new date has none: "I was born on 3 May 1990" with "4 May".
    """
    old = _only_date(content)
    found = (_date(date, code, is_whole=True) for code in LANGUAGES)
    new = next((one for one in found if one), None)
    if old is None or new is None or old.is_numeric != new.is_numeric:
        return None  # "9-5" and "10.30" may be hours
    end = old.end if new.has_year or not old.has_year else old.without_year
    if end == old.start or date == content[old.start : end]:
        return None
    return f"{content[: old.start]}{date}{content[end:]}"


def with_age(content: str, age: str) -> str | None:
    """What a fact with one figure says with another one; None if it has none, or several."""
    figures = [*_FIGURES.finditer(content)]
    if len(figures) != 1 or not is_age(figures[0][0]) or figures[0][0] == age:
        return None
    return f"{content[: figures[0].start()]}{age}{content[figures[0].end() :]}"


def _only_date(content: str) -> _Date | None:
    """The only date of a fact, if no other figure stands beside it."""
    found = (_date(content, code, is_whole=False) for code in LANGUAGES)
    date = next((one for one in found if one), None)
    if date is None:
        return None
    beside = content[: date.start] + content[date.end :]
    return None if _FIGURES.search(beside) else date


def _is_day(one: int, other: int) -> bool:
    """Whether figures are a day and a month in either order: not 24/7, nor 50/50."""
    return 0 < min(one, other) <= _MONTHS and max(one, other) <= _DAYS


def _date(text: str, code: str, *, is_whole: bool) -> _Date | None:
    folded = fold(text) if len(text) <= _LONGEST else ""
    if len(folded) != len(text):
        return None
    numeric = _NUMERIC.fullmatch(folded) if is_whole else _NUMERIC.search(folded)
    if numeric and _is_day(int(numeric["first"]), int(numeric["second"])):
        return _Date(
            start=numeric.start(),
            end=numeric.end(),
            without_year=numeric.start(),
            has_year=numeric["year"] is not None,
            is_numeric=True,
        )
    named = DATES[code].day_and_month
    found = named.fullmatch(folded) if is_whole else named.search(folded)
    if found is None or not (found["day"] or found["day2"]):
        return None
    last = max(found.end(group) for group in ("day", "month", "day2", "month2"))
    ordinal = _ORDINAL.match(folded, last)  # "May 3rd"
    last = ordinal.end() if ordinal else last
    end = found.end("year") if found["year"] else last
    return _Date(
        start=found.start(), end=end, without_year=last, has_year=found["year"] is not None
    )
