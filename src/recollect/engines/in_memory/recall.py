"""The recall index in memory: every search looks at all entries of the owner."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Candidate,
    Entry,
    IndexedEntry,
    RecallQuery,
)
from recollect.domain.recall.whole_search import search_entries
from recollect.domain.vectors import Vector
from recollect.engines.in_memory.data import InMemoryStore
from recollect.engines.in_memory.stored_conversation import StoredConversation


class InMemoryRecallIndex(InMemoryStore):
    """Implements `recollect.ports.recall.RecallIndex`."""

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return
        indexed = [
            one for one in conversation.entries.values() if one.entry.turn_number not in turns
        ]
        indexed += [one for one in entries if conversation.has_all(one.entry.message_ids)]
        indexed.sort(key=lambda one: one.entry.sequence)
        conversation.entries = {one.entry.sequence: one for one in indexed}

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        indexed = list(_indexed(self.data.conversations(scope)))
        return tuple(search_entries(indexed, query).values())

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        entries = _indexed(self.data.conversations(scope))
        names = {one.entry.speaker for one in entries if one.entry.speaker is not None}
        return tuple(islice(names, limit))

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        outdated = (
            (scope, one.entry)
            for scope, conversation in self.data.known()
            for one in conversation.entries.values()
            if one.model != model or one.vector is None
        )
        return tuple(islice(outdated, limit))

    async def count_outdated(self, *, model: str) -> int:
        indexed = _indexed(conversation for _, conversation in self.data.known())
        return sum(one.model != model or one.vector is None for one in indexed)

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        for entry, vector in vectors:
            conversation = self.data.conversation(scope, entry.session_id)
            known = None if conversation is None else conversation.entries.get(entry.sequence)
            if conversation is not None and known is not None and known.entry == entry:
                conversation.entries[entry.sequence] = replace(known, model=model, vector=vector)


def _indexed(conversations: Iterable[StoredConversation]) -> Iterable[IndexedEntry]:
    return chain.from_iterable(conversation.entries.values() for conversation in conversations)
