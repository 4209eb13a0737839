"""Models whose chat templates refuse all but one leading system message, or more than that."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID, uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy import Policies
from recollect.ports import Stores
from support.doubles.strict_templates import StrictDouble
from support.examples import a_summary
from support.http.callers import Caller, Json
from support.recall.scripted_index import index_messages
from support.servers.openai_proxy import Stage, staged

PATH = "/v1/chat/completions"
STRICT = [ChatTemplate.PLAIN, ChatTemplate.ALTERNATING, ChatTemplate.NO_SYSTEM]
SYSTEM: Json = {"role": "system", "content": "Be brief."}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


@pytest_asyncio.fixture(params=STRICT)
async def strict_stage(
    stores: Stores, client: httpx.AsyncClient, request: pytest.FixtureRequest
) -> AsyncIterator[Stage]:
    """A server whose endpoint refuses what its model's template does not accept."""
    policies = replace(Policies(), chat_template=request.param)
    double = StrictDouble(request.param)
    async with staged(stores, client, policies=policies, double=double) as stage:
        yield stage


async def ada(stage: Stage) -> Caller:
    return (await stage.tenant.user("ada")).with_headers({"X-Session-ID": str(uuid4())})


async def say(caller: Caller, *messages: Json) -> None:
    response = await caller.post(PATH, {"model": "m", "messages": list(messages)})
    assert response.status_code == 200, response.text


async def tell_sales(stage: Stage, stores: Stores) -> None:
    """Let there be an exchange in another session that can be recalled."""
    caller = await stage.tenant.user("ada")
    other = await caller.start_session()
    await caller.add(other, "Which sales did the North have in 2024?")
    await caller.add(other, "The sales of the North were 2.5M.", role="assistant")
    scope = stage.tenant.scope("ada")
    messages = await stage.services.messages.list(scope, UUID(other["session_id"]), PageRequest())
    await index_messages(stores, scope, tuple(reversed(messages.items)))


async def test_strict_templates_accept_the_messages_that_memory_adds(
    strict_stage: Stage, stores: Stores
) -> None:
    await tell_sales(strict_stage, stores)
    caller = await ada(strict_stage)
    await say(caller, SYSTEM, user("Hello."))
    await say(caller, SYSTEM, user("Which sales did the North have?"))
    asked = strict_stage.double.last_messages[-1]["content"]
    assert "The sales of the North were 2.5M." in asked
    assert asked.endswith("</conversation_recalled>\n\nWhich sales did the North have?")
    messages = await strict_stage.stored_texts("ada", caller.headers["X-Session-ID"])
    assert messages[2] == ("user", "Which sales did the North have?"), (
        "stored is what the user said"
    )


async def test_the_summary_joins_the_clients_instructions(
    strict_stage: Stage, stores: Stores
) -> None:
    caller = await ada(strict_stage)
    session = caller.headers["X-Session-ID"]
    messages = [SYSTEM]
    for number in (1, 2, 3):
        messages.append(user(f"Question {number}?"))
        await say(caller, *messages)
        messages.append({"role": "assistant", "content": f"Answer {number}."})
    scope, summary = strict_stage.tenant.scope("ada"), a_summary("They spoke of hills.", through=4)
    assert await stores.summaries.put(scope, UUID(session), summary, replaces=0, added=4)
    late = {"role": "developer", "content": "And kind."}
    await say(caller, SYSTEM, *messages[5:], late, user("Question 4?"))
    told = strict_stage.double.last_messages
    assert told[0]["content"].startswith("Be brief.\n\nAnd kind.\n\nWhat was said earlier")
    assert "They spoke of hills." in told[0]["content"]


async def test_model_families_with_strict_templates_are_recognised_without_a_setting(
    stores: Stores, client: httpx.AsyncClient
) -> None:
    double = StrictDouble(ChatTemplate.NO_SYSTEM)
    async with staged(stores, client, double=double) as stage:
        caller = await ada(stage)
        sent = [SYSTEM, user("One?"), user("Two?")]
        response = await caller.post(PATH, {"model": "gemma3:4b", "messages": sent})
        assert response.status_code == 200, response.text
        assert double.last_messages == [user("Be brief.\n\nOne?\n\nTwo?")]
        assert await stage.stored_texts("ada", caller.headers["X-Session-ID"]) == [
            ("user", "One?"),
            ("user", "Two?"),
            ("assistant", "Answer 1."),
        ]
