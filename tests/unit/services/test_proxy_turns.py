"""What becomes of the turn when the proxy cannot store its reply."""

from dataclasses import dataclass, replace
from typing import Any

from recollect.composition import build_services
from recollect.domain.chat.requests import ChatRequest, ClientIds, CompletionCall
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import TurnStatus
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports.conversations import BranchStore, Followed
from recollect.services.chat.degradation import REPLY_NOT_STORED
from recollect.services.services import ServiceDependencies
from recollect.testing import CountingIds, FixedClock
from support.chat_services import SCOPE
from support.scripted_answerer import ScriptedAnswerer


@dataclass(frozen=True)
class WithoutReplies:
    """Branches of a database that goes away after the question is stored."""

    inner: BranchStore

    async def follow(self, *given: Any, **named: Any) -> Followed | None:  # noqa: ANN401  # the port's
        return await self.inner.follow(*given, **named)

    async def reply(self, *_: Any, **__: Any) -> Message | None:  # noqa: ANN401  # the port's
        raise DatabaseUnavailable("away")


async def test_a_reply_that_cannot_be_stored_fails_its_turn_and_is_passed_on() -> None:
    clock = FixedClock()
    stores = in_memory_stores(clock)
    services = build_services(
        replace(stores, branches=WithoutReplies(stores.branches)),
        ServiceDependencies(
            clock=clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            answerer=ScriptedAnswerer(),
        ),
    )
    request = ChatRequest.of({"messages": [{"role": "user", "content": "Hello?"}]})
    call = CompletionCall(request=request, ids=ClientIds(session="chat-1"))

    reply = await services.proxy.begin(SCOPE, call, b"")
    body = await reply.whole()
    await reply.aclose()

    assert b"chat.completion" in body
    assert reply.attempts.warnings == (REPLY_NOT_STORED,)
    assert reply.session_id is not None
    status = await services.messages.turn_status(SCOPE, reply.session_id, 1)
    assert status is TurnStatus.FAILED
