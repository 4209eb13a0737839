"""Everything of an owner in memory, as exports read it and imports store it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from uuid import UUID

from recollect.domain.conversation.message import AnswerDetails, Message
from recollect.domain.facts.fact import FactRecord
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Entry
from recollect.domain.transfer.document import Outcome
from recollect.domain.transfer.merging import (
    SortedMessages,
    TakenPlace,
    sort_facts,
    sort_messages,
    sort_profile,
)
from recollect.domain.transfer.records import (
    MessagePlace,
    MessageRecord,
    SessionRecord,
    TurnRecord,
    place_of,
)
from recollect.engines.in_memory.data import (
    InMemoryStore,
    OwnerMemory,
    StoredValue,
    copy_object,
)
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.ports.privacy.transfer import NumberedAuditEntry, OwnerPlace


class InMemoryOwners(InMemoryStore):
    """Implements `recollect.ports.privacy.transfer.OwnerDirectory`."""

    async def owners(
        self, *, after: OwnerPlace | None, limit: int, tenant: str | None = None
    ) -> tuple[Scope | TenantScope, ...]:
        users = (one for one in self.data.known_owners() if not self._is_being_erased(one))
        tenants = (TenantScope(tenant=name, is_stored=True) for name in self.data.known_tenants())
        everybody: list[Scope | TenantScope] = [*users, *tenants]
        chosen = [one for one in everybody if tenant in {None, one.tenant}]
        chosen.sort(key=_order)
        return tuple(
            [one for one in chosen if after is None or _order(one) > _order(after)][:limit]
        )

    def _is_being_erased(self, scope: Scope) -> bool:
        return self.data.of(scope.owner_id).is_being_erased()


def _order(owner: OwnerPlace) -> tuple[str, UUID]:
    return owner.tenant, owner.owner_id


class InMemoryExports(InMemoryStore):
    """Implements `recollect.ports.privacy.transfer.ExportStore`."""

    async def sessions(self, scope: Scope, *, start: UUID, limit: int) -> tuple[SessionRecord, ...]:
        following = (one for one in self._conversations(scope) if one.session.session_id >= start)
        return tuple(session_record(one) for one in islice(following, limit))

    async def messages(
        self, scope: Scope, session_ids: Sequence[UUID], *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        following = (
            MessageRecord(message=message, turn=turn_of(conversation, message))
            for conversation in self._conversations(scope)
            if conversation.session.session_id in session_ids
            for message in conversation.messages.values()
            if place_of(message) > (session_ids[0], after)
        )
        return tuple(islice(following, limit))

    async def recall_entries(
        self, scope: Scope, *, after: MessagePlace, limit: int
    ) -> tuple[Entry, ...]:
        following = (
            one.entry
            for conversation in self._conversations(scope)
            for one in conversation.entries.values()
            if (one.entry.session_id, one.entry.sequence) > after
        )
        return tuple(islice(following, limit))

    async def audit(
        self, scope: Scope, *, after: int, limit: int
    ) -> tuple[NumberedAuditEntry, ...]:
        stored = self.data.of(scope.owner_id).audit
        links = (link for link in (stored.links if stored else ()) if link.number > after)
        return tuple(NumberedAuditEntry(link.number, link.entry) for link in islice(links, limit))

    def _conversations(self, scope: Scope) -> list[StoredConversation]:
        return sorted(self.data.conversations(scope), key=lambda one: one.session.session_id)


def session_record(conversation: StoredConversation) -> SessionRecord:
    """Return everything that is stored of a session beside its messages."""
    return SessionRecord(
        session=conversation.session,
        last_sequence=conversation.last_sequence,
        last_turn=conversation.last_turn,
        summary=conversation.summary,
    )


def turn_of(conversation: StoredConversation, message: Message) -> TurnRecord | None:
    """Return the turn of a message, if it belongs to one."""
    number = message.turn_number
    if number is None:
        return None
    return TurnRecord(
        number=number,
        status=conversation.turns[number],
        follows=conversation.parents.get(number),
        is_learnt=conversation.is_learnt(number),
    )


class InMemoryImports(InMemoryStore):
    """Implements `recollect.ports.privacy.transfer.ImportStore`."""

    async def add_profile(
        self, scope: Scope, items: Sequence[ProfileItem], texts: Mapping[str, str]
    ) -> Outcome:
        profile = self.data.claimed_by(scope).profile
        new, outcome = sort_profile(
            items,
            {key: len(text.encode()) for key, text in texts.items()},
            known={key: len(value.text.encode()) for key, value in profile.values.items()},
            last_version=profile.last_version,
        )
        for item in new:
            profile.values[item.key] = StoredValue(
                text=texts[item.key],
                version=item.version,
                created_at=item.created_at,
                updated_at=item.updated_at,
            )
            profile.last_version = max(profile.last_version, item.version)
        return outcome

    async def add_state(self, scope: Scope, state: UserState) -> bool:
        owner = self.data.claimed_by(scope)
        if owner.user_state is not None:
            return False
        owner.user_state = state
        return True

    async def add_facts(self, scope: Scope, records: Sequence[FactRecord]) -> Outcome:
        owner = self.data.claimed_by(scope)
        new, outcome = sort_facts(records, known=owner.facts, changes=owner.fact_changes)
        added = {key: EmbeddedFact(fact=record.fact) for key, record in new.items()}
        changes = (change for record in new.values() for change in record.history)
        owner.facts = owner.facts | added
        owner.fact_changes = [*owner.fact_changes, *changes]
        return outcome

    async def add_sessions(self, scope: Scope, sessions: Sequence[SessionRecord]) -> Outcome:
        added = [record for record in sessions if self._add_session(scope, record)]
        return Outcome(added=len(added), known=len(sessions) - len(added))

    def _add_session(self, scope: Scope, record: SessionRecord) -> bool:
        session_id = record.session.session_id
        owner = self.data.written_by(scope.owner_id, session_id)
        if self.data.conversation(scope, session_id) is not None:
            return False
        if session_id in owner.conversations:
            self.data.delete_expired(scope.owner_id, session_id, now=self.data.now())
        metadata = copy_object(record.session.metadata)
        owner.conversations[session_id] = StoredConversation(
            session=replace(record.session, metadata=metadata),
            last_sequence=record.last_sequence,
            last_turn=record.last_turn,
            summary=record.summary,
        )
        owner.known_as = scope
        return True

    async def add_messages(self, scope: Scope, messages: Sequence[MessageRecord]) -> SortedMessages:
        owner = self.data.of(scope.owner_id)
        given = {record.message.session_id for record in messages}
        there = {one.session.session_id for one in self.data.conversations(scope)} & given
        result = sort_messages(messages, sessions=there, taken=_taken(owner))
        for session_id in {record.message.session_id for record in result.new}:
            own = [record for record in result.new if record.message.session_id == session_id]
            _add_messages(owner.conversations[session_id], own)
        return result


def _taken(owner: OwnerMemory) -> Iterator[TakenPlace]:
    for conversation in owner.conversations.values():
        for message in conversation.messages.values():
            yield TakenPlace(message.message_id, place_of(message))


def _add_messages(conversation: StoredConversation, records: Iterable[MessageRecord]) -> None:
    messages = dict(conversation.messages)
    turns: dict[int, TurnRecord] = {}
    for record in records:
        messages[record.message.message_id] = _stored(record.message)
        conversation.last_sequence = max(conversation.last_sequence, record.message.sequence)
        if record.turn is not None:
            turns.setdefault(record.turn.number, record.turn)
    in_order = sorted(messages.values(), key=lambda message: message.sequence)
    conversation.messages = {message.message_id: message for message in in_order}
    for turn in turns.values():
        _add_turn(conversation, turn)
    conversation.recount()


def _add_turn(conversation: StoredConversation, turn: TurnRecord) -> None:
    is_new = turn.number not in conversation.turns
    is_learnt = turn.is_learnt and (is_new or conversation.is_learnt(turn.number))
    if is_new:
        conversation.turns[turn.number] = turn.status
        conversation.last_turn = max(conversation.last_turn, turn.number)
        if turn.follows is not None:
            conversation.parents[turn.number] = turn.follows
    conversation.change(turn.number)
    if is_learnt:
        conversation.learnt[turn.number] = conversation.changes


def _stored(message: Message) -> Message:
    details = AnswerDetails.stored(copy_object(message.details.to_json()))
    return replace(message, metadata=copy_object(message.metadata), details=details)
