"""Managing what is known about a user by hand: none of this counts as using a fact."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.conversation.paging import DEFAULT_LIMIT, MAX_LIMIT, Page, PageRequest
from recollect.domain.facts.fact import (
    ChangeKind,
    Fact,
    FactChange,
    FactEdit,
    FactRecord,
    FactSource,
    FactStatus,
    FactType,
    Priority,
    checked_content,
)
from recollect.domain.facts.query import (
    FactFilter,
    FactSort,
    FoundFact,
    check_query,
)
from recollect.domain.facts.reading.plain.slots import keeps_slot, plain_slot
from recollect.domain.facts.reading.standing.detection import standing_slot
from recollect.domain.facts.slots import has_one_value
from recollect.domain.facts.stored import EmbeddedFact, FactStats
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Interface, Scope
from recollect.errors import FactConflict, FactNotFound, InvalidInput, VersionConflict
from recollect.ports.facts import FactStore
from recollect.ports.runtime import Clock, Ids
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited, measured
from recollect.services.facts.embedding import FactEmbedding
from recollect.services.facts.search import FactSearch
from recollect.services.facts.visibility import shown_fact, shown_record, visible
from recollect.services.redaction import Redaction

_API: Final = "api"
_TRIES: Final = 10
"""Others may change the same fact meanwhile; each try reads it again."""
_ACTIVE: Final = FactFilter()
_OF_FACT: Final = 500
"""Reading the words of a fact takes as long as working on this many characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts(Audited):
    """What can be done by hand with the facts about a user."""

    store: FactStore
    permissions: Permissions
    clock: Clock
    ids: Ids
    embedding: FactEmbedding | None
    """None: facts are stored without vectors."""
    searching: FactSearch
    redaction: Redaction = field(default_factory=Redaction)

    @audited(AuditAction.FACT_CREATED)
    async def add(
        self,
        scope: Scope,
        content: str,
        *,
        type: FactType = FactType.FACT,  # noqa: A002  # named as the field
        priority: Priority | None = None,
    ) -> Fact:
        """Store a new fact; its type says how much it matters unless `priority` does.

        A sentence that is a standing instruction is stored as one. `FactConflict` if an active fact
        says the same, or is about something else of which there is one, too: the language of
        answers, or what the sentence plainly tells, such as where the user lives.
        """
        content = await self.redaction.text(scope, content)
        now = self.clock.now()
        content = checked_content(content)
        fact = Fact(
            fact_id=self.ids.new_id(),
            type=type,
            priority=priority or type.default_priority,
            content=content,
            slot=standing_slot(content) or plain_slot(content),
            source=FactSource.API,
            created_at=now,
            updated_at=now,
            accessed_at=now,
            valid_from=now,
        )
        edit = edited(fact, ChangeKind.CREATED, scope=scope)
        vectors = await self._vectors(fact)
        for _ in range(_TRIES):
            if await self.store.commit(scope, [edit], vectors):
                return fact
            await self._check_free(scope, fact)
        raise VersionConflict(expected=0, current=None)

    @audited(AuditAction.FACT_READ)
    async def list(
        self,
        scope: Scope,
        page: PageRequest,
        *,
        filters: FactFilter = _ACTIVE,
        sort: FactSort = FactSort.CREATED,
    ) -> Page[Fact]:
        """A page of the facts that match."""
        if filters.text is not None:
            filters = replace(filters, text=await self.redaction.text(scope, filters.text))
        listed = await self.store.list(scope, page, filters=filters, sort=sort)
        access = await self.permissions.allowed(scope)
        if access.is_everything:
            return listed
        # What a text is searched in may not be told by finding it.
        items = listed.items if filters.text is None else visible(listed.items, access)
        return replace(listed, items=tuple(shown_fact(fact, access) for fact in items))

    @audited(AuditAction.FACT_READ)
    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        limit: int = DEFAULT_LIMIT,
        filters: FactFilter = _ACTIVE,
    ) -> tuple[FoundFact, ...]:
        """The active facts nearest in meaning to a query, at most `limit`, nearest first.

        Without a model, and where it does not answer, those that share words with it.
        """
        check_query(query)
        if filters.status is not FactStatus.ACTIVE:
            raise InvalidInput("status", "must be active: other facts are not searched by meaning")
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidInput("limit", f"must lie between 1 and {MAX_LIMIT}")
        redacted = await self.redaction.text(scope, query)
        results = await self.searching.nearest(scope, redacted)
        access = await self.permissions.allowed(scope)
        allowed = {fact.fact_id for fact in visible([one.fact for one in results], access)}
        matching = (one for one in results if one.fact.fact_id in allowed)
        return tuple(one for one in matching if filters.matches(one.fact))[:limit]

    @audited(AuditAction.FACT_READ)
    async def get(self, scope: Scope, fact_id: UUID) -> FactRecord:
        """A fact of any status with its history; `FactNotFound` if it is not there."""
        fact = await self._stored(scope, fact_id)
        record = FactRecord(fact=fact, history=await self.store.history(scope, fact_id))
        return shown_record(record, await self.permissions.allowed(scope))

    async def update(
        self,
        scope: Scope,
        fact_id: UUID,
        *,
        content: str | None = None,
        type: FactType | None = None,  # noqa: A002  # named as the field
        priority: Priority | None = None,
        version: int | None = None,
    ) -> Fact:
        """Change what is given of a fact, of any status; None leaves it as it is.

        `VersionConflict` unless the fact has this `version`, `FactConflict` if an active fact says
        the same.
        """
        if content is not None:
            content = checked_content(await self.redaction.text(scope, content))
        given = {"content": content, "type": type, "priority": priority}
        chosen = {name: value for name, value in given.items() if value is not None}

        def change(fact: Fact) -> FactEdit | None:
            if all(getattr(fact, name) == value for name, value in chosen.items()):
                return None
            is_same = content is None or keeps_slot(fact.slot, fact.content, content)
            slot = fact.slot if is_same else None
            slot = slot or (plain_slot(content) if content is not None else None)
            changed = fact.changed(self.clock.now(), **chosen, slot=slot)
            return edited(changed, ChangeKind.EDITED, scope=scope)

        return await self._change(scope, fact_id, change, version=version)

    async def forget(self, scope: Scope, fact_id: UUID, *, erase: bool = False) -> None:
        """Withdraw a fact, which can be restored; with `erase`, delete it with its history."""
        if erase:
            if not await self.store.delete(scope, [fact_id]):
                raise FactNotFound(fact_id)
            return

        def retract(fact: Fact) -> FactEdit | None:
            if fact.status is FactStatus.RETRACTED:
                return None
            ended = fact.ended(FactStatus.RETRACTED, self.clock.now())
            return edited(ended, ChangeKind.RETRACTED, scope=scope)

        await self._change(scope, fact_id, retract)

    async def restore(self, scope: Scope, fact_id: UUID) -> Fact:
        """Let a fact hold again, whatever ended it.

        `FactConflict`, and nothing changes, if an active fact says the same, or has taken its
        place where there is one at a time, such as the employer.
        """

        def restored(fact: Fact) -> FactEdit | None:
            if fact.is_active:
                return None
            return edited(fact.restored(self.clock.now()), ChangeKind.RESTORED, scope=scope)

        return await self._change(scope, fact_id, restored)

    @measured(AuditAction.FACTS_CLEARED)
    async def clear(self, scope: Scope) -> int:
        """Delete all facts with their history for good, and say how many there were."""
        return await self.store.delete(scope)

    @audited(AuditAction.FACT_COUNTED)
    async def stats(self, scope: Scope) -> FactStats:
        """How many facts there are, by type, priority, status and week."""
        return await self.store.stats(scope)

    @audited(AuditAction.FACT_CHANGED)
    async def _change(
        self,
        scope: Scope,
        fact_id: UUID,
        change: Callable[[Fact], FactEdit | None],
        *,
        version: int | None = None,
    ) -> Fact:
        """Store what a fact is changed to, however often others change it meanwhile."""
        for _ in range(_TRIES):
            fact = await self._stored(scope, fact_id)
            if version is not None and version != fact.version:
                raise VersionConflict(expected=version, current=fact.version)
            edit = change(fact)
            if edit is None:
                return await self._shown(scope, fact)
            is_reworded = edit.fact.content != fact.content
            vectors = await self._vectors(edit.fact) if is_reworded else {}
            if await self.store.commit(scope, [edit], vectors):
                return await self._shown(scope, edit.fact)
            await self._check_free(scope, edit.fact)
        raise VersionConflict(expected=fact.version, current=None)

    async def _stored(self, scope: Scope, fact_id: UUID) -> Fact:
        fact = await self.store.get(scope, fact_id)
        if fact is None:
            raise FactNotFound(fact_id)
        return fact

    async def _shown(self, scope: Scope, fact: Fact) -> Fact:
        return shown_fact(fact, await self.permissions.allowed(scope))

    async def _vectors(self, fact: Fact) -> Mapping[UUID, EmbeddedFact]:
        return await self.embedding.of_facts([fact]) if self.embedding else {}

    async def _check_free(self, scope: Scope, fact: Fact) -> None:
        """Refuse an active fact whose words or slot of one value another one has."""
        if not fact.is_active:
            return
        async for others in self.searching.pages(scope):
            check = partial(_check_free, fact, others)
            await off_loop(check, characters=_OF_FACT * len(others))


def _check_free(fact: Fact, others: Iterable[Fact]) -> None:
    gist = fact.gist
    for other in others:
        if other.fact_id == fact.fact_id:
            continue
        if other.gist == gist:
            raise FactConflict(other.fact_id)
        if has_one_value(fact.slot) and other.slot == fact.slot:
            raise FactConflict(other.fact_id, slot=fact.slot)


def edited(
    fact: Fact, kind: ChangeKind, *, scope: Scope | None = None, reason: str | None = None
) -> FactEdit:
    """A version of a fact that somebody made by hand, with the line of its history.

    It says whether they did so in the dashboard, by the scope, or by a program.
    """
    is_on_page = scope is not None and scope.interface is Interface.DASHBOARD
    change = FactChange(
        fact_id=fact.fact_id,
        version=fact.version,
        kind=kind,
        at=fact.updated_at,
        actor=Interface.DASHBOARD.value if is_on_page else _API,
        content=fact.content,
        status=fact.status,
        reason=reason,
    )
    return FactEdit(fact=fact, change=change)
