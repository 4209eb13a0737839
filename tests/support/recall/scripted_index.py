"""A recall index whose results a test chooses, and entries for it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.domain.language import PlainWords
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallQuery,
)
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.domain.vectors import Vector
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT


def an_entry(
    text: str = "Question: What were the sales of 2024? Result summary: 2.5M",
    *,
    session_id: UUID | None = None,
    turn_number: int = 1,
    message_ids: tuple[UUID, ...] = (),
    tables: tuple[str, ...] = (),
    said_at: datetime = FIRST_MOMENT,
) -> Entry:
    """Something that was said, in a session of its own unless one is given."""
    return Entry(
        session_id=session_id or uuid4(),
        turn_number=turn_number,
        sequence=turn_number * 2 - 1,
        message_ids=message_ids or (uuid4(), uuid4()),
        text=text,
        tables=tables,
        said_at=said_at,
    )


def candidates_of(entries: Sequence[Entry]) -> tuple[Candidate, ...]:
    """The entries as an index finds them: the first is the best by words and by meaning."""
    return tuple(
        Candidate(entry=entry, words=(10 / place,), meanings=(0.9 / place,))
        for place, entry in enumerate(entries, start=1)
    )


async def index_messages(stores: Stores, scope: Scope, messages: Sequence[Message]) -> Entry:
    """Index the messages of one turn as its worker would, in the words they have."""
    assert stores.recall is not None
    (made,) = EntryMaker(stems=PlainWords().stems).entries_of(
        messages, TurnStatus.COMPLETE, is_latest=False
    )
    entry = made.entry
    await stores.recall.replace(scope, entry.session_id, [entry.turn_number], [made])
    return entry


class ScriptedIndex:
    """Finds the same entries whatever is asked for, the best of them first."""

    def __init__(self, *entries: Entry) -> None:
        self.candidates = candidates_of(entries)
        self.queries: list[RecallQuery] = []
        self.known_speakers: tuple[str, ...] = ()
        self.failure: Exception | None = None

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        self.queries.append(query)
        if self.failure is not None:
            raise self.failure
        found = (c for c in self.candidates if self._is_meant(c.entry, query))
        return tuple(found)[: query.count]

    def _is_meant(self, entry: Entry, query: RecallQuery) -> bool:
        filters = query.filters
        is_within = filters.session_id in {None, entry.session_id}
        return is_within and filters.without.isdisjoint(entry.message_ids)

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        raise NotImplementedError

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        return self.known_speakers[:limit]

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        raise NotImplementedError

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        raise NotImplementedError


def days_ago(days: float) -> datetime:
    """So long before the clocks of tests."""
    return FIRST_MOMENT - timedelta(days=days)
