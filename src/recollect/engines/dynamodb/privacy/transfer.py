"""Everything of an owner, as exports read it and imports store it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from recollect.domain.conversation.message import AnswerDetails, Message
from recollect.domain.conversation.session import TurnStatus
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
from recollect.engines.dynamodb.accounts import StoredValue, put_state, read_profile
from recollect.engines.dynamodb.conversations.append import Known, find_known, store_messages
from recollect.engines.dynamodb.conversations.conversation import Conversation, new_incarnation
from recollect.engines.dynamodb.conversations.expiry import session_record, turn_record
from recollect.engines.dynamodb.conversations.ranges import Ranges
from recollect.engines.dynamodb.conversations.session_items import stored_scope
from recollect.engines.dynamodb.conversations.store import OWNERS, DynamoStore, owner_due
from recollect.engines.dynamodb.facts.owner_facts import OwnerFacts, records_at_once
from recollect.engines.dynamodb.facts.store import DynamoFacts
from recollect.engines.dynamodb.privacy.audit_chain import link_from, tenant_id
from recollect.engines.dynamodb.recall.index import DynamoRecallIndex
from recollect.engines.dynamodb.table.items import Item, json_from, json_text
from recollect.engines.dynamodb.table.keys import (
    FACTS,
    LAST,
    PROFILE,
    STATE,
    WORK_DUE,
    audit_key,
    name_of,
)
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.ports.privacy.transfer import NumberedAuditEntry, OwnerPlace


class DynamoOwners(DynamoStore):
    """Implements `recollect.ports.privacy.transfer.OwnerDirectory`: an index has all owners."""

    async def owners(
        self, *, after: OwnerPlace | None, limit: int, tenant: str | None = None
    ) -> tuple[Scope | TenantScope, ...]:
        first = None if tenant is None else f"{tenant_id(tenant)}#"
        until = None if first is None else first + LAST
        since = first if after is None else f"{owner_due(after)}\0"
        # Owners who are being erased may fill a page: then the next one counts.
        while keys := await self.table.waiting(OWNERS, since=since, until=until, limit=limit):
            items = await self.table.get_many(keys)
            there = [items[name_of(key)] for key in keys if name_of(key) in items]
            found = tuple(map(_owner_from, (one for one in there if "isBeingErased" not in one)))
            if found:
                return found
            since = str(keys[-1][WORK_DUE]) + "\0"
        return ()


def _owner_from(item: Item) -> Scope | TenantScope:
    if item["user"]:
        return stored_scope(item)
    return TenantScope(tenant=str(item["tenant"]), is_stored=True)


class DynamoExports(DynamoStore):
    """Implements `recollect.ports.privacy.transfer.ExportStore`."""

    async def sessions(self, scope: Scope, *, start: UUID, limit: int) -> tuple[SessionRecord, ...]:
        now = self.clock.now()
        found: list[SessionRecord] = []
        ids: list[UUID] = []
        async for session_id in self.data.ids_from(scope.owner_id, start, limit=limit):
            ids.append(session_id)
            if len(ids) == limit:
                found += await self._visible(scope, ids, now)
                ids = []
            if len(found) >= limit:
                break
        found += await self._visible(scope, ids, now) if ids else ()
        return tuple(found[:limit])

    async def _visible(
        self, scope: Scope, ids: Sequence[UUID], now: datetime
    ) -> list[SessionRecord]:
        conversations = await self.data.many(scope.owner_id, ids)
        visible = [one for one in conversations.values() if one.is_visible(now)]
        visible.sort(key=lambda one: one.session_id)
        return [*map(session_record, visible)]

    async def messages(
        self, scope: Scope, session_ids: Sequence[UUID], *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        found: list[MessageRecord] = []
        conversations = await self.data.many(scope.owner_id, session_ids)
        for session_id in sorted(session_ids):
            one = conversations.get(session_id)
            if one is None or not one.is_visible(self.clock.now()):
                continue
            begin = after if session_id == session_ids[0] else 0
            async for message in self.data.messages(one, after=begin, limit=limit):
                turn = turn_record(one, message.turn_number)
                found.append(MessageRecord(message=message, turn=turn))
                if len(found) == limit:
                    return tuple(found)
        return tuple(found)

    async def recall_entries(
        self, scope: Scope, *, after: MessagePlace, limit: int
    ) -> tuple[Entry, ...]:
        entries = await DynamoRecallIndex(self.table, self.clock).valid_entries(scope)
        following = [one for one in entries if (one.session_id, one.sequence) > after]
        return tuple(following[:limit])

    async def audit(
        self, scope: Scope, *, after: int, limit: int
    ) -> tuple[NumberedAuditEntry, ...]:
        found: list[NumberedAuditEntry] = []
        async for item in self.table.items(
            scope.owner_id, audit_key(after + 1), audit_key(10**12 - 1), limit=limit
        ):
            link = link_from(item)
            found.append(NumberedAuditEntry(link.number, link.entry))
            if len(found) == limit:
                break
        return tuple(found)


class DynamoImports(DynamoStore):
    """Implements `recollect.ports.privacy.transfer.ImportStore`.

    What is given is stored session by session, and facts in parts of `EDITS_AT_ONCE`. A process
    that is killed in between leaves whole parts, and the same import again goes on.
    """

    async def add_profile(
        self, scope: Scope, items: Sequence[ProfileItem], texts: Mapping[str, str]
    ) -> Outcome:
        async def attempt() -> Outcome:
            await self.data.refuse_erased(scope.owner_id)
            profile = await read_profile(self, scope.owner_id)
            new, outcome = sort_profile(
                items,
                {key: len(text.encode()) for key, text in texts.items()},
                known={key: len(one.text.encode()) for key, one in profile.values.items()},
                last_version=profile.last_version,
            )
            for item in new:
                profile.values[item.key] = StoredValue(
                    texts[item.key], item.version, item.created_at, item.updated_at
                )
                profile.last_version = max(profile.last_version, item.version)
            if new:
                transaction = self.table.transaction()
                profile.put(transaction, scope.owner_id)
                self.data.claim_owner(scope, transaction)
                await self.table.write(transaction)
            return outcome

        async with self.table.alone(scope.owner_id, PROFILE):
            return await self.table.repeated(attempt)

    async def add_state(self, scope: Scope, state: UserState) -> bool:
        await self.data.refuse_erased(scope.owner_id)
        if await self.table.get(scope.owner_id, STATE) is not None:
            return False
        transaction = self.table.transaction()
        put_state(transaction, scope, state)
        self.data.claim_owner(scope, transaction)
        await self.table.write(transaction)
        return True

    async def add_facts(self, scope: Scope, records: Sequence[FactRecord]) -> Outcome:
        facts, outcome = DynamoFacts(self.table, self.clock), Outcome()
        known: list[OwnerFacts] = []  # read once, and again where somebody else has written

        async def attempt(part: Sequence[FactRecord]) -> Outcome:
            await self.data.refuse_erased(scope.owner_id)
            owner = known.pop() if known else await facts.read(scope.owner_id)
            new, sorted_out = sort_facts(part, known=owner.facts, changes=owner.changes)
            changed = {key: EmbeddedFact(fact=record.fact) for key, record in new.items()}
            histories = {key: record.history for key, record in new.items()}
            if new:
                await facts.store(scope, owner, changed, histories)
                owner.add(changed, histories)
            known.append(owner)
            return sorted_out

        async with self.table.alone(scope.owner_id, FACTS):
            for part in records_at_once(scope.owner_id, records):
                outcome += await self.table.repeated(partial(attempt, part))
        return outcome

    async def add_sessions(self, scope: Scope, sessions: Sequence[SessionRecord]) -> Outcome:
        added = 0
        for record in sessions:
            added += await self._add_session(scope, record)
        return Outcome(added=added, known=len(sessions) - added)

    async def _add_session(self, scope: Scope, record: SessionRecord) -> bool:
        session_id = record.session.session_id

        async def attempt() -> bool:
            await self.data.refuse_erased(scope.owner_id, session_id)
            one = await self.data.stored(scope.owner_id, session_id)
            if one is not None and one.is_visible(self.clock.now()):
                return False
            if one is not None:
                await self.data.delete_expired(one, now=self.clock.now())
            transaction = self.table.transaction()
            await self.data.start(_imported(scope, record), transaction)
            await self.table.write(transaction)
            return True

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def add_messages(self, scope: Scope, messages: Sequence[MessageRecord]) -> SortedMessages:
        ids = {record.message.session_id for record in messages}
        found = await self.data.many(scope.owner_id, ids)
        now = self.clock.now()
        there = {key: one for key, one in found.items() if one.is_visible(now)}
        taken = await self._taken(scope, there, [record.message for record in messages])
        result = sort_messages(messages, sessions=there, taken=taken)
        for session_id in {record.message.session_id for record in result.new}:
            own = [one for one in result.new if one.message.session_id == session_id]
            await self._add_messages(scope, session_id, own)
        return result

    async def _taken(
        self, scope: Scope, there: Mapping[UUID, Conversation], messages: Sequence[Message]
    ) -> list[TakenPlace]:
        """Which of the places and ids of messages are taken."""
        known = await find_known(self.data, scope, None, [one.message_id for one in messages])
        taken = [
            TakenPlace(message_id, _place_in(known.pointers[message_id]))
            for message_id in known.elsewhere
        ]
        for session_id, one in there.items():
            numbers = [m.sequence for m in messages if m.session_id == session_id]
            first, last = min(numbers), max(numbers)
            taken += [
                TakenPlace(message.message_id, place_of(message))
                async for message in self.data.messages(one, after=first - 1, through=last)
            ]
        return taken

    async def _add_messages(
        self, scope: Scope, session_id: UUID, records: Sequence[MessageRecord]
    ) -> None:
        async def change(one: Conversation, transaction: Transaction) -> bool:
            own = [_stored(record.message) for record in records]
            known = await find_known(self.data, scope, one, [m.message_id for m in own])
            turns = {m.turn_number for m in own if m.turn_number is not None and m.is_active}
            begun = await self._active_turns(one, turns)
            _place(one, records)
            _count(one, turns, begun)
            pointers = Known(messages={}, elsewhere=frozenset(), pointers=known.pointers)
            await store_messages(self.data, one, own, pointers, transaction)
            return True

        await self.data.change(scope, session_id, change)

    async def _active_turns(self, one: Conversation, turns: Collection[int]) -> set[int]:
        """Which of these turns have messages on the active branch already."""
        there = [turn for turn in turns if turn in one.turn_starts]
        messages = await self.data.of_turns(one, there) if there else []
        active = (message for message in messages if one.is_active(message.sequence))
        return {message.turn_number for message in active if message.turn_number is not None}


def _count(one: Conversation, turns: Collection[int], begun: Collection[int]) -> None:
    """Count messages that are placed, of turns some of which had begun before."""
    one.active_turn = max([one.active_turn or 0, *turns]) or None
    one.session = replace(
        one.session,
        message_count=one.count_active(),
        turn_count=one.session.turn_count + len({*turns} - {*begun}),
    )


def _place_in(pointer: Item) -> MessagePlace:
    """Where the item of an id says that its message is."""
    sequence = int(str(pointer["place"]).rpartition("#")[2])
    return MessagePlace(UUID(str(pointer["sessionId"])), sequence)


def _imported(scope: Scope, record: SessionRecord) -> Conversation:
    """A session whose messages are still to come: all its numbers are without one."""
    return Conversation(
        scope=scope,
        session=record.session,
        incarnation=new_incarnation(),
        last_sequence=record.last_sequence,
        last_turn=record.last_turn,
        deleted=Ranges([(1, record.last_sequence)]),
        summary=record.summary,
    )


def _place(one: Conversation, records: Iterable[MessageRecord]) -> None:
    """Put messages at their numbers, and the turns that they tell of."""
    turns: dict[int, TurnRecord] = {}
    newest = max(one.turn_starts.values(), default=0)
    for record in records:
        message = record.message
        if message.sequence > one.last_sequence:
            one.deleted |= Ranges([(one.last_sequence + 1, message.sequence)])
            one.last_sequence = message.sequence
        one.deleted -= Ranges.of([message.sequence])
        if not message.is_active:
            one.inactive |= Ranges.of([message.sequence])
        if record.turn is not None:
            number = record.turn.number
            turns.setdefault(number, record.turn)
            # What follows in the newest turn needs no place; to look for one takes all turns.
            if one.turn_starts.get(number) != newest or message.sequence < newest:
                one.place(number, message.sequence)
                newest = max(newest, one.turn_starts[number])
    for turn in turns.values():
        _add_turn(one, turn)


def _add_turn(one: Conversation, turn: TurnRecord) -> None:
    is_new = turn.number not in one.turns
    is_learnt = turn.is_learnt and (is_new or one.is_learnt(turn.number))
    if is_new:
        one.turns[turn.number] = turn.status
        one.last_turn = max(one.last_turn, turn.number)
        if turn.follows is not None:
            one.parents[turn.number] = turn.follows
        if turn.status is TurnStatus.PENDING:
            one.pending_since[turn.number] = one.session.updated_at
    one.due[turn.number] = one.next_change
    if is_learnt:
        one.learnt[turn.number] = one.next_change


def _stored(message: Message) -> Message:
    details = AnswerDetails.stored(json_from(json_text(message.details.to_json())))
    return replace(message, metadata=json_from(json_text(message.metadata)), details=details)
