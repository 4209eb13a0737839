"""Times that a question names, and how near to them something was said."""

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

    def nearness(self, said_at: datetime) -> float:
        """From 0, said at another time, to 1, said right then."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarTime:
    """A day, a month or a year; a part that is not named may be any."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def nearness(self, said_at: datetime) -> float:
        """A day is near for a week afterwards; whole months and years are near all over."""
        said = said_at.astimezone(UTC).date()
        if self.month is None:
            return _IN_YEAR if said.year == self.year else 0.0
        is_month = said.month == self.month and self.year in {None, said.year}
        far = _IN_MONTH if is_month else 0.0
        return far if self.day is None else max(far, self._nearness_of_day(said))

    def _nearness_of_day(self, said: date) -> float:
        years = {said.year, said.year - 1} if self.year is None else {self.year}
        named = (_date(year, self.month or 1, self.day or 1) for year in years)
        return max((_nearness((said - day).days) for day in named if day), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Some days, told by their distance from the day of the question."""

    first: date
    last: date

    def nearness(self, said_at: datetime) -> float:
        """The longer the period, the less it says about a day in it."""
        said = said_at.astimezone(UTC).date()
        days = (self.last - self.first).days + 1
        if days == 1:
            return _nearness((said - self.first).days)
        if not self.first <= said <= self.last:
            return 0.0
        return _NEAR if days <= 2 * _WEEK else _IN_MONTH if days <= 2 * 31 else _IN_YEAR


def time_in(question: str, *, language: str, now: datetime) -> Time | None:
    """The time a question names, if it does."""
    words = DATES.get(language, DATES["en"])
    text = fold(question)
    if words.naming.isdisjoint(_WORD.findall(text)) and not _DIGIT.search(text):
        return None
    today = now.astimezone(UTC).date()
    return _numeric(text) or _named(text, words) or _relative(text, words, today) or _year(text)


def _numeric(text: str) -> Time | None:
    if found := _ISO.search(text):
        return _calendar(int(found[1]), int(found[2]), int(found[3]))
    if found := _NUMERIC.search(text):
        day, month, year = map(int, found.groups())
        if month > _MONTHS:
            day, month = month, day
        return _calendar(year, month, day)
    return None


def _named(text: str, words: DateWords) -> Time | None:
    found = words.day_and_month.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    month = words.months[groups["month"] or groups["month2"] or groups["bare"]]
    day, year = groups["day"] or groups["day2"], groups["year"]
    return _calendar(int(year) if year else None, month, int(day) if day else None)


def _relative(text: str, words: DateWords, today: date) -> Time | None:
    if found := words.day_names.search(text):
        day = today - timedelta(days=words.days[found[0]])
        return Period(first=day, last=day)
    if found := words.ago.search(text):
        return _ago(words.numbers, words.units[found["unit"]], found["number"], today)
    if found := words.last.search(text):
        return _span(words.units[found["unit"] or found["unit2"]], 1, today)
    if found := words.this.search(text):
        return _span(words.units[found["unit"]], 0, today)
    if found := words.weekdays_named.search(text):
        back = (today.weekday() - words.weekdays[found["weekday"]]) % _WEEK or _WEEK
        day = today - timedelta(days=back)
        return Period(first=day, last=day)
    return None


def _ago(numbers: Mapping[str, int], unit: int, number: str, today: date) -> Time:
    count = int(number) if number.isdecimal() else numbers[number]
    middle = today - timedelta(days=min(unit * count, _LONGEST_AGO))
    slack = timedelta(days=unit // 2)
    return Period(first=middle - slack, last=middle + slack)


def _span(unit: int, back: int, today: date) -> Time:
    """The week, month or year so many before this one; weeks begin on Monday."""
    if unit <= _WEEK:
        first = today - timedelta(days=today.weekday() + back * _WEEK)
        return Period(first=first, last=first + timedelta(days=_WEEK - 1))
    if unit < 2 * 31:
        month = today.year * _MONTHS + today.month - 1 - back
        return CalendarTime(year=month // _MONTHS, month=month % _MONTHS + 1)
    return CalendarTime(year=today.year - back)


def _year(text: str) -> Time | None:
    found = _YEAR.search(text)
    return None if found is None else CalendarTime(year=int(found[1]))


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
