"""The last ten messages, no more, no fewer, in order, however long the session is."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from integration.session_memory.talk import policies_of, services_on, spoken, started
from recollect.domain.conversation.message import NewMessage
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidInput
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.ports import Stores
from recollect.services.services import Services
from recollect.settings import load_settings
from support.http.callers import Caller
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

SIZES = [0, 1, 9, 10, 11, 100, 10_000]


@pytest.fixture(scope="module")
def chat(stores: Stores) -> Services:
    """A server of the preset chat."""
    return services_on(stores, policies_of("chat"))


@pytest_asyncio.fixture
async def caller(chat: Services, scope: Scope) -> AsyncIterator[Caller]:
    """The local user of that server, who is the owner of the test."""
    settings = load_settings(preset="chat", tenant=scope.tenant, local_user=scope.user)
    async with (
        serving(create_app(Memory(chat), settings)) as url,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        yield Caller(client=client, url=url)


@pytest.mark.parametrize("size", SIZES)
async def test_a_context_has_exactly_the_last_ten_messages_in_order(
    chat: Services, caller: Caller, scope: Scope, size: int
) -> None:
    session_id = await started(chat, scope)
    messages: list[NewMessage] = spoken(size)
    for start in range(0, size, 1000):
        await chat.messages.append(scope, session_id, messages[start : start + 1000])

    context = await chat.contexts.build(scope, session_id, "What is the capital of France?")
    served = await caller.post(
        f"/api/v1/sessions/{session_id}/context", {"question": "What is the capital of France?"}
    )

    expected = [message.message_id for message in messages[-10:]]
    sequences = list(range(max(1, size - 9), size + 1))
    assert [message.message_id for message in context.window] == expected
    assert [message.sequence for message in context.window] == sequences
    assert context.sources.messages == tuple(expected)
    assert context.summary is None
    assert not context.is_truncated
    assert served.status_code == 200, served.text
    body = served.json()
    assert [message["message_id"] for message in body["window"]] == [str(i) for i in expected]
    assert [message["sequence"] for message in body["window"]] == sequences
    assert [m["content"] for m in body["messages"]] == [
        *(message.content for message in messages[-10:]),
        "What is the capital of France?",
    ]
    assert body["sources"] == {
        "messages": [str(i) for i in expected],
        "summary": None,
        "recalled": [],
        "standing_instructions": [],
        "facts": [],
    }
    assert (body["tokens"], body["truncated"]) == (context.tokens.total, False)


async def test_a_pending_question_is_not_among_the_last_messages(
    chat: Services, scope: Scope
) -> None:
    session_id = await started(chat, scope)
    messages = spoken(12)
    await chat.messages.append(scope, session_id, messages)
    await chat.messages.append(scope, session_id, spoken(2)[:1])

    context = await chat.contexts.build(scope, session_id, "What is the capital of France?")

    assert [m.message_id for m in context.window] == [m.message_id for m in messages[-10:]]


async def test_a_failed_question_is_not_among_the_last_messages(
    chat: Services, scope: Scope
) -> None:
    session_id = await started(chat, scope)
    messages = spoken(12)
    await chat.messages.append(scope, session_id, messages)
    await chat.messages.append(scope, session_id, spoken(2)[:1])
    await chat.messages.fail_turn(scope, session_id, 7)
    later = spoken(2)
    await chat.messages.append(scope, session_id, later)

    context = await chat.contexts.build(scope, session_id, "What is the capital of France?")

    expected = [*messages[-8:], *later]
    assert [m.message_id for m in context.window] == [m.message_id for m in expected]


async def test_another_window_size_is_refused_where_the_preset_fixes_it(
    chat: Services, caller: Caller, scope: Scope
) -> None:
    session_id = await started(chat, scope)

    with pytest.raises(InvalidInput, match="fixed"):
        await chat.contexts.build(scope, session_id, "What is the capital of France?", window=20)
    response = await caller.post(
        f"/api/v1/sessions/{session_id}/context",
        {"question": "What is the capital of France?", "window": 20},
    )

    assert response.status_code == 422
    assert list(response.json()) == ["error", "detail"]
