"""Erasures in memory: what is requested is gone at once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.erasure.erasure import (
    DATABASE,
    Counts,
    Erasure,
    ErasureKind,
    ErasureRequest,
    ErasureState,
)
from recollect.domain.erasure.phrases import phrases_of
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.engines.in_memory.data import InMemoryData, InMemoryStore, OwnerMemory
from recollect.ports.privacy.erasure import ErasureStores, RecentErasure, TenantProgress


def in_memory_erasure_stores(data: InMemoryData) -> ErasureStores:
    """All that erasures need."""
    return ErasureStores(
        erasures=InMemoryErasures(data),
        database=InMemoryErasable(data),
        tenants=InMemoryTenantErasures(data),
        phrases=InMemoryErasedPhrases(data),
        receipt_keys=InMemoryReceiptKeys(data),
    )


class InMemoryErasures(InMemoryStore):
    """Implements `recollect.ports.privacy.erasure.ErasureStore`."""

    async def begin(self, scope: Scope | TenantScope, erasure: Erasure) -> Erasure | None:
        request, owner = erasure.request, self.data.of(scope.owner_id)
        for under_way in owner.erasures.values():
            if under_way.request == request and not under_way.is_done:
                return under_way
        owner = self.data.written_by(scope.owner_id)
        session_id = request.session_id
        is_there = session_id is None or (
            isinstance(scope, Scope) and self.data.conversation(scope, session_id) is not None
        )
        if not is_there:
            return None
        expected = sum(request.has_message(one) for one in _messages(owner))
        erasure = replace(erasure, expected=expected)
        counts = {DATABASE: _erase(self.data, owner, erasure)}
        owner = self.data.of(scope.owner_id)
        owner.erasures[erasure.erasure_id] = replace(erasure, counts=counts)
        return owner.erasures[erasure.erasure_id]

    async def get(self, owner_id: UUID, erasure_id: UUID) -> Erasure | None:
        return self.data.of(owner_id).erasures.get(erasure_id)

    async def due(
        self,
        *,
        now: datetime,  # noqa: ARG002  # none waits here
        limit: int,
        part_of: UUID | None = None,
        tenant: str | None = None,
    ) -> tuple[Erasure, ...]:
        due = [
            one
            for one in self.data.erasures()
            if not one.is_done and part_of in {None, one.part_of} and tenant in {None, one.tenant}
        ]
        return tuple(due[:limit])

    async def count(self, erasure: Erasure, place: str, counts: Counts) -> None:
        erasures = self.data.of(erasure.owner_id).erasures
        known = erasures[erasure.erasure_id]
        added = dict(Counter(known.counts.get(place, {})) + Counter(counts))
        erasures[erasure.erasure_id] = replace(known, counts={**known.counts, place: added})

    async def postpone(
        self,
        erasure: Erasure,
        *,
        until: datetime,  # noqa: ARG002  # none waits here
        waits_for: str | None,
    ) -> None:
        erasures = self.data.of(erasure.owner_id).erasures
        known = erasures[erasure.erasure_id]
        erasures[erasure.erasure_id] = replace(known, waits_for=waits_for)

    async def finish(self, erasure: Erasure, receipt: JsonObject, *, now: datetime) -> bool:
        owner = self.data.of(erasure.owner_id)
        known = owner.erasures[erasure.erasure_id]
        if known.is_done:
            return True
        if any(_left(self.data, known).values()):
            return False
        done = replace(known, state=ErasureState.DONE, receipt=receipt, waits_for=None)
        owner.erasures[erasure.erasure_id] = done
        self.data.append_audit(known.audit_entry(at=now))
        return True

    async def forget_store(self, kept_in: str) -> int:  # noqa: ARG002  # there is none
        return 0

    async def lately(self, *, since: datetime) -> tuple[RecentErasure, ...]:
        return tuple(
            RecentErasure(one.erasure_id, one.owner_id, one.requested_at)
            for one in self.data.erasures()
            if one.requested_at >= since
        )


class InMemoryErasable(InMemoryStore):
    """Implements `recollect.ports.privacy.erasure.Erasable`: nothing is left to erase."""

    @property
    def name(self) -> str:
        return DATABASE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:  # noqa: ARG002  # done at once
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        return _left(self.data, erasure)


class InMemoryTenantErasures(InMemoryStore):
    """Implements `recollect.ports.privacy.erasure.TenantErasures`."""

    async def users(self, erasure: Erasure, *, after: UUID | None, limit: int) -> tuple[Scope, ...]:
        users = sorted(self._users(erasure), key=lambda scope: scope.owner_id)
        return tuple(one for one in users if after is None or one.owner_id > after)[:limit]

    async def progress(self, erasure: Erasure) -> TenantProgress:
        parts = [one for one in self.data.erasures() if one.part_of == erasure.erasure_id]
        counts: dict[str, Counter[str]] = {}
        for part in parts:
            for place, erased in part.counts.items():
                counts[place] = counts.get(place, Counter()) + Counter(erased)
        done = [part for part in parts if part.is_done]
        others = [
            one
            for one in self.data.erasures()
            if one.tenant == erasure.tenant
            and one.request.kind is ErasureKind.EVERYTHING
            and one.part_of != erasure.erasure_id
            and not one.is_done
        ]
        return TenantProgress(
            parts=len(parts),
            done=len(done),
            left=len(parts) - len(done) + len(self._users(erasure)) + len(others),
            expected=sum(part.expected for part in parts),
            sampled=0,
            counts=counts,
        )

    def _users(self, erasure: Erasure) -> list[Scope]:
        begun = {one.owner_id for one in self.data.erasures() if one.part_of == erasure.erasure_id}
        return [
            scope
            for scope in self.data.known_owners()
            if TenantScope(tenant=scope.tenant).owner_id == erasure.owner_id
            and scope.owner_id not in begun
        ]


class InMemoryErasedPhrases(InMemoryStore):
    """Implements `recollect.ports.privacy.erasure.ErasedPhrases`: all has gone before."""

    async def sample(self, erasure: Erasure, *, limit: int) -> tuple[str, ...]:
        messages = _messages(self.data.of(erasure.owner_id))
        texts = [one.content for one in messages if erasure.request.has_message(one)]
        return phrases_of(texts)[:limit]

    async def found(self, erasure: Erasure, phrases: Sequence[str]) -> int:
        texts = [one.content for one in _messages(self.data.of(erasure.owner_id))]
        return sum(any(phrase in text for text in texts) for phrase in phrases)


class InMemoryReceiptKeys(InMemoryStore):
    """Implements `recollect.ports.privacy.erasure.ReceiptKeys`."""

    async def key(self, new: bytes, *, now: datetime) -> bytes:  # noqa: ARG002  # the port's
        if self.data.receipt_key is None:
            self.data.receipt_key = new
        return self.data.receipt_key


def _messages(owner: OwnerMemory) -> Iterator[Message]:
    for conversation in owner.conversations.values():
        yield from conversation.messages.values()


def _erase(data: InMemoryData, owner: OwnerMemory, erasure: Erasure) -> dict[str, int]:
    """Erase what is requested, and count it by what the tables of a database would be."""
    before = _sizes(owner)
    request, owner_id = erasure.request, erasure.owner_id
    match request.kind:
        case ErasureKind.EVERYTHING:
            kept = OwnerMemory(audit=owner.audit, erasures=owner.erasures, archives=owner.archives)
            data.replace(owner_id, kept)
            data.jobs = {key: job for key, job in data.jobs.items() if key[0] != owner_id}
        case ErasureKind.SESSION | ErasureKind.BEFORE:
            _erase_part(owner, request)
        case ErasureKind.TENANT:
            pass
    return dict(before - _sizes(data.of(owner_id)))


def _erase_part(owner: OwnerMemory, request: ErasureRequest) -> None:
    gone = {one.message_id for one in _messages(owner) if request.has_message(one)}
    facts = {one.fact_id for one in owner.fact_changes if one.message_id in gone}
    for fact_id, known in owner.facts.items():
        evidence, before = known.fact.evidence, request.before
        is_cited = evidence is not None and (
            evidence.message_id in gone or evidence.session_id == request.session_id
        )
        if is_cited or (before is not None and known.fact.created_at < before):
            facts.add(fact_id)
    owner.facts = {key: one for key, one in owner.facts.items() if key not in facts}
    owner.fact_changes = [one for one in owner.fact_changes if one.fact_id not in facts]
    for session_id, conversation in list(owner.conversations.items()):
        conversation.remove(
            [one for one in conversation.messages.values() if one.message_id in gone]
        )
        created, before = conversation.session.created_at, request.before
        is_old = before is not None and created < before and not conversation.messages
        if session_id == request.session_id or is_old:
            del owner.conversations[session_id]
    if request.before is not None:
        values = owner.profile.values
        owner.profile.values = {
            key: one for key, one in values.items() if one.updated_at >= request.before
        }
        state = owner.user_state
        if state is not None and state.updated_at < request.before:
            owner.user_state = None


def _left(data: InMemoryData, erasure: Erasure) -> dict[str, int]:
    owner, request = data.of(erasure.owner_id), erasure.request
    match request.kind:
        case ErasureKind.TENANT:
            return {}
        case ErasureKind.EVERYTHING:
            return dict(_sizes(owner))
        case _:
            left = sum(request.has_message(one) for one in _messages(owner))
            is_there = request.session_id in owner.conversations
            return {"messages": left, "sessions": int(is_there)}


def _sizes(owner: OwnerMemory) -> Counter[str]:
    conversations = owner.conversations.values()
    return Counter(
        sessions=len(conversations),
        messages=sum(len(one.messages) for one in conversations),
        turns=sum(len(one.turns) for one in conversations),
        summaries=sum(one.summary is not None for one in conversations),
        recall_entries=sum(len(one.entries) for one in conversations),
        facts=len(owner.facts),
        fact_changes=len(owner.fact_changes),
        profile_values=len(owner.profile.values),
        states=int(owner.user_state is not None),
        archive_notes=len(owner.archives),
    )
