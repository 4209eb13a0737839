"""What may be asked of recall."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.recall.entry import Candidate, Entry, RecallFilter
from recollect.domain.recall.policy import MAX_RECALLED
from recollect.domain.recall.times import Time
from recollect.domain.text import check_name, check_text
from recollect.errors import InvalidInput

MAX_QUERY_LENGTH: Final = 10_000
MAX_NAMES: Final = 100
MAX_NAME_LENGTH: Final = 500
_NEAR: Final = 0.3
"""Of texts that have nothing to do with each other all-MiniLM's cosines stay below this."""
_SAME_DAYS: Final = 0.75
"""A day or a week that is named; a month or a year may be what is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
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


def checked_filter(narrowed: RecallFilter) -> RecallFilter:
    """The filter with its times in UTC and its names as they are indexed, or an error."""
    since, until = _utc(narrowed.since, "since"), _utc(narrowed.until, "until")
    if since is not None and until is not None and since >= until:
        raise InvalidInput("since", "must lie before until")
    speaker = narrowed.speaker
    if speaker is not None:
        speaker = check_name(speaker, "speaker", max_length=MAX_NAME_LENGTH)
    return replace(
        narrowed,
        since=since,
        until=until,
        tables=_names(narrowed.tables, "tables"),
        databases=_names(narrowed.databases, "databases"),
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
