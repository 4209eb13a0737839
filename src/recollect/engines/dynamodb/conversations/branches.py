"""Branches and turns: which messages are active, and how far turns have come."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final, Unpack
from uuid import UUID

from recollect.domain.chat.reconciliation import Switch, plan_branch
from recollect.domain.conversation.message import Message, NewMessage, Role, refuse_doubles
from recollect.domain.conversation.session import Stored, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.append import (
    Known,
    add,
    find_known,
    store,
)
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.session_items import PENDING, pending_before
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.table.items import time_text
from recollect.engines.dynamodb.table.keys import SORT, owner_of
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.errors import ContentUnreadable, IdAlreadyUsed
from recollect.ports.conversations import Followed, StoredTurn, WriteTerms

_READ: Final = 10
"""Messages that are read at once to find the last question of the active branch."""
_ABANDONED_AT_ONCE: Final = 1000


class DynamoBranches(DynamoStore):
    """Implements `recollect.ports.conversations.BranchStore`."""

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
        **terms: Unpack[WriteTerms],
    ) -> Followed | None:
        async def attempt() -> Followed | None:
            one = await self.data.visible(scope, session_id)
            if one is None:
                await self.data.refuse_erased(scope.owner_id, session_id)
                return None
            found = await (self._last_turn(one) if continues else self.data.all_messages(one))
            failed = {turn for turn, status in one.turns.items() if status is TurnStatus.FAILED}
            stored = Stored(found, one.parents, failed=failed)
            plan = plan_branch(messages, stored, continues=continues, goes_on=goes_on)
            path, unknown = plan.branch.path, plan.branch.unknown
            before = one.last_sequence
            _switch(one, plan.switch, found, is_whole=not continues, now=terms["now"])
            joins = bool(path) and bool(unknown) and unknown[0].role is Role.ASSISTANT
            reply_to = path[-1].message_id if joins else None
            return await self._store(one, before, path, unknown, reply_to, **terms)

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def _store(
        self,
        one: Conversation,
        last_sequence: int,
        path: Sequence[Message],
        unknown: Sequence[NewMessage],
        reply_to: UUID | None,
        **terms: Unpack[WriteTerms],
    ) -> Followed:
        """Store what is new of a branch with the switch to it."""
        ids = [message.message_id for message in unknown]
        named = ids if reply_to is None else [*ids, reply_to]
        known = await find_known(self.data, one.scope, one, named)
        if any(one_id in known.messages or one_id in known.elsewhere for one_id in ids):
            raise IdAlreadyUsed(ids[-1])
        if not unknown:
            if one.last_sequence == last_sequence:
                transaction = self.table.transaction()
                await self.data.save(one, transaction)
                await self.table.write(transaction)
            return Followed(question=path[-1], before=tuple(path[:-1]))
        refuse_doubles(unknown)
        # The reply's branch is what the switch has made of it.
        known.messages.update(
            (message_id, replace(message, is_active=one.is_active(message.sequence)))
            for message_id, message in known.messages.items()
        )
        added = add(one, unknown, known, reply_to=reply_to, now=terms["now"])
        await store(self.data, one, added, known, **terms)
        return Followed(question=added[-1], before=(*path, *added[:-1]))

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        **terms: Unpack[WriteTerms],
    ) -> Message | None:
        async def attempt() -> Message | None:
            one = await self.data.visible(scope, session_id)
            if one is None:
                await self.data.refuse_erased(scope.owner_id, session_id)
                return None
            known = await find_known(self.data, scope, one, [reply.message_id, question_id])
            question = known.messages.get(question_id)
            if question is None or question.role is not Role.USER:
                return None
            return await self._reply(one, question, reply, known, **terms)

        async with self.table.alone(scope.owner_id, session_id):
            return await self.table.repeated(attempt)

    async def _reply(
        self,
        one: Conversation,
        question: Message,
        reply: NewMessage,
        known: Known,
        **terms: Unpack[WriteTerms],
    ) -> Message:
        stored = known.messages.get(reply.message_id)
        if stored is not None and stored.repeats(reply):
            return stored
        if stored is not None or reply.message_id in known.elsewhere:
            raise IdAlreadyUsed(reply.message_id)
        turn = question.turn_number
        siblings = [
            message
            for message in await self.data.of_turns(one, [turn] if turn is not None else [])
            if message.is_active and message.role is Role.ASSISTANT
        ]
        (added,) = add(one, [reply], known, reply_to=question.message_id, now=terms["now"])
        if question.is_active and siblings:
            # The turn stays on the branch with its question and the new reply.
            kept = (one.active_turn, one.session.turn_count)
            one.switch((), shown=(), hidden=siblings)
            one.active_turn, turns = kept
            one.session = replace(one.session, turn_count=turns)
        await store(self.data, one, [added], known, **terms)
        return added

    async def _last_turn(self, one: Conversation) -> list[Message]:
        """The end of the active branch, from its last question on."""
        found: list[Message] = []
        async for message in self.data.messages(one, is_descending=True, limit=_READ):
            if message.is_active and message.turn_number is not None:
                found.append(message)
                if message.role is Role.USER:
                    break
        return found[::-1]


def _switch(
    one: Conversation,
    switch: Switch,
    messages: Sequence[Message],
    *,
    is_whole: bool,
    now: datetime,
) -> None:
    one.parents |= switch.parents
    for turn in switch.answered:
        one.set_status(turn, TurnStatus.COMPLETE)
    if switch.open is not None:
        one.set_status(switch.open, TurnStatus.PENDING, since=now)
    if not (switch.shown or switch.hidden):
        return
    if is_whole:
        one.switch(messages, shown=switch.shown, hidden=switch.hidden)
        return
    # Replies of the last turn alone: the branch has the same turns as before.
    kept = (one.active_turn, one.session.turn_count)
    one.switch((), shown=switch.shown, hidden=switch.hidden)
    one.active_turn, turns = kept
    one.session = replace(one.session, turn_count=turns)


class DynamoTurns(DynamoStore):
    """Implements `recollect.ports.conversations.TurnStore`."""

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        one = await self.data.visible(scope, session_id)
        if one is None or turn_number not in one.turns:
            return None
        messages = await self.data.of_turns(one, [turn_number])
        return StoredTurn(status=one.turns[turn_number], messages=tuple(messages))

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        waiting = await self.table.waiting(
            PENDING, until=time_text(started_by), limit=_ABANDONED_AT_ONCE
        )
        failed = 0
        for key in waiting:
            session_id = UUID(str(key[SORT]).partition("#")[0])
            one = await self.sealed_data.stored(owner_of(key), session_id)
            if one is not None and pending_before(one, started_by):
                with suppress(ContentUnreadable):  # those of other owners fail all the same
                    failed += await self._fail(one, started_by)
        return failed

    async def _fail(self, one: Conversation, started_by: datetime) -> int:
        async def change(current: Conversation, _: Transaction) -> int:
            abandoned = pending_before(current, started_by)
            for turn in abandoned:
                current.set_status(turn, TurnStatus.FAILED)
            return len(abandoned)

        return await self.data.change(one.scope, one.session_id, change, sees_hidden=True) or 0
