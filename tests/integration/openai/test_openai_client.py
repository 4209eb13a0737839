"""The official client of OpenAI's API, with nothing changed but its base URL."""

import json
from collections.abc import AsyncIterator

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam

from recollect.domain.identity.accounts import KeyScope
from support.doubles.chat_endpoint import Reply
from support.doubles.openwebui import TOOL
from support.servers.openai_proxy import NumberingDouble, Stage

SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"


@pytest_asyncio.fixture
async def ada(stage: Stage) -> AsyncIterator[AsyncOpenAI]:
    """Ada's client."""
    key = await stage.tenant.key(KeyScope.USER, user="ada")
    async with AsyncOpenAI(
        base_url=f"{stage.tenant.server.url}/v1",
        api_key=key,
        default_headers={"X-Session-ID": SESSION},
        max_retries=0,
    ) as opened:
        yield opened


def asked(*contents: str) -> list[ChatCompletionMessageParam]:
    """Questions and answers in turn."""
    said: list[ChatCompletionMessageParam] = []
    for place, content in enumerate(contents):
        if place % 2:
            said.append({"role": "assistant", "content": content})
        else:
            said.append({"role": "user", "content": content})
    return said


async def test_a_conversation_is_remembered(stage: Stage, ada: AsyncOpenAI) -> None:
    first = await ada.chat.completions.create(model="m", messages=asked("One?"))
    assert first.choices[0].message.content == "Answer 1."
    assert first.usage
    assert first.usage.total_tokens == 12
    raw = await ada.chat.completions.with_raw_response.create(
        model="m", messages=asked("One?", "Answer 1.", "Two?")
    )
    assert raw.headers["X-Session-ID"] == SESSION
    assert (raw.headers["X-Memory"], raw.headers.get("X-Memory-Warning")) == ("full", None)
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "One?"),
        ("assistant", "Answer 1."),
        ("user", "Two?"),
        ("assistant", "Answer 2."),
    ]
    reply = (await stage.messages("ada", SESSION))[1]
    assert (reply["model"], reply["tokens"]) == ("m", 12)


async def test_a_streamed_answer_comes_in_pieces_and_is_stored_whole(
    stage: Stage, double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    double.will(Reply(answer="one two three"))
    stream = await ada.chat.completions.create(model="m", messages=asked("Count!"), stream=True)
    pieces = [chunk.choices[0].delta.content async for chunk in stream]
    assert pieces == ["one ", "two ", "three", None]
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "Count!"),
        ("assistant", "one two three"),
    ]


async def test_a_tool_is_called_and_answered_in_one_turn(
    stage: Stage, double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
    message = {"role": "assistant", "content": "Let me look.", "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    double.will(Reply(body=json.dumps({**head, "choices": [choice]}).encode()))
    messages = asked("What time is it?")
    first = await ada.chat.completions.create(model="m", messages=messages, tools=[TOOL])  # type: ignore[list-item]
    assert first.choices[0].message.tool_calls
    assert await stage.statuses("ada", SESSION) == ["pending"]
    messages.append(first.choices[0].message.model_dump(exclude_none=True))  # type: ignore[arg-type]
    messages.append({"role": "tool", "tool_call_id": "1", "content": "noon"})
    await ada.chat.completions.create(model="m", messages=messages, tools=[TOOL])  # type: ignore[list-item]
    expected = [("user", "What time is it?"), ("assistant", "Answer 2.")]
    assert await stage.stored_texts("ada", SESSION) == expected


async def test_a_client_that_sends_only_its_question_gets_the_conversation_added(
    double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    for question in ("My name is Ada.", "What is my name?"):
        await ada.chat.completions.create(model="m", messages=asked(question))
    assert double.last_messages == [
        {"role": "user", "content": "My name is Ada."},
        {"role": "assistant", "content": "Answer 1."},
        {"role": "user", "content": "What is my name?"},
    ]


async def test_the_models_listed_are_those_of_the_endpoint(ada: AsyncOpenAI) -> None:
    assert [model.id for model in (await ada.models.list()).data] == ["m"]


async def test_errors_of_the_endpoint_reach_the_client_as_they_are(
    stage: Stage, double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    error = {"message": "too many", "type": "rate_limit", "param": None, "code": "slow_down"}
    body = json.dumps({"error": error}).encode()
    for streams in (False, True):
        double.will(Reply(status=429, body=body, headers={"Retry-After": "7"}))
        with pytest.raises(openai.RateLimitError) as caught:
            await ada.chat.completions.create(model="m", messages=asked("Hello?"), stream=streams)
        assert caught.value.code == "slow_down"
        assert caught.value.response.headers["Retry-After"] == "7"
    assert await stage.statuses("ada", SESSION) == ["failed"], "tried twice and stored once"
    await ada.chat.completions.create(model="m", messages=asked("Hello?"))
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "Hello?"),
        ("assistant", "Answer 3."),
    ]


async def test_our_own_errors_have_the_form_that_the_client_knows(
    stage: Stage, ada: AsyncOpenAI
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        await ada.chat.completions.create(model="m", messages=[])
    assert "messages" in str(refused.value)
    with pytest.raises(openai.AuthenticationError) as unknown:
        await ada.with_options(api_key="rec_wrong").models.list()
    assert "not valid" in str(unknown.value)
    with pytest.raises(openai.PermissionDeniedError):
        await ada.with_options(default_headers={"X-Memory-User": "bob"}).models.list()
    assert await stage.sessions("ada") == []


async def test_a_stream_that_is_cut_is_an_error_for_the_client(
    stage: Stage, double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    double.will(Reply(answer="one two three", hangs_up_after=2))
    stream = await ada.chat.completions.create(model="m", messages=asked("Count!"), stream=True)
    with pytest.raises(openai.APIError, match="does not answer"):
        _ = [chunk async for chunk in stream]
    assert await stage.statuses("ada", SESSION) == ["failed"]
    assert await stage.stored_texts("ada", SESSION) == [("user", "Count!")]


async def test_a_warning_in_the_middle_of_a_stream_is_passed_over(
    stage: Stage, double: NumberingDouble, ada: AsyncOpenAI
) -> None:
    double.will(Reply(answer="one two three", waits_after=1))
    stream = await ada.chat.completions.create(model="m", messages=asked("Count!"), stream=True)
    caller = await stage.tenant.user("ada")
    assert (await caller.delete(f"/api/v1/sessions/{SESSION}")).status_code == 204
    double.gate.set()
    said = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(said) == "one two three"
    assert await stage.sessions("ada") == []
