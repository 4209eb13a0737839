"""What the contracts of a recall index work with."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    EntriesState,
    Entry,
    IndexedEntry,
    RecallFilter,
    RecallQuery,
)
from recollect.domain.vectors import Vector
from recollect.ports import Stores
from recollect.ports.recall import RecallIndex
from recollect.testing import FIRST_MOMENT
from support.examples import a_message, a_scope, append, start_session

MODEL = "model-a:3"
EAST: Vector = (1.0, 0.0, 0.0)
NORTH: Vector = (0.0, 1.0, 0.0)
NORTH_EAST: Vector = (0.8, 0.6, 0.0)
CLOSE = 2e-3  # an index may keep vectors in 16 bits


def index_of(stores: Stores) -> RecallIndex:
    """The engine's index."""
    assert stores.recall is not None, "the engine has no recall index"
    return stores.recall


@dataclass(slots=True, kw_only=True)
class Log:
    """A session of an owner in which single messages are said and indexed."""

    stores: Stores
    scope: Scope = field(default_factory=a_scope)
    session_id: UUID
    messages: list[Message] = field(default_factory=list)

    @classmethod
    async def start(
        cls, stores: Stores, scope: Scope | None = None, *, expires_at: datetime | None = None
    ) -> "Log":
        """An empty one."""
        owner = scope or a_scope()
        session = await start_session(stores, owner, expires_at=expires_at)
        return cls(stores=stores, scope=owner, session_id=session.session_id)

    async def say(
        self,
        text: str,
        vector: Vector | None = EAST,
        *,
        now: datetime = FIRST_MOMENT,
        model: str | None = None,
        speaker: str | None = None,
        tables: tuple[str, ...] = (),
    ) -> IndexedEntry:
        """Store a message and index it."""
        stored = await append(
            self.stores, self.scope, self.session_id, a_message(content=text), now=now
        )
        self.messages += stored
        entry = entry_of(stored, text, speaker=speaker, tables=tables)
        indexed = IndexedEntry(
            entry=entry,
            terms=Counter(text.lower().split()),
            model=(model or MODEL) if vector else None,
            vector=vector,
        )
        await self.index([indexed])
        return indexed

    async def index(self, entries: Sequence[IndexedEntry]) -> None:
        """Keep these entries in place of those of their turns."""
        turns = sorted({one.entry.turn_number for one in entries})
        await index_of(self.stores).replace(self.scope, self.session_id, turns, entries)

    async def texts(self, words: str = "", vector: Vector | None = EAST) -> list[str]:
        """The texts that a search of the owner finds, in the order of the alphabet."""
        found = await search(self.stores, self.scope, words, vector)
        return sorted(candidate.entry.text for candidate in found)


def entry_of(
    messages: Sequence[Message],
    text: str,
    *,
    speaker: str | None = None,
    tables: tuple[str, ...] = (),
) -> Entry:
    """An entry of these messages."""
    return Entry(
        session_id=messages[0].session_id,
        turn_number=messages[0].turn_number or 0,
        sequence=messages[0].sequence,
        message_ids=tuple(message.message_id for message in messages),
        text=text,
        speaker=speaker,
        tables=tables,
        said_at=messages[0].created_at,
    )


async def search(  # each is a part of one question
    stores: Stores,
    scope: Scope,
    words: str = "",
    vector: Vector | None = EAST,
    *,
    model: str = MODEL,
    filters: RecallFilter | None = None,
    count: int = 100,
    state: EntriesState | None = None,
) -> tuple[Candidate, ...]:
    """Search for words of equal weight and for a vector."""
    terms: Mapping[str, float] = dict.fromkeys(words.split(), 1.0)
    query = RecallQuery(
        terms=terms,
        model=None if vector is None else model,
        vector=vector,
        filters=filters or RecallFilter(),
        count=count,
        state=state,
    )
    return await index_of(stores).search(scope, query)
