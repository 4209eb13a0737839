"""Without an endpoint, memory itself answers in OpenAI's form."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from openai import AsyncOpenAI, UnprocessableEntityError
from openai.types.chat import ChatCompletionMessageToolCallParam

from recollect.domain.identity.accounts import KeyScope
from recollect.ports import Stores
from support.http.callers import Caller, Tenant
from support.servers.openai_proxy import Stage, proxy_server

SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"


@pytest_asyncio.fixture
async def ada(stores: Stores, stage: Stage) -> AsyncIterator[tuple[AsyncOpenAI, Stage]]:
    """A client of a server that has no model."""
    async with proxy_server(stores, endpoint_url=None) as (services, url):
        server = Caller(client=stage.tenant.server.client, url=url)
        tenant = Tenant(server=server, services=services)
        key = await tenant.key(KeyScope.USER, user="ada")
        async with AsyncOpenAI(
            base_url=f"{url}/v1", api_key=key, default_headers={"X-Session-ID": SESSION}
        ) as client:
            yield client, Stage(double=stage.double, services=services, tenant=tenant)


async def test_memory_answers_as_a_model_of_its_own(ada: tuple[AsyncOpenAI, Stage]) -> None:
    client, stage = ada
    assert [model.id for model in (await client.models.list()).data] == ["recollect-memory"]
    told = await client.chat.completions.create(
        model="recollect-memory",
        messages=[
            {"role": "user", "content": "The sales of the North were 2.5M."},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": "Which sales did the North have?"},
        ],
    )
    answer = told.choices[0].message.content or ""
    assert "No language model is set" in answer
    assert "The sales of the North were 2.5M." in answer
    assert [role for role, _ in await stage.stored_texts("ada", SESSION)] == [
        "user",
        "assistant",
    ] * 2
    assert stage.double.requests == []
    again = await client.chat.completions.create(
        model="recollect-memory", messages=[{"role": "user", "content": "Which sales again?"}]
    )
    quoted = (again.choices[0].message.content or "").removeprefix("No language model is set")
    assert "No language model is set" not in quoted, "memory does not quote itself"
    stored = (await stage.messages("ada", SESSION))[3]
    assert stored["citations"][0]["source"] == "conversation"


async def test_the_answer_is_streamed_too(ada: tuple[AsyncOpenAI, Stage]) -> None:
    client, stage = ada
    stream = await client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": "Hello?"}], stream=True
    )
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert len(pieces) > 2
    ((_, _), (_, stored)) = await stage.stored_texts("ada", SESSION)
    assert "".join(pieces) == stored


async def test_titles_are_left_to_the_front_end(ada: tuple[AsyncOpenAI, Stage]) -> None:
    client, stage = ada
    title = await client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": "### Task:\nName the chat."}]
    )
    assert title.choices[0].message.content == ""
    assert await stage.sessions("ada") == []


async def test_a_question_without_content_is_refused_in_openais_form(
    ada: tuple[AsyncOpenAI, Stage],
) -> None:
    client, stage = ada
    for message in ({"role": "user"}, {"role": "user", "content": None}):
        with pytest.raises(UnprocessableEntityError) as refused:
            await client.chat.completions.create(model="any", messages=[message])  # type: ignore[list-item]
        assert refused.value.param == "messages[0].content"
        assert "must be a text" in refused.value.message
    assert await stage.sessions("ada") == []


async def test_tool_calls_without_content_store_nothing_of_their_own(
    ada: tuple[AsyncOpenAI, Stage],
) -> None:
    client, stage = ada
    call: ChatCompletionMessageToolCallParam = {
        "id": "1",
        "type": "function",
        "function": {"name": "look_up", "arguments": "{}"},
    }
    await client.chat.completions.create(
        model="any",
        messages=[
            {"role": "user", "content": "Which sales did the North have?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "2.5M"},
        ],
    )
    stored = await stage.stored_texts("ada", SESSION)
    assert [role for role, _ in stored] == ["user", "assistant"]
    assert stored[0][1] == "Which sales did the North have?"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Where do I live?", "No session is named"),
        ("I live in Ghent now.", "No session is named"),
        ("What do you know about me?", "No session is named"),
        ("Hello!", "Hello!\n\nNo session is named"),
        ("Waar woon ik?", "Er is geen sessie genoemd"),
        ("Wo wohne ich?", "Es ist keine Sitzung genannt"),
        ("Où est-ce que j'habite ?", "Aucune session n'est nommée"),
        ("¿Dónde vivo?", "No se ha nombrado ninguna sesión"),
    ],
)
async def test_who_names_no_session_is_told_what_to_send(
    ada: tuple[AsyncOpenAI, Stage], said: str, expected: str
) -> None:
    client, stage = ada
    reply = await client.chat.completions.create(
        model="any",
        messages=[{"role": "user", "content": said}],
        extra_headers={"X-Session-ID": ""},
    )
    answer = reply.choices[0].message.content or ""
    assert answer.startswith(expected)
    assert "X-Session-ID" in answer
    assert await stage.sessions("ada") == []


async def test_who_wants_no_memory_is_not_told_to_name_a_session(
    ada: tuple[AsyncOpenAI, Stage],
) -> None:
    client, _ = ada
    reply = await client.chat.completions.create(
        model="any",
        messages=[{"role": "user", "content": "Where do I live?"}],
        extra_headers={"X-Memory": "off"},
    )
    answer = reply.choices[0].message.content or ""
    assert "Memory was not read for this answer" in answer
    assert "X-Session-ID" not in answer


async def test_a_message_without_words_is_not_echoed(ada: tuple[AsyncOpenAI, Stage]) -> None:
    client, _ = ada
    for content in ("", "  "):
        reply = await client.chat.completions.create(
            model="any", messages=[{"role": "user", "content": content}]
        )
        assert reply.choices[0].message.content == "This message has no words that I can read."
