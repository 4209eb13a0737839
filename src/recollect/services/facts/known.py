"""Facts about users in contexts: which matter to a question, and that they were used."""

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from recollect.concurrency import finish_writing, off_loop, watch
from recollect.domain.conversation.message import Visibility
from recollect.domain.facts.fact import Fact
from recollect.domain.facts.ranking import FactCandidate, FactPolicy, rank
from recollect.domain.facts.slots import STANDING_SLOTS, is_standing
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    EMBEDDER_FAILED,
)
from recollect.domain.recall.query import MAX_QUERY_LENGTH
from recollect.domain.tenants.policy import TenantPolicy
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable, Unavailable
from recollect.ports.facts import FactStore
from recollect.ports.models import Embedder
from recollect.ports.recall import WordStems
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Stage, Telemetry
from recollect.services.languages import languages_loaded
from recollect.services.tenants.policies import TenantPolicies

FACTS_FAILED: Final = "what is known about the user could not be looked for"
"""The warning of a context that lacks it."""
_NEAREST: Final = 40
_FOR_EACH: Final = 2  # candidates for each fact that a context may have
_BY_WORDS: Final = 200
"""Of so many facts, the newest, words are compared where there is no vector of the question."""
_SLOWNESS: Final = 20  # times as long as other work on as many characters
_MAX_CACHED: Final = 20_000  # a few megabytes
_MOST_WAITING: Final = 1_000
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantFacts:
    """What is known about a user and matters to a question."""

    items: tuple[Fact, ...] = ()
    """Best first."""
    standing: tuple[Fact, ...] = ()
    """Standing instructions, which matter to every question; those last given come first."""
    warnings: tuple[str, ...] = ()
    """Why there are none, or fewer, where something failed."""


@dataclass(slots=True, kw_only=True)
class FactAccesses:
    """Counts that facts were used, which keeps them from fading.

    Nobody waits for it: accesses are written one after the other. What is lost in a crash, or
    while the database is away, the next use makes up for.
    """

    store: FactStore
    clock: Clock
    _waiting: deque[tuple[Scope, Collection[UUID], datetime]] = field(default_factory=deque)
    _writing: "asyncio.Task[None] | None" = None

    def note(self, scope: Scope, facts: Sequence[Fact]) -> None:
        """Note that facts are used now."""
        if not facts or len(self._waiting) >= _MOST_WAITING:
            return
        self._waiting.append((scope, [fact.fact_id for fact in facts], self.clock.now()))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
            watch(self._writing, "facts.note_use")

    async def settle(self) -> None:
        """Wait until everything noted is written; cancelled, give up what is not."""
        while self._writing is not None and not self._writing.done():
            await finish_writing(self._writing, self._waiting.clear)

    async def _write(self) -> None:
        while self._waiting:
            scope, fact_ids, at = self._waiting.popleft()
            try:
                await self.store.touch(scope, fact_ids, at=at)
            except Unavailable:
                logger.warning("facts.use_not_noted")


