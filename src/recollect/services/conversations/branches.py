"""Turns of clients that show a branch of their conversation and send all of it."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import Message, NewMessage
from recollect.domain.identity.scope import Scope
from recollect.domain.policy.retention import RetentionPolicies
from recollect.errors import MessageNotFound, SessionNotFound
from recollect.ports.conversations import BranchStore, Followed
from recollect.ports.runtime import Clock
from recollect.services.conversations.sessions import LastAccess
from recollect.services.conversations.turns import OpenTurn, Turns
from recollect.supervision import watch

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """Follows clients from branch to branch, and stores the replies on the right one.

    As with `Turns`, a write that has begun goes on when its caller is cancelled.
    """

    store: BranchStore
    turns: Turns
    clock: Clock
    last_access: LastAccess
    retention: RetentionPolicies = field(default_factory=RetentionPolicies)
    compaction: CompactionPolicy | None = None
    _writing: set[asyncio.Task[object]] = field(default_factory=set)

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        said: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
    ) -> Followed:
        """Make a client's list the active branch, and its last question an open turn."""
        now = self.clock.now()
        self.last_access.written(scope, session_id)
        following = self._start(
            self.store.follow(
                scope,
                session_id,
                said,
                continues=continues,
                goes_on=goes_on,
                now=now,
                expires_at=self.retention.of(scope.tenant).end_of_used(now),
                compaction=self.compaction,
            )
        )
        try:
            followed = await asyncio.shield(following)
        except asyncio.CancelledError:
            self._start(self._fail_when_stored(scope, following))
            raise
        if followed is None:
            raise SessionNotFound(session_id)
        return followed

    async def reply(self, scope: Scope, question: Message, reply: NewMessage) -> Message:
        """Store the reply to a question, in place of other replies to it."""
        now = self.clock.now()
        replying = self.store.reply(
            scope,
            question.session_id,
            question.message_id,
            reply,
            now=now,
            expires_at=self.retention.of(scope.tenant).end_of_used(now),
            compaction=self.compaction,
        )
        stored = await asyncio.shield(self._start(replying))
        if stored is None:
            raise MessageNotFound(question.message_id)
        return stored

    async def fail(self, scope: Scope, question: Message) -> None:
        """Say that a question gets no reply; it is kept. Never raises."""
        await self.turns.fail(OpenTurn(scope=scope, question=question, is_new=False))

    async def settle(self) -> None:
        """Wait until everything begun is written."""
        while self._writing:
            await asyncio.gather(*self._writing, return_exceptions=True)
        await self.turns.settle()

    async def _fail_when_stored(
        self, scope: Scope, following: "asyncio.Task[Followed | None]"
    ) -> None:
        followed = await following
        if followed is not None:
            await self.fail(scope, followed.question)

    def _start(self, work: Coroutine[object, object, Result]) -> "asyncio.Task[Result]":
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        watch(task, "branches.write")
        return task
