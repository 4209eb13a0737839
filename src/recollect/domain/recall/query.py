"""Questions to recall: their words, times and speakers."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.language import common_words
from recollect.domain.recall.dates import DATES, DateWords
from recollect.domain.recall.entry import Candidate, Entry, RecallFilter
from recollect.domain.recall.recalled import MAX_RECALLED
from recollect.domain.recall.times import Time, time_in
from recollect.domain.recall.words import fold, words_of
from recollect.domain.text import check_name, check_text
from recollect.errors import InvalidInput

MAX_QUERY_LENGTH: Final = 10_000
MAX_NAMES: Final = 100
MAX_NAME_LENGTH: Final = 500
_NEAR: Final = 0.3
"""Of texts that have nothing to do with each other all-MiniLM's cosines stay below this."""
_SAME_DAYS: Final = 0.75
"""A day or a week that is named; a month or a year may be what is asked about."""
_NAME_WEIGHT: Final = 0.3
"""Speakers are named in greetings all over: a name says little about what was said."""
_POSSESSIVE: Final = r"(?:['\u2019]s?)?"
_SHORTEST_NAME: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyInContext:
    """What whoever asks has already: it is not told again."""

    session_id: UUID
    messages: frozenset[UUID] = frozenset()
    turns: frozenset[int] = frozenset()
    """Turns of the session of which at least a part is known."""

    def has(self, entry: Entry) -> bool:
        """Whether the entry, or another part of its turn, is known."""
        is_of_turn = entry.session_id == self.session_id and entry.turn_number in self.turns
        return is_of_turn or not self.messages.isdisjoint(entry.message_ids)


def is_related(candidate: Candidate, time: Time | None) -> bool:
    """Whether something shares a word or some meaning with a question, or the days it names.

    The nearest of all that was said is not yet near: a context does without it.
    """
    entry, words, meanings, own = candidate
    meaning = meanings[own]
    return (
        words[own] > 0
        or (meaning is not None and meaning >= _NEAR)
        or (time is not None and time.nearness(entry.said_at) >= _SAME_DAYS)
    )


def check_query(query: str) -> str:
    """Return what is looked for, or refuse what nothing can be found by."""
    check_text(query, "query", max_length=MAX_QUERY_LENGTH)
    if not query.strip():
        raise InvalidInput("query", "must not be blank")
    return query


def check_count(k: int) -> int:
    """Return how many are wanted, if so many can be."""
    if not 1 <= k <= MAX_RECALLED:
        raise InvalidInput("k", f"must lie between 1 and {MAX_RECALLED}")
    return k


def checked_filter(filters: RecallFilter) -> RecallFilter:
    """The filter with its times in UTC and its names as they are indexed, or an error."""
    since, until = _utc(filters.since, "since"), _utc(filters.until, "until")
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


def _utc(moment: datetime | None, field: str) -> datetime | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise InvalidInput(field, "must have a time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "is too far from today") from None


def _names(names: Iterable[str] | None, field: str) -> frozenset[str] | None:
    if names is None:
        return None
    found = frozenset(check_name(name, field, max_length=MAX_NAME_LENGTH).lower() for name in names)
    if not 0 < len(found) <= MAX_NAMES:
        raise InvalidInput(field, f"must be between 1 and {MAX_NAMES} names")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuestion:
    """A question as recall reads it."""

    text: str
    language: str
    to_embed: str
    """The question without the speakers it names.

    A sentence model takes a name for the topic and finds every greeting. On the conversations it
    was measured on, the share of evidence among the ten nearest rose from 48 to 66 percent.
    """
    speakers: frozenset[str] = frozenset()
    """Those of the known speakers whose own words are asked for, as `fold` spells them."""
    time: Time | None = None
    asks_when: bool = False

    def terms(self, terms_of: Callable[[str], Mapping[str, float]]) -> Mapping[str, float]:
        """The stems of its words and what each weighs: names of speakers less than others."""
        said = terms_of(self.text)
        if self.to_embed == self.text:
            return said
        rest = terms_of(self.to_embed)
        return {term: rest.get(term, _NAME_WEIGHT * weight) for term, weight in said.items()}


def read_question(
    text: str,
    *,
    speakers: Collection[str] = (),
    me: str | None = None,
    language: str,
    now: datetime,
) -> RecallQuestion:
    """Read a question; `me` is who asks, if that is one of the speakers."""
    words = DATES.get(language, DATES["en"])
    names = _Names(speakers=frozenset(), rest=text)
    if speakers:
        names = _Names.of(text, speakers, common=common_words(language))
    return RecallQuestion(
        text=text,
        language=language,
        to_embed=names.rest,
        speakers=names.speakers or _asking(text, speakers, me, words),
        time=time_in(text, language=language, now=now),
        asks_when=words.asks.match(fold(text)) is not None,
    )


def _asking(
    text: str, speakers: Collection[str], me: str | None, words: DateWords
) -> frozenset[str]:
    """The one who asks, where the question is about what they said themselves."""
    if not speakers or me is None or words.me.isdisjoint(words_of(text)):
        return frozenset()
    return frozenset(name for name in map(fold, speakers) if name == fold(me))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The speakers that a text names, and what is left of it without them."""

    speakers: frozenset[str]
    rest: str

    @classmethod
    def of(cls, text: str, speakers: Iterable[str], *, common: frozenset[str]) -> "_Names":
        found: set[str] = set()
        rest = text
        for speaker in sorted(speakers, key=len, reverse=True):
            without = _without(speaker, rest, common=common)
            if without != rest:
                found.add(fold(speaker))
                rest = without
        kept = " ".join(rest.split())
        has_words = any(word not in common for word in words_of(kept))
        return cls(speakers=frozenset(found), rest=kept if has_words else text)


def _without(speaker: str, text: str, *, common: frozenset[str]) -> str:
    """A text without a speaker's name, full or first, where it is meant as one."""
    first = speaker.split(maxsplit=1)[0] if speaker.split() else speaker
    names = {name for name in (speaker, first) if len(name) >= _SHORTEST_NAME}
    if not names:
        return text

    def strip(found: re.Match[str]) -> str:
        # "Will you", "may I": a word like others unless it is written as a name inside a sentence.
        is_word = found[0].lower() in common
        is_name = found[0][0].isupper() and found.start() > 0 if is_word else True
        return "" if is_name else found[0]

    return pattern_of_names(names).sub(strip, text)


def pattern_of_names(names: Collection[str]) -> re.Pattern[str]:
    """What finds one of these names, its possessive included, as a word of its own."""
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{choice}){_POSSESSIVE}(?!\w)", re.IGNORECASE)