@dataclass(slots=True, kw_only=True)
class StemCache:
    """The stems of facts that were candidates before.

    The same facts are candidates for each question of a user: stemming forty of them took 2.5
    milliseconds. The cache holds hashes, and no text.
    """

    stems: WordStems
    _known: dict[int, frozenset[int]] = field(default_factory=dict)

    def of(self, text: str) -> frozenset[int]:
        """The hashes of a text's stems."""
        return frozenset(map(hash, self.stems.stems(text)))

    def of_fact(self, fact: Fact) -> frozenset[int]:
        """The same for a fact, from the cache if it was a candidate lately."""
        stems = self._known.get(hash(fact.content))
        if stems is None:
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            stems = self._known[hash(fact.content)] = self.of(fact.content)
        return stems

    def unread_characters(self, facts: Iterable[Fact]) -> int:
        """How many characters of facts are not in the cache."""
        return sum(len(fact.content) for fact in facts if hash(fact.content) not in self._known)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Finds what an owner said before that matters to a question, as far as they may see it now."""

    store: FactStore
    accesses: FactAccesses | None
    """None: to be in a context counts as no use."""
    clock: Clock
    stems: StemCache
    tenants: TenantPolicies
    embedder: Embedder | None = None
    embedding_seconds: float = 5.0
    """The longest that a question waits for its vector."""
    telemetry: Telemetry = UNMEASURED

    async def for_context(
        self,
        scope: Scope,
        search_text: str,
        *,
        access: Access,
        within: UUID | None = None,
        by_words_alone: bool = False,
        has_any: bool = True,
    ) -> RelevantFacts:
        """The facts for the context of a question; failures are warnings, never errors.

        `within` leaves out what was said in other sessions than this one. Where the caller has
        seen that there are none at all, nothing is looked for.
        """
        if not has_any:
            return RelevantFacts()
        question = search_text[:MAX_QUERY_LENGTH]
        try:
            tenant = await self.tenants.of(scope)
            policy = tenant.facts
            if not policy.is_on:
                return RelevantFacts()
            is_compared = bool(policy.k) and not by_words_alone
            vector, warnings = await self._vector_of(question) if is_compared else (None, ())
            found = await self._candidates(scope, vector, policy)
            visible = [
                (fact, cosine)
                for fact, cosine in found
                if _is_of(fact, within) and access.visibility_of(fact.tables) is Visibility.ALL
            ]
            await languages_loaded()
            unread = self.stems.unread_characters(fact for fact, _ in visible)
            choose = partial(self._choose, question, visible, tenant)
            relevant = await off_loop(choose, characters=(len(question) + unread) * _SLOWNESS)
        except Exception as error:  # noqa: BLE001  # an answer without them is better than none
            logger.warning("facts.failed", extra={"facts": {"problem": type(error).__name__}})
            return RelevantFacts(warnings=(FACTS_FAILED,))
        return replace(relevant, warnings=warnings)

    def note_use(self, scope: Scope, facts: Sequence[Fact]) -> None:
        """Count an access of each of these facts, in the background."""
        if self.accesses is not None:
            self.accesses.note(scope, facts)

    async def settle(self) -> None:
        """Wait until all accesses are counted."""
        if self.accesses is not None:
            await self.accesses.settle()

    async def _vector_of(self, question: str) -> tuple[Vector | None, tuple[str, ...]]:
        if self.embedder is None:
            return None, ()
        try:
            with self.telemetry.stage(Stage.EMBED):
                async with asyncio.timeout(self.embedding_seconds):
                    return await self.embedder.embed_question(question), ()
        except (ModelUnavailable, TimeoutError) as error:
            logger.warning("facts.by_words", extra={"facts": {"problem": type(error).__name__}})
            return None, (EMBEDDER_FAILED,)

    async def _candidates(
        self, scope: Scope, vector: Vector | None, policy: FactPolicy
    ) -> Sequence[tuple[Fact, float | None]]:
        if vector is None or self.embedder is None:
            active = await self.store.active(scope)
            standing = [one.fact for one in active[:-_BY_WORDS] if is_standing(one.fact.slot)]
            newest = [one.fact for one in active[-_BY_WORDS:]]
            return [(fact, None) for fact in (*standing, *newest)]
        limit = max(_NEAREST, policy.k * _FOR_EACH, policy.standing * _FOR_EACH)
        model = self.embedder.model
        return await self.store.nearest(
            scope, vector, model=model, limit=limit, slots=STANDING_SLOTS
        )

    def _choose(
        self, question: str, found: Sequence[tuple[Fact, float | None]], tenant: TenantPolicy
    ) -> RelevantFacts:
        """Standing instructions, and what is relevant beside them."""
        standing = [fact for fact, _ in found if is_standing(fact.slot)]
        standing.sort(key=lambda fact: (fact.updated_at, fact.fact_id), reverse=True)
        candidates = [
            FactCandidate(fact=fact, stems=self.stems.of_fact(fact), cosine=cosine)
            for fact, cosine in found
            if not is_standing(fact.slot)
        ]
        stems = self.stems.of(question) if candidates else frozenset()
        now = self.clock.now()
        policy = tenant.facts
        relevant = rank(candidates, stems, policy=policy, decay=tenant.decay, now=now)
        return RelevantFacts(items=relevant, standing=tuple(standing[: policy.standing]))


def _is_of(fact: Fact, within: UUID | None) -> bool:
    """Whether a fact comes from this session, or from none at all."""
    return within is None or fact.evidence is None or fact.evidence.session_id == within
