"""Branches and turns in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Unpack
from uuid import UUID

from asyncpg import UniqueViolationError

from recollect.domain.chat.reconciliation import Switch, plan_branch
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.session import Stored, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import PostgresStore, Transaction
from recollect.engines.postgres.conversations.append import Target, append_within, switch_messages
from recollect.engines.postgres.conversations.messages import lock_sessions
from recollect.engines.postgres.rows import read_messages
from recollect.errors import IdAlreadyUsed
from recollect.ports.conversations import Followed, StoredTurn, WriteTerms

_LAST_TURN: Final = 2  # messages, which tell whether the last question has a reply


class PostgresBranchStore(PostgresStore):
    """Marks messages as active or not, and turns with what they follow."""

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
        read_at = self._clock.now()
        target = Target(scope=scope, session_id=session_id, read_at=read_at, **terms)
        async with self._database.transaction(scope.owner_id) as transaction:
            if not await lock_sessions(transaction, session_id, now=target.read_at):
                await transaction.refuse_erased(session_id)
                return None
            stored = await _read(transaction, session_id, continues=continues)
            plan = plan_branch(messages, stored, continues=continues, goes_on=goes_on)
            await _switch(transaction, session_id, plan.switch, now=target.now)
            path, unknown = plan.branch.path, plan.branch.unknown
            if not unknown:
                return Followed(question=path[-1], before=path[:-1])
            joins = bool(path) and unknown[0].role is Role.ASSISTANT
            reply_to = path[-1].message_id if joins else None
            try:
                added = await append_within(transaction, target, unknown, reply_to=reply_to)
            except UniqueViolationError:
                raise IdAlreadyUsed(messages[-1].message_id) from None
        return Followed(question=added[-1], before=(*path, *added[:-1]))

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        **terms: Unpack[WriteTerms],
    ) -> Message | None:
        read_at = self._clock.now()
        target = Target(scope=scope, session_id=session_id, read_at=read_at, **terms)
        async with self._database.transaction(scope.owner_id) as transaction:
            if not await lock_sessions(transaction, session_id, now=target.read_at):
                await transaction.refuse_erased(session_id)
                return None
            questions = await transaction.rows(
                "siblings_of_reply", session_id=session_id, question_id=question_id
            )
            if not questions:
                return None
            (added,) = await append_within(transaction, target, [reply], reply_to=question_id)
            replaced, first = questions[0]["replies"], questions[0]["sequence"]
            if added.is_active and replaced:
                await switch_messages(transaction, session_id, hidden=replaced, first=first)
        return added


async def _read(transaction: Transaction, session_id: UUID, *, continues: bool) -> Stored:
    limit = _LAST_TURN if continues else None
    rows = await transaction.rows(
        "branch_messages", session_id=session_id, only_active=continues, limit=limit
    )
    turns = await transaction.rows("branch_turns", session_id=session_id)
    parents = {turn["turn_number"]: turn["parent_sequence"] for turn in turns}
    return Stored(
        await read_messages(rows),
        {turn: parent for turn, parent in parents.items() if parent is not None},
        failed={turn["turn_number"] for turn in turns if turn["status"] == TurnStatus.FAILED},
    )


async def _switch(
    transaction: Transaction, session_id: UUID, switch: Switch, *, now: datetime
) -> None:
    session: dict[str, object] = {"session_id": session_id}
    if switch.parents:
        turns, parents = [*switch.parents], [*switch.parents.values()]
        await transaction.rows(
            "write_parents", **session, turn_numbers=turns, parent_sequences=parents
        )
    if switch.answered or switch.open is not None:
        settled = {"answered_turns": switch.answered, "open_turn": switch.open}
        await transaction.rows("settle_turns", **session, **settled, now=now)
    if switch.first_changed is not None:
        await switch_messages(
            transaction,
            session_id,
            shown=[message.message_id for message in switch.shown],
            hidden=[message.message_id for message in switch.hidden],
            first=switch.first_changed,
        )


class PostgresTurnStore(PostgresStore):
    """Reads the table `turns` and the messages that belong to it."""

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        session = self._session(scope, session_id)
        rows = await self._database.run("get_turn", **session, turn_number=turn_number)
        if not rows:
            return None
        return StoredTurn(status=TurnStatus(rows[0]["status"]), messages=await read_messages(rows))

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        now = self._clock.now()
        return await self._database.count("fail_abandoned", at=now, started_by=started_by)
