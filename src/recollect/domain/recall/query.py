"""Questions to recall: their words, times and speakers."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.dates import DATES, DateWords
from recollect.domain.language import common_words, fold, words_of
from recollect.domain.recall.entry import (
    MAX_RECALLED,
    Candidate,
    Entry,
    RecallFilter,
    answer_term,
)
from recollect.domain.recall.occurrence import Occurrence, asked_occurrence
from recollect.domain.recall.wording import NOTHING_WANTED, Wanted, wanted_in
from recollect.domain.text import check_name, check_text, to_utc
from recollect.errors import InvalidInput

_ISO: Final = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")
_NUMERIC: Final = re.compile(r"\b(\d\d?)[./-](\d\d?)[./-]((?:19|20)\d\d)\b")
_YEAR: Final = re.compile(r"\b((?:19|20)\d\d)\b")
_WORD: Final = re.compile(r"\w+")
_DIGIT: Final = re.compile(r"\d")
_MONTHS: Final = 12
_WEEK: Final = 7
_LONGEST_AGO: Final = 36_525  # a century; nothing here is older
# Events are mentioned on their day or in the days after, seldom before.
_EXACT: Final = 1.0
_NEAR: Final = 0.75
_IN_MONTH: Final = 0.5
_IN_YEAR: Final = 0.25
# A day that is named from today on ("yesterday") is another than its neighbours; these count
# somewhat, for what is told a day later, and for users whose day is not that of UTC.
_NEXT_TO: Final = 0.5
MAX_QUERY_LENGTH: Final = 10_000
MAX_NAMES: Final = 100
MAX_NAME_LENGTH: Final = 500
_RELATED: Final = 0.31
"""With the built-in embedder 8 of 10 answers have a higher cosine, and 5 of 100 other texts.

Of the held-out rows of the embedder's training, which share few words.
"""
_SAME_DAYS: Final = 0.75
"""The nearness of a day or a week that the question names."""
_NAME_WEIGHT: Final = 0.3
"""Names of speakers are in greetings everywhere, and tell little about the subject."""
_ANSWERED: Final = 0.5
"""The weight of a word in an answer, beside the same word in a question."""
_POSSESSIVE: Final = r"(?:['\u2019]s?)?"
_SHORTEST_NAME: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarTime:
    """A day, a month or a year; a part that is None may be any."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def nearness(self, moment: datetime) -> float:
        """From 0, at another time, to 1, at that time.

        A day is near for a week afterwards; months and years are near throughout.
        """
        on = moment.astimezone(UTC).date()
        if self.month is None:
            return _IN_YEAR if on.year == self.year else 0.0
        is_month = on.month == self.month and self.year in {None, on.year}
        far = _IN_MONTH if is_month else 0.0
        if self.day is None:
            return far
        years = {on.year, on.year - 1} if self.year is None else {self.year}
        days = (_date(year, self.month, self.day) for year in years)
        return max([far, *(_nearness((on - day).days) for day in days if day)])


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
            distance = abs((on - self.first).days)
            return _EXACT if distance == 0 else _NEXT_TO if distance == 1 else 0.0
        if not self.first <= on <= self.last:
            return 0.0
        return _NEAR if days <= 2 * _WEEK else _IN_MONTH if days <= 2 * 31 else _IN_YEAR


Time = CalendarTime | Period
"""A time that a question names."""


