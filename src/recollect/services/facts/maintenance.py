"""Background work on facts: learning from turns, pruning what has faded, embedding anew."""

import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from recollect.domain.facts.fact import ChangeKind, Fact, FactChange, FactEdit, FactStatus
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.errors import ContentUnreadable, Unavailable
from recollect.ports.facts import FactStore
from recollect.ports.jobs import DueTurn, TurnQueue
from recollect.ports.models import Embedder
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited
from recollect.services.facts.learning import Learning
from recollect.services.tenants.policies import TenantPolicies

_SESSIONS_AT_ONCE: Final = 8
_TURNS_AT_ONCE: Final = 8
"""Few: a worker that is stopped reads no more than these again."""
_OWNERS_AT_ONCE: Final = 100
_FACTS_AT_ONCE: Final = 256
_ACTOR: Final = "retention"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLearning:
    """Learns from turns that are indexed; work that is interrupted is done again.

    Several may work at once: what is read twice is learnt once.
    """

    queue: TurnQueue
    learning: Learning

    async def do_some(self) -> int:
        """Learn from waiting turns of some sessions, and return how many."""
        count = 0
        for scope, session_id in await self.queue.sessions(limit=_SESSIONS_AT_ONCE):
            try:
                count += await self._do_session(scope, session_id)
            except ContentUnreadable as error:  # its turns wait, those of others do not
                _log_unreadable("learning.waits", error)
        return count

    async def _do_session(self, scope: Scope, session_id: UUID) -> int:
        turns = await self.queue.due(scope, session_id, limit=_TURNS_AT_ONCE)
        await self._learn(scope, session_id, turns)
        await self.queue.done(scope, session_id, turns)
        return len(turns)

    async def _learn(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        try:
            await self.learning.learn(scope, session_id, turns)
        except Unavailable:
            raise
        except Exception as error:  # one strange message must not keep turns waiting for ever
            facts = {"problem": type(error).__name__}
            logger.warning("learning.failed", extra={"facts": facts}, exc_info=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPruning(Audited):
    """Ends facts that nobody has used for so long that they have faded; they stay restorable."""

    store: FactStore
    clock: Clock
    tenants: TenantPolicies = field(default_factory=TenantPolicies)

    async def count(self) -> int:
        """How many facts of all owners `prune` would end now."""
        return sum([len(faded) async for _, faded in self._faded()])

    async def prune(self) -> int:
        """End all faded facts, and return how many.

        A fact that is used or changed meanwhile stays until the next time.
        """
        pruned = 0
        async for scope, faded in self._faded():
            for fact in faded:
                if not await self.store.commit(scope, [self._ended(fact)], {}):
                    continue
                pruned += 1
                self.note(scope, AuditAction.FACT_PRUNED, items=[fact.fact_id])
        return pruned

    async def _faded(self) -> AsyncIterator[tuple[Scope, list[Fact]]]:
        after: UUID | None = None
        while owners := await self.store.owners(after=after, limit=_OWNERS_AT_ONCE):
            now = self.clock.now()
            for scope in owners:
                try:
                    known = await self.store.active(scope)
                except ContentUnreadable as error:  # those of others fade all the same
                    _log_unreadable("pruning.failed", error)
                    continue
                decay = (await self.tenants.of(scope)).decay
                yield scope, [one.fact for one in known if decay.is_faded(one.fact, now)]
            after = owners[-1].owner_id

    def _ended(self, fact: Fact) -> FactEdit:
        now = self.clock.now()
        ended = fact.ended(FactStatus.PRUNED, now)
        return FactEdit(
            fact=ended,
            change=FactChange(
                fact_id=fact.fact_id,
                version=ended.version,
                kind=ChangeKind.PRUNED,
                at=now,
                actor=_ACTOR,
                content=fact.content,
                status=ended.status,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReembedding:
    """Embeds facts that have no vector of the model in use; until then their words find them."""

    store: FactStore
    embedder: Embedder

    async def do_some(self) -> int:
        """Embed some facts of any owner, and return how many."""
        model = self.embedder.model
        outdated = await self.store.outdated(model=model, limit=_FACTS_AT_ONCE)
        if not outdated:
            return 0
        vectors = await self.embedder.embed([fact.content for _, fact in outdated])
        by_owner: defaultdict[Scope, dict[UUID, tuple[int, Vector]]] = defaultdict(dict)
        for (scope, fact), vector in zip(outdated, vectors, strict=True):
            by_owner[scope][fact.fact_id] = (fact.version, vector)
        for scope, embedded in by_owner.items():
            await self.store.embed(scope, embedded, model=model)
        return len(outdated)


def _log_unreadable(event: str, error: ContentUnreadable) -> None:
    logger.warning(event, extra={"facts": {"problem": type(error).__name__}})
