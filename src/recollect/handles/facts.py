"""Handle of the library: the facts about one user."""

from collections.abc import AsyncGenerator, Iterable
from typing import Unpack
from uuid import UUID

from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order, Page, PageRequest
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.facts.fact import Fact, FactRecord, FactType, Priority
from recollect.domain.facts.query import FactSort, FoundFact
from recollect.domain.facts.stored import FactStats
from recollect.domain.facts.transfer import ImportReport
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject, parse_choice
from recollect.inputs import FactFilters, fact_filter
from recollect.services.services import Services


class Facts:
    """What is known about one user, across all conversations. Get it from `Memory.facts`.

    Nothing here counts as using a fact: what is only listed fades all the same.
    """

    def __init__(self, services: Services, scope: Scope) -> None:
        self._facts = services.facts
        self._transfer = services.fact_transfer
        self._scope = scope

    async def add(
        self, content: str, *, type: str = FactType.FACT, priority: str | None = None
    ) -> Fact:
        """Store a fact, one sentence that can be understood alone.

        The type is fact, preference, context, procedure, entity or relationship; the priority
        critical, high, medium or low, by default that of the type. `FactConflict` if an active
        fact says the same, or tells the user's home or another thing of which there is one, too.
        """
        return await self._facts.add(
            self._scope,
            content,
            type=parse_choice(FactType, type, "type"),
            priority=None if priority is None else parse_choice(Priority, priority, "priority"),
        )

    async def list(
        self,
        *,
        sort: str = FactSort.CREATED,
        order: str = Order.DESC,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        offset: int = 0,
        **filters: Unpack[FactFilters],
    ) -> Page[Fact]:
        """List facts in pages, by default the active ones, the newest first.

        The sort is created, updated, last_accessed or priority.
        """
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        return await self._facts.list(
            self._scope, page, filters=fact_filter(filters), sort=FactSort.parse(sort)
        )

    async def search(
        self, query: str, *, limit: int = DEFAULT_LIMIT, **filters: Unpack[FactFilters]
    ) -> tuple[FoundFact, ...]:
        """Find active facts by meaning, the nearest first; by their words without a model."""
        return await self._facts.search(
            self._scope, query, limit=limit, filters=fact_filter(filters)
        )

    async def get(self, fact_id: UUID | str) -> FactRecord:
        """A fact of any status with its history; `NotFound` if it is not there."""
        return await self._facts.get(self._scope, _id(fact_id))

    async def update(
        self,
        fact_id: UUID | str,
        *,
        content: str | None = None,
        type: str | None = None,
        priority: str | None = None,
        version: int | None = None,
    ) -> Fact:
        """Change what is given of a fact; with `version` only if it has that version.

        `VersionConflict` if it has another one, `FactConflict` if an active fact says the same.
        """
        return await self._facts.update(
            self._scope,
            _id(fact_id),
            content=content,
            type=None if type is None else parse_choice(FactType, type, "type"),
            priority=None if priority is None else parse_choice(Priority, priority, "priority"),
            version=version,
        )

    async def forget(self, fact_id: UUID | str, *, erase: bool = False) -> None:
        """Withdraw a fact, which `restore` can bring back; with `erase`, delete it for good."""
        await self._facts.forget(self._scope, _id(fact_id), erase=erase)

    async def restore(self, fact_id: UUID | str) -> Fact:
        """Let a fact hold again that was withdrawn, replaced or has faded.

        `FactConflict` if an active fact says the same or has taken its place.
        """
        return await self._facts.restore(self._scope, _id(fact_id))

    async def export(self) -> AsyncGenerator[JsonObject, None]:
        """All facts of any status with their history, one by one as JSON, oldest first."""
        async for item in self._transfer.export(self._scope):
            yield item

    async def import_(self, facts: Iterable[JsonObject]) -> ImportReport:
        """Store exported facts, at most 10,000; what is there already is skipped.

        Only `content` is required of each. All are checked before the first is stored.
        """
        return await self._transfer.take_in(self._scope, list(facts))

    async def stats(self) -> FactStats:
        """How many facts there are, by type, priority, status and week."""
        return await self._facts.stats(self._scope)

    async def clear(self) -> int:
        """Delete all facts with their history for good, and say how many there were."""
        return await self._facts.clear(self._scope)


def _id(fact_id: UUID | str) -> UUID:
    return parse_uuid(str(fact_id), "fact_id")
