"""Indexing turns, and embedding entries again with another model."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Final, Self
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    Entry,
    IndexedEntry,
)
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.domain.vectors import Vector
from recollect.errors import ContentUnreadable, ModelUnavailable, RecollectError, Unavailable
from recollect.ports.jobs import DueTurn, IndexingStore
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex
from recollect.ports.runtime import Clock
from recollect.services.background import repeat

_SESSIONS_AT_ONCE: Final = 32
_TURNS_AT_ONCE: Final = 64
_PAUSE_OF_A_MODEL: Final = timedelta(seconds=30)
_PAUSE_OF_A_SESSION: Final = timedelta(minutes=1)
logger = logging.getLogger(__name__)
_AT_ONCE: Final = 256


@dataclass(slots=True, kw_only=True)
class Indexing:
    """Indexes turns that have changed; work that is interrupted is done again.

    Several may work at once: a turn that is indexed twice is in the index once.
    """

    store: IndexingStore
    index: RecallIndex
    clock: Clock
    maker: EntryMaker
    embedder: Embedder | None = None
    is_learnt_from: Callable[[Scope], Awaitable[bool]] | None = None
    """Whether turns of an owner wait to be learnt from when they are indexed; None: never."""
    is_behind: bool = field(default=False, init=False)
    """Whether the last call left turns to index."""
    _embedder_rests_until: datetime | None = None
    _rest_until: dict[UUID, datetime] = field(default_factory=dict)
    """Sessions that could not be indexed, and when to try them again."""

    async def do_some(self) -> int:
        """Index waiting turns of some sessions, and return how many."""
        counts: list[int] = []
        waiting = await self.store.sessions(limit=_SESSIONS_AT_ONCE)
        for scope, session_id in waiting:
            if self._rests(session_id):
                continue
            try:
                counts.append(await self.do_session(scope, session_id))
            except ContentUnreadable as error:  # unavailable to its owner alone
                self._let_rest(session_id, error)
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001  # one bad turn must not hold up others
                self._let_rest(session_id, error)
        some_wait = any(counts) and len(waiting) == _SESSIONS_AT_ONCE
        is_far_behind = max(counts, default=0) >= _TURNS_AT_ONCE
        self.is_behind = some_wait or is_far_behind
        return sum(counts)

    async def do_session(self, scope: Scope, session_id: UUID) -> int:
        """Index the oldest waiting turns of a session, and return how many.

        If the model does not answer, they are found by their words until `Reindexing` has
        embedded them.
        """
        turns = await self.store.due(scope, session_id, limit=_TURNS_AT_ONCE)
        if not turns:
            return 0
        # Long texts take long to read: not on the event loop.
        entries = await asyncio.to_thread(self._entries_of, turns)
        numbers = [turn.turn_number for turn in turns]
        await self.index.replace(scope, session_id, numbers, await self._embedded(entries))
        is_learnt = self.is_learnt_from is not None and await self.is_learnt_from(scope)
        finish = self.store.hand_on if is_learnt else self.store.done
        await finish(scope, session_id, turns)
        return len(turns)

    def _entries_of(self, turns: Sequence[DueTurn]) -> list[IndexedEntry]:
        made = (
            self.maker.entries_of(turn.messages, turn.status, is_latest=turn.is_latest)
            for turn in turns
        )
        return list(chain.from_iterable(made))

    async def _embedded(self, entries: Sequence[IndexedEntry]) -> Sequence[IndexedEntry]:
        """The entries with their vectors, or without while the model is unavailable."""
        embedder, now = self.embedder, self.clock.now()
        rests = self._embedder_rests_until is not None and now < self._embedder_rests_until
        if embedder is None or rests or not entries:
            return entries
        try:
            vectors = await embedder.embed([one.entry.passage for one in entries])
        except ModelUnavailable as error:
            self._embedder_rests_until = now + _PAUSE_OF_A_MODEL
            facts = {"problem": type(error).__name__, "entries": len(entries)}
            logger.warning("indexing.not_embedded", extra={"facts": facts})
            return entries
        return [
            replace(one, model=embedder.model, vector=vector)
            for one, vector in zip(entries, vectors, strict=True)
        ]

    def _let_rest(self, session_id: UUID, error: Exception) -> None:
        self._rest_until[session_id] = self.clock.now() + _PAUSE_OF_A_SESSION
        facts = {"problem": type(error).__name__}
        exc_info = None if isinstance(error, RecollectError) else error
        logger.warning("indexing.failed", extra={"facts": facts}, exc_info=exc_info)

    def _rests(self, session_id: UUID) -> bool:
        until = self._rest_until.get(session_id)
        if until is not None and until <= self.clock.now():
            del self._rest_until[session_id]
            return False
        return until is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """Embeds the whole index with the model in use, while searches go on.

    Until an entry is embedded again it is found by its words. It can be stopped at any time and
    continues later; several may work at once.
    """

    index: RecallIndex
    embedder: Embedder
    per_second: float | None = None
    """The most entries to embed in a second; None: as fast as the model answers."""

    def at_most(self, per_second: float | None) -> Self:
        """The same at another rate."""
        return replace(self, per_second=per_second)

    async def waiting(self) -> int:
        """How many entries the model in use has not embedded."""
        return await self.index.count_outdated(model=self.embedder.model)

    async def do_some(self, *, at_once: int = _AT_ONCE) -> int:
        """Embed some entries, and return how many; then wait to keep the rate."""
        model = self.embedder.model
        outdated = await self.index.outdated(model=model, limit=at_once)
        if not outdated:
            return 0
        vectors = await self.embedder.embed([entry.passage for _, entry in outdated])
        by_owner: defaultdict[Scope, list[tuple[Entry, Vector]]] = defaultdict(list)
        for (scope, entry), vector in zip(outdated, vectors, strict=True):
            by_owner[scope].append((entry, vector))
        for scope, embedded in by_owner.items():
            await self.index.embed(scope, embedded, model=model)
        if self.per_second is not None:
            await asyncio.sleep(len(outdated) / self.per_second)
        return len(outdated)

    async def do_all(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Embed all waiting entries, and return how many; `progress` gets the number so far."""
        return await repeat(self.do_some, progress)
