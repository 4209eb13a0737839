"""Branches of conversations in plain dictionaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.domain.chat.reconciliation import Switch, plan_branch
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.turns import Stored, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.messages import InMemoryMessages
from recollect.engines.in_memory.state import InMemoryState, StoredConversation
from recollect.errors import IdAlreadyUsed
from recollect.ports.conversations import Followed


@dataclass(frozen=True, slots=True)
class InMemoryBranches:
    """Implements `recollect.ports.conversations.BranchStore`."""

    state: InMemoryState

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        said: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
    ) -> Followed | None:
        """Make a client's list the active branch and store what is new of it."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        plan = plan_branch(said, _stored(conversation), continues=continues, goes_on=goes_on)
        if any(message.message_id in conversation.messages for message in plan.branch.unknown):
            raise IdAlreadyUsed(said[-1].message_id)
        _switch(conversation, plan.switch, now=now)
        path, unknown = plan.branch.path, plan.branch.unknown
        if not unknown:
            return Followed(question=path[-1], before=path[:-1])
        joins = bool(path) and unknown[0].role is Role.ASSISTANT
        appended = await InMemoryMessages(self.state).append(
            scope,
            session_id,
            unknown,
            reply_to=path[-1].message_id if joins else None,
            now=now,
            expires_at=expires_at,
            compaction=compaction,
        )
        added = appended.messages if appended else ()
        return Followed(question=added[-1], before=(*path, *added[:-1]))

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        *,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
    ) -> Message | None:
        """Store the reply to a question, in place of other replies."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        question = conversation.messages.get(question_id)
        if question is None or question.role is not Role.USER:
            return None
        siblings = [
            message
            for message in conversation.active
            if message.turn_number == question.turn_number and message.role is Role.ASSISTANT
        ]
        await InMemoryMessages(self.state).append(
            scope,
            session_id,
            [reply],
            reply_to=question_id,
            now=now,
            expires_at=expires_at,
            compaction=compaction,
        )
        if question.is_active:
            conversation.switch(shown=(), hidden=siblings)
        return conversation.messages[reply.message_id]


def _stored(conversation: StoredConversation) -> Stored:
    failed = {turn for turn, status in conversation.turns.items() if status is TurnStatus.FAILED}
    return Stored(conversation.messages.values(), conversation.parents, failed=failed)


def _switch(conversation: StoredConversation, switch: Switch, *, now: datetime) -> None:
    conversation.parents |= switch.parents
    for turn in switch.answered:
        conversation.turns[turn] = TurnStatus.COMPLETE
    if switch.open is not None:
        conversation.turns[switch.open] = TurnStatus.PENDING
        conversation.reopened[switch.open] = now
    conversation.switch(shown=switch.shown, hidden=switch.hidden)
