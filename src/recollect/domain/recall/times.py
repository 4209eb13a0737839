"""Times in questions, and how near entries are to them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, Protocol

from recollect.domain.recall.dates import DATES, DateWords
from recollect.domain.recall.words import fold

_ISO: Final = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")
_NUMERIC: Final = re.compile(r"\b(\d\d?)[./-](\d\d?)[./-]((?:19|20)\d\d)\b")
_YEAR: Final = re.compile(r"\b((?:19|20)\d\d)\b")
_WORD: Final = re.compile(r"\w+")
_DIGIT: Final = re.compile(r"\d")
_MONTHS: Final = 12
_WEEK: Final = 7
_LONGEST_AGO: Final = 36_525  # a century; nothing here is older
# Something is told on the day it happens or in the days after, seldom before.
_EXACT: Final = 1.0
_NEAR: Final = 0.75
_IN_MONTH: Final = 0.5
_IN_YEAR: Final = 0.25


class Time(Protocol):
    """A time that a question names."""

    def nearness(self, moment: datetime) -> float:
        """From 0, at another time, to 1, at that time."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarTime:
    """A day, a month or a year; a part that is None may be any."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def nearness(self, moment: datetime) -> float:
        """A day is near for a week afterwards; months and years are near throughout."""
        on = moment.astimezone(UTC).date()
        if self.month is None:
            return _IN_YEAR if on.year == self.year else 0.0
        is_month = on.month == self.month and self.year in {None, on.year}
        far = _IN_MONTH if is_month else 0.0
        return far if self.day is None else max(far, self._nearness_of_day(on))

    def _nearness_of_day(self, on: date) -> float:
        years = {on.year, on.year - 1} if self.year is None else {self.year}
        days = (_date(year, self.month or 1, self.day or 1) for year in years)
        return max((_nearness((on - day).days) for day in days if day), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period of days."""

    first: date
    last: date

    def nearness(self, moment: datetime) -> float:
        """The longer the period, the less a day in it counts."""
        on = moment.astimezone(UTC).date()
        days = (self.last - self.first).days + 1
        if days == 1:
            return _nearness((on - self.first).days)
        if not self.first <= on <= self.last:
            return 0.0
        return _NEAR if days <= 2 * _WEEK else _IN_MONTH if days <= 2 * 31 else _IN_YEAR


def time_in(question: str, *, language: str, now: datetime) -> Time | None:
    """The time that a question names, or None."""
    words = DATES.get(language, DATES["en"])
    text = fold(question)
    if words.naming.isdisjoint(_WORD.findall(text)) and not _DIGIT.search(text):
        return None
    today = now.astimezone(UTC).date()
    return _numeric(text) or _named(text, words) or _relative(text, words, today) or _year(text)


def _numeric(text: str) -> Time | None:
    if match := _ISO.search(text):
        return _calendar(int(match[1]), int(match[2]), int(match[3]))
    if match := _NUMERIC.search(text):
        day, month, year = map(int, match.groups())
        if month > _MONTHS:
            day, month = month, day
        return _calendar(year, month, day)
    return None


def _named(text: str, words: DateWords) -> Time | None:
    match = words.day_and_month.search(text)
    if match is None:
        return None
    groups = match.groupdict()
    month = words.months[groups["month"] or groups["month2"] or groups["bare"]]
    day, year = groups["day"] or groups["day2"], groups["year"]
    return _calendar(int(year) if year else None, month, int(day) if day else None)


def _relative(text: str, words: DateWords, today: date) -> Time | None:
    if match := words.day_names.search(text):
        day = today - timedelta(days=words.days[match[0]])
        return Period(first=day, last=day)
    if match := words.ago.search(text):
        return _ago(words.numbers, words.units[match["unit"]], match["number"], today)
    if match := words.last.search(text):
        return _span(words.units[match["unit"] or match["unit2"]], 1, today)
    if match := words.this.search(text):
        return _span(words.units[match["unit"]], 0, today)
    if match := words.weekdays_named.search(text):
        back = (today.weekday() - words.weekdays[match["weekday"]]) % _WEEK or _WEEK
        day = today - timedelta(days=back)
        return Period(first=day, last=day)
    return None


def _ago(numbers: Mapping[str, int], unit: int, number: str, today: date) -> Time:
    count = int(number) if number.isdecimal() else numbers[number]
    middle = today - timedelta(days=min(unit * count, _LONGEST_AGO))
    slack = timedelta(days=unit // 2)
    return Period(first=middle - slack, last=middle + slack)


def _span(unit: int, back: int, today: date) -> Time:
    """The week, month or year that lies `back` before this one; weeks begin on Monday."""
    if unit <= _WEEK:
        first = today - timedelta(days=today.weekday() + back * _WEEK)
        return Period(first=first, last=first + timedelta(days=_WEEK - 1))
    if unit < 2 * 31:
        month = today.year * _MONTHS + today.month - 1 - back
        return CalendarTime(year=month // _MONTHS, month=month % _MONTHS + 1)
    return CalendarTime(year=today.year - back)


def _year(text: str) -> Time | None:
    match = _YEAR.search(text)
    return None if match is None else CalendarTime(year=int(match[1]))


def _calendar(year: int | None, month: int, day: int | None) -> CalendarTime | None:
    if not 1 <= month <= _MONTHS or (day is not None and _date(year or 2024, month, day) is None):
        return None
    return CalendarTime(year=year, month=month, day=day)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _nearness(days_after: int) -> float:
    if -1 <= days_after <= 2:  # noqa: PLR2004  # the eve, and "the day before yesterday"
        return _EXACT
    return _NEAR if 0 <= days_after <= _WEEK else 0.0
