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
"""The cosines of unrelated texts stay below this with all-MiniLM."""
_SAME_DAYS: Final = 0.75
"""The nearness of a day or a week that the question names."""
_NAME_WEIGHT: Final = 0.3
"""Names of speakers are in greetings everywhere, and tell little about the subject."""
_POSSESSIVE: Final = r"(?:['\u2019]s?)?"
_SHORTEST_NAME: Final = 2


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
        or (meaning is not None and meaning >= _NEAR)
        or (time is not None and time.nearness(entry.said_at) >= _SAME_DAYS)
    )


def check_query(query: str) -> str:
    """Return the query, or raise `InvalidInput` if it is blank or too long."""
    check_text(query, "query", max_length=MAX_QUERY_LENGTH)
    if not query.strip():
        raise InvalidInput("query", "must not be blank")
    return query


def check_count(k: int) -> int:
    """Return the number of results, or raise `InvalidInput`."""
    if not 1 <= k <= MAX_RECALLED:
        raise InvalidInput("k", f"must lie between 1 and {MAX_RECALLED}")
    return k


def checked_filter(filters: RecallFilter) -> RecallFilter:
    """The filter with its times in UTC and its names as they are indexed, or `InvalidInput`."""
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
    checked = (check_name(name, field, max_length=MAX_NAME_LENGTH) for name in names)
    lowered = frozenset(name.lower() for name in checked)
    if not 0 < len(lowered) <= MAX_NAMES:
        raise InvalidInput(field, f"must be between 1 and {MAX_NAMES} names")
    return lowered


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
    """The speakers whose messages are asked for, as `fold` spells them."""
    time: Time | None = None
    asks_when: bool = False

    def terms(self, terms_of: Callable[[str], Mapping[str, float]]) -> Mapping[str, float]:
        """The stems of its words and their weights; names of speakers weigh less than others."""
        terms = terms_of(self.text)
        if self.to_embed == self.text:
            return terms
        rest = terms_of(self.to_embed)
        return {term: rest.get(term, _NAME_WEIGHT * weight) for term, weight in terms.items()}


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
    """The user who asks, if the question is about their own messages."""
    if not speakers or me is None or words.me.isdisjoint(words_of(text)):
        return frozenset()
    return frozenset(name for name in map(fold, speakers) if name == fold(me))


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
