"""Indexing turns, and embedding entries again with another model."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain, groupby, islice
from typing import Final, Self
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Entry, IndexedEntry, Vector
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.errors import ModelUnavailable, RecollectError, Unavailable
from recollect.ports.jobs import DueTurn, IndexingStore
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex
from recollect.ports.runtime import Clock
from recollect.services.background import repeat
from recollect.services.facts.learning import Learning

_SESSIONS_AT_ONCE: Final = 32
_TURNS_AT_ONCE: Final = 64
_LEARNT_AT_ONCE: Final = 8
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
    learning: Learning | None = None
    """What makes facts of the turns; None: nothing does."""
    is_behind: bool = field(default=False, init=False)
    """Whether the last call left turns to index."""
    _embedder_rests_until: datetime | None = None
    _unlearnt: dict[tuple[UUID, int], tuple[Scope, DueTurn]] = field(default_factory=dict)
    """Turns that are indexed and wait to be learnt from, by session and number."""
    _rest_until: dict[UUID, datetime] = field(default_factory=dict)
    """Sessions that could not be indexed, and when to try them again."""

    async def do_some(self) -> int:
        """Index waiting turns of some sessions, learn from some, and return how many are done."""
        counts: list[int] = []
        waiting = await self.store.sessions(limit=_SESSIONS_AT_ONCE)
        for scope, session_id in waiting:
            if self._rests(session_id):
                continue
            try:
                counts.append(await self.do_session(scope, session_id))
            except Unavailable:
                raise
            except Exception as error:  # one bad turn must not keep others from being indexed
                self._rest_until[session_id] = self.clock.now() + _PAUSE_OF_A_SESSION
                facts = {"problem": type(error).__name__}
                is_expected = isinstance(error, RecollectError)
                exc_info = None if is_expected else error
                logger.warning("indexing.failed", extra={"facts": facts}, exc_info=exc_info)
        learnt = await self._learn_some()
        some_wait = any(counts) and len(waiting) == _SESSIONS_AT_ONCE
        is_far_behind = max(counts, default=0) >= _TURNS_AT_ONCE
        self.is_behind = some_wait or is_far_behind or bool(self._unlearnt)
        return learnt if self.learning else sum(counts)

    async def do_session(self, scope: Scope, session_id: UUID) -> int:
        """Index the oldest waiting turns of a session, and return how many.

        If the model does not answer, they are found by their words until `Reindexing` has
        embedded them.
        """
        due = await self.store.due(scope, session_id, limit=_TURNS_AT_ONCE)
        turns = [turn for turn in due if not self._is_indexed(session_id, turn)]
        if not turns:
            return 0
        # Long texts take long to read: not on the event loop.
        entries = await asyncio.to_thread(self._entries_of, turns)
        numbers = [turn.turn_number for turn in turns]
        await self.index.replace(scope, session_id, numbers, await self._embedded(entries))
        if self.learning is None:
            await self.store.done(scope, session_id, turns)
        for turn in turns if self.learning else ():
            self._unlearnt[session_id, turn.turn_number] = (scope, turn)
        return len(turns)

    def _is_indexed(self, session_id: UUID, turn: DueTurn) -> bool:
        """Whether a turn that is due only waits to be learnt from."""
        _, known = self._unlearnt.get((session_id, turn.turn_number), (None, None))
        return known is not None and known.change == turn.change

    async def _learn_some(self) -> int:
        """Learn from some turns that are indexed, and return how many; they stay due until then.

        Few at a time: what was said can be found before it is learnt from.
        """
        count = _LEARNT_AT_ONCE if len(self._unlearnt) <= _TURNS_AT_ONCE else _TURNS_AT_ONCE
        chosen = [*islice(self._unlearnt.items(), count)]
        by_session = groupby(chosen, key=lambda one: (one[1][0], one[0][0]))
        for (scope, session_id), items in by_session:
            turns = [turn for _, (_, turn) in items]
            await self._learn(scope, session_id, turns)
            await self.store.done(scope, session_id, turns)
        for key, value in chosen:
            if self._unlearnt.get(key) is value:
                del self._unlearnt[key]
        return len(chosen)

    async def _learn(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        if self.learning is None:
            return
        try:
            await self.learning.learn(scope, session_id, turns)
        except Unavailable:
            raise
        except Exception as error:  # one strange message must not keep turns due for ever
            facts = {"problem": type(error).__name__}
            logger.warning("learning.failed", extra={"facts": facts}, exc_info=error)

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
