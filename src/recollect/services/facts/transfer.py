"""Facts out of one memory and into another."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.conversation.paging import MAX_LIMIT, Order, PageRequest
from recollect.domain.facts.fact import ChangeKind, Fact, FactRecord
from recollect.domain.facts.query import FactFilter
from recollect.domain.facts.slots import has_one_value
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.facts.transfer import MAX_IMPORTED, ImportReport, exported, imported
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.privacy.masking import Masker
from recollect.domain.text import JsonObject, JsonValue
from recollect.errors import InvalidInput, VersionConflict
from recollect.ports.facts import EDITS_AT_ONCE, FactStore
from recollect.ports.runtime import Clock, Ids
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited
from recollect.services.facts.embedding import FactEmbedding
from recollect.services.facts.facts import edited
from recollect.services.facts.visibility import visible
from recollect.services.redaction import Redaction

_PAGE: Final = 200
"""Facts that an export has in memory at once."""
_EMBEDDED_AT_ONCE: Final = 100
"""Facts of an import that wait for their vectors; the worker embeds those of more.

At about five milliseconds each, ten thousand would keep a request for most of a minute.
"""
_TRIES: Final = 10
_OF_LINE: Final = 200
"""A fact or a line of history takes as long to write as this many characters."""
_ANY_STATUS: Final = FactFilter(status=None)
_REASON: Final = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTransfer(Audited):
    """Writes a user's facts as JSON, and reads them."""

    store: FactStore
    permissions: Permissions
    clock: Clock
    ids: Ids
    embedding: FactEmbedding | None
    redaction: Redaction = field(default_factory=Redaction)

    async def export(self, scope: Scope) -> AsyncGenerator[JsonObject, None]:
        """All facts with their histories, of any status, oldest first; no access of them.

        Those whose tables the user may not see now are left out.
        """
        access = await self.permissions.allowed(scope)
        async for facts in self._pages(scope):
            shown = visible(facts, access)
            if self.audit is not None:
                ids = [fact.fact_id for fact in shown]
                await self.audit.record(scope, AuditAction.FACT_EXPORTED, items=ids)
            histories = await self.store.histories(scope, [fact.fact_id for fact in shown])
            records = [
                FactRecord(fact=fact, history=histories.get(fact.fact_id, ())) for fact in shown
            ]
            for item in await _exported(records):
                yield item

    async def take_in(
        self,
        scope: Scope,
        items: Sequence[JsonValue],
        *,
        progress: Callable[[int], None] = lambda _: None,
    ) -> ImportReport:
        """Store exported facts that are not there yet; `progress` gets how many are done.

        All are read before the first is stored, then some at a time, all or none of these. What
        the user has already, active or not, stays as it is: an import that was interrupted can
        be repeated. More than a hundred are found by their words until the worker embeds them.
        """
        if len(items) > MAX_IMPORTED:
            raise InvalidInput("facts", f"must be at most {MAX_IMPORTED:,}; import some at a time")
        self.check_audit()
        masker = await self.redaction.masker(scope)
        facts = await asyncio.to_thread(self._read, items, masker)
        known = await self._known(scope)
        embedding = self.embedding if len(facts) <= _EMBEDDED_AT_ONCE else None
        added = conflicting = 0
        for start in range(0, len(facts), EDITS_AT_ONCE):
            page = facts[start : start + EDITS_AT_ONCE]
            new, refused = await self._store(scope, page, known, embedding)
            added, conflicting = added + new, conflicting + refused
            progress(min(start + EDITS_AT_ONCE, len(facts)))
        skipped = len(items) - added - conflicting
        return ImportReport(added=added, skipped=skipped, conflicting=conflicting)

    def _read(self, items: Sequence[JsonValue], masker: Masker | None) -> "list[_Given]":
        """The facts that the items stand for, those that are given twice once."""
        now = self.clock.now()
        facts: dict[tuple[str, str], _Given] = {}
        for position, item in enumerate(items):
            try:
                fact = imported(_masked(item, masker), fact_id=self.ids.new_id(), now=now)
            except InvalidInput as error:
                raise error.inside(f"facts[{position}]") from None
            given = _Given(fact.gist, fact)
            facts.setdefault((given.gist, fact.status), given)
        return list(facts.values())

    async def _store(
        self,
        scope: Scope,
        facts: "Sequence[_Given]",
        known: "_Known",
        embedding: FactEmbedding | None,
    ) -> tuple[int, int]:
        """Store some facts; how many were new, and how many conflict with another one."""
        vectors: Mapping[UUID, EmbeddedFact] | None = None
        for _ in range(_TRIES):
            new, conflicting = known.sort_out(facts)
            if not new:
                return 0, conflicting
            if vectors is None:
                vectors = await embedding.of_facts(new) if embedding else {}
            edits = [edited(fact, ChangeKind.CREATED, reason=_REASON) for fact in new]
            if await self.store.commit(scope, edits, vectors):
                known.slots |= _claimed_slots(new)
                ids = [fact.fact_id for fact in new]
                self.note(scope, AuditAction.FACT_IMPORTED, items=ids)
                return len(new), conflicting
            read = await self._known(scope)  # somebody has added one of them meanwhile
            known.gists, known.slots = read.gists, read.slots
        raise VersionConflict(expected=0, current=None)

    async def _known(self, scope: Scope) -> "_Known":
        known = _Known(gists=set(), slots=set())
        async for facts in self._pages(scope, limit=MAX_LIMIT):
            known.gists |= await asyncio.to_thread(_gists, facts)
            known.slots |= _claimed_slots(facts)
        return known

    async def _pages(
        self, scope: Scope, *, limit: int = _PAGE
    ) -> AsyncGenerator[Sequence[Fact], None]:
        cursor: str | None = None
        while True:
            page = PageRequest(limit=limit, order=Order.ASC, cursor=cursor)
            listed = await self.store.list(scope, page, filters=_ANY_STATUS)
            yield listed.items
            cursor = listed.next_cursor
            if cursor is None:
                return