def time_in(question: str, *, language: str, now: datetime) -> Time | None:
    """The time that a question names, or None."""
    words = DATES.get(language, DATES["en"])
    text = fold(question)
    if words.naming.isdisjoint(_WORD.findall(text)) and not _DIGIT.search(text):
        return None
    today = now.astimezone(UTC).date()
    if time := _numeric(text) or _named(text, words) or _relative(text, words, today):
        return time
    year = _YEAR.search(text)
    return None if year is None else CalendarTime(year=int(year[1]))


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
        unit, number = words.units[match["unit"]], match["number"]
        count = int(number) if number.isdecimal() else words.numbers[number]
        middle = today - timedelta(days=min(unit * count, _LONGEST_AGO))
        slack = timedelta(days=unit // 2)
        return Period(first=middle - slack, last=middle + slack)
    if match := words.last.search(text):
        return _span(words.units[match["unit"] or match["unit2"]], 1, today)
    if match := words.this.search(text):
        return _span(words.units[match["unit"]], 0, today)
    if match := words.weekdays_named.search(text):
        back = (today.weekday() - words.weekdays[match["weekday"]]) % _WEEK or _WEEK
        day = today - timedelta(days=back)
        return Period(first=day, last=day)
    return None


def _span(unit: int, back: int, today: date) -> Time:
    """The week, month or year that lies `back` before this one; weeks begin on Monday."""
    if unit <= _WEEK:
        first = today - timedelta(days=today.weekday() + back * _WEEK)
        return Period(first=first, last=first + timedelta(days=_WEEK - 1))
    if unit < 2 * 31:
        month = today.year * _MONTHS + today.month - 1 - back
        return CalendarTime(year=month // _MONTHS, month=month % _MONTHS + 1)
    return CalendarTime(year=today.year - back)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyInContext:
    """The messages and turns of a session that a context has already."""

    session_id: UUID
    messages: frozenset[UUID] = frozenset()
    turns: frozenset[int] = frozenset()
    """Turns of the session of which the context has at least a part."""

    def has(self, entry: Entry) -> bool:
        """Whether the context has the entry, or another part of its turn."""
        is_of_turn = entry.session_id == self.session_id and entry.turn_number in self.turns
        return is_of_turn or not self.messages.isdisjoint(entry.message_ids)


def is_related(candidate: Candidate, time: Time | None) -> bool:
    """Whether a candidate shares a word or some meaning with a question, or the days it names.

    A context leaves out the others, even if they are the nearest.
    """
    entry, words, meanings, own = candidate
    meaning = meanings[own]
    return (
        words[own] > 0
        or (meaning is not None and meaning >= _RELATED)
        or (time is not None and time.nearness(entry.said_at) >= _SAME_DAYS)
    )


def check_query(query: str, k: int) -> None:
    """Refuse a query that is blank or too long, and a number of results out of range."""
    check_text(query, "query", max_length=MAX_QUERY_LENGTH)
    if not query.strip():
        raise InvalidInput("query", "must not be blank")
    if not 1 <= k <= MAX_RECALLED:
        raise InvalidInput("k", f"must lie between 1 and {MAX_RECALLED}")


def checked_filter(filters: RecallFilter) -> RecallFilter:
    """The filter with its times in UTC and its names as they are indexed, or `InvalidInput`."""
    since = None if filters.since is None else to_utc(filters.since, "since")
    until = None if filters.until is None else to_utc(filters.until, "until")
    if since is not None and until is not None and since >= until:
        raise InvalidInput("since", "must lie before until")
    speaker = filters.speaker
    if speaker is not None:
        speaker = check_name(speaker, "speaker", max_length=MAX_NAME_LENGTH)
    return replace(
        filters,
        since=since,
        until=until,
        tables=_names(filters.tables, "tables"),
        databases=_names(filters.databases, "databases"),
        speaker=speaker,
    )


def _names(names: Iterable[str] | None, field: str) -> frozenset[str] | None:
    if names is None:
        return None
    checked = (check_name(name, field, max_length=MAX_NAME_LENGTH) for name in names)
    lowered = frozenset(name.lower() for name in checked)
    if not 0 < len(lowered) <= MAX_NAMES:
        raise InvalidInput(field, f"must be between 1 and {MAX_NAMES} names")
    return lowered


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuestion:
    """A question as recall reads it."""

    text: str
    """The question, without the words that ask for the first or the last time."""
    language: str
    to_embed: str
    """The text without the speakers it names.

    A sentence model takes a name for the topic and finds every greeting. On the conversations it
    was measured on, the share of evidence among the ten nearest rose from 48 to 66 percent.
    """
    speakers: frozenset[str] = frozenset()
    """The speakers whose messages are asked for, as `fold` spells them."""
    time: Time | None = None
    occurrence: Occurrence | None = None
    """Whether the first or the last of the entries that match is asked for."""
    asks_when: bool = False
    wanted: Wanted = NOTHING_WANTED
    """What its answer has to have."""

    def terms(self, terms_of: Callable[[str], Mapping[str, float]]) -> Mapping[str, float]:
        """The stems of its words and their weights, in questions and in answers.

        Names of speakers weigh less than other words, and a word in an answer less than in the
        question: answers are long and repeat what is always said.
        """
        terms = terms_of(self.text)
        if self.to_embed != self.text:
            rest = terms_of(self.to_embed)
            terms = {term: rest.get(term, _NAME_WEIGHT * weight) for term, weight in terms.items()}
        in_answers = {answer_term(term): _ANSWERED * weight for term, weight in terms.items()}
        return {**terms, **in_answers}


def read_question(
    text: str,
    *,
    speakers: Collection[str] = (),
    me: str | None = None,
    language: str,
    now: datetime,
) -> RecallQuestion:
    """Read a question; `me` is the user who asks it, perhaps one of the speakers."""
    words = DATES.get(language, DATES["en"])
    occurrence, subject = asked_occurrence(text, language=language)
    names, own = _Names(speakers=frozenset(), rest=subject), frozenset[str]()
    if speakers:
        names = _Names.of(subject, speakers, common=common_words(language))
        if me is not None and not words.me.isdisjoint(words_of(text)):  # about their own messages
            own = frozenset(map(fold, speakers)) & {fold(me)}
    return RecallQuestion(
        text=subject,
        language=language,
        to_embed=names.rest,
        speakers=names.speakers or own,
        time=time_in(text, language=language, now=now),
        occurrence=occurrence,
        asks_when=words.asks.match(fold(text)) is not None,
        wanted=wanted_in(text, language),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The speakers that a text names, and the text without them."""

    speakers: frozenset[str]
    rest: str

    @classmethod
    def of(cls, text: str, speakers: Iterable[str], *, common: frozenset[str]) -> "_Names":
        named: set[str] = set()
        rest = text
        for speaker in sorted(speakers, key=len, reverse=True):
            without = _without(speaker, rest, common=common)
            if without != rest:
                named.add(fold(speaker))
                rest = without
        rest = " ".join(rest.split())
        has_words = any(word not in common for word in words_of(rest))
        return cls(speakers=frozenset(named), rest=rest if has_words else text)


def _without(speaker: str, text: str, *, common: frozenset[str]) -> str:
    """A text without a speaker's full or first name."""
    first = speaker.split(maxsplit=1)[0] if speaker.split() else speaker
    names = {name for name in (speaker, first) if len(name) >= _SHORTEST_NAME}
    if not names:
        return text

    def strip(match: re.Match[str]) -> str:
        # "Will you", "may I": common words are names only if written as one inside a sentence.
        is_word = match[0].lower() in common
        is_name = match[0][0].isupper() and match.start() > 0 if is_word else True
        return "" if is_name else match[0]

    return pattern_of_names(names).sub(strip, text)


def pattern_of_names(names: Collection[str]) -> re.Pattern[str]:
    """A pattern that matches one of these names as a word of its own, with its possessive."""
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{choice}){_POSSESSIVE}(?!\w)", re.IGNORECASE)