class _Given(NamedTuple):
    """A fact to import with its gist, which takes a while to find out."""

    gist: str
    fact: Fact


@dataclass(slots=True, kw_only=True)
class _Known:
    """What the user has already: the words of all facts, and the slots that hold one value."""

    gists: set[str]
    slots: set[str]

    def sort_out(self, facts: Iterable[_Given]) -> tuple[list[Fact], int]:
        """The facts that are new, and how many more would be, were their slots free."""
        slots = set(self.slots)
        new: list[Fact] = []
        conflicting = 0
        for gist, fact in facts:
            if gist in self.gists:
                continue
            claimed = _claimed_slots([fact])
            if claimed & slots:
                conflicting += 1
                continue
            slots |= claimed
            new.append(fact)
        return new, conflicting


async def _exported(records: Sequence[FactRecord]) -> list[JsonObject]:
    lines = sum(1 + len(record.history) for record in records)
    return await off_loop(lambda: [*map(exported, records)], characters=_OF_LINE * lines)


def _masked(item: JsonValue, masker: Masker | None) -> JsonValue:
    """An exported fact with masks in its texts, before anything in it is refused as a secret."""
    if masker is None or not isinstance(item, Mapping):
        return item
    evidence = item.get("evidence")
    if isinstance(evidence, Mapping):
        item = {**item, "evidence": _with_mask(evidence, "quote", masker)}
    return _with_mask(item, "content", masker)


def _with_mask(item: JsonObject, name: str, masker: Masker) -> JsonObject:
    text = item.get(name)
    return {**item, name: masker.text(text)} if isinstance(text, str) else item


def _gists(facts: Iterable[Fact]) -> set[str]:
    return {fact.gist for fact in facts}


def _claimed_slots(facts: Iterable[Fact]) -> set[str]:
    """The slots of which these facts are the one active value."""
    active = (fact for fact in facts if fact.is_active)
    return {fact.slot for fact in active if fact.slot and has_one_value(fact.slot)}
