import asyncio
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final

import pytest

from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.ports.models import JsonSchema, Prompt
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.servers.http_servers import free_port
from support.tables import for_each
from support.timeouts import PATIENCE

KEY: Final = "sk-very-secret"
QUESTION: Final = "What was the salary of Zebedee Quux?"
PROMPT: Final = (
    Prompt(role="system", content="Be brief."),
    Prompt(role="user", content=QUESTION),
)

SCHEMA: Final = JsonSchema(name="pets", definition={"type": "object"})
PAUSE = 3600


def a_model(
    double: ChatDouble,
    *,
    model: str = "small-model",
    max_response_bytes: int = 100_000,
    attempts: int = 3,
) -> OpenAICompatibleChat:
    return OpenAICompatibleChat(
        double.url,
        model=model,
        api_key=KEY,
        attempts=attempts,
        first_pause=0.01,
        max_response_bytes=max_response_bytes,
    )


async def ask(
    model: OpenAICompatibleChat, *, prompt: Sequence[Prompt] = PROMPT, within: float = PATIENCE
) -> str:
    async with model:
        return await model.complete(prompt, max_tokens=50, timeout=within)


async def failure(model: OpenAICompatibleChat, *, within: float = PATIENCE) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        await ask(model, within=within)
    message = str(caught.value)
    assert "small-model" in message
    assert KEY not in message
    assert "Quux" not in message
    return message


async def test_it_asks_as_openai_s_api_wants_and_gives_the_answer() -> None:
    async with chat_double(Reply(answer="  About 3,000.\n")) as double:
        assert await ask(a_model(double)) == "About 3,000."
    (request,) = double.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "small-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": QUESTION},
        ],
        "max_tokens": 50,
        "temperature": 0,
        "stream": False,
    }


async def test_a_slash_after_the_base_url_does_no_harm_and_no_key_is_no_header() -> None:
    async with chat_double() as double:
        assert await ask(OpenAICompatibleChat(f"{double.url}/", model="small-model")) == "Fine."
    assert "authorization" not in double.requests[0].headers


@for_each("name", ["o3-mini", "gpt-5", "openai/gpt-5-nano"])
async def test_openai_s_reasoning_models_get_the_fields_they_take(name: str) -> None:
    async with chat_double() as double:
        await ask(a_model(double, model=name))
    body = double.requests[0].body
    assert body["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & body.keys()


async def test_a_schema_is_sent() -> None:
    async with chat_double() as double, a_model(double) as model:
        await model.complete(PROMPT, max_tokens=50, timeout=PATIENCE, schema=SCHEMA)
    assert double.requests[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "pets", "schema": {"type": "object"}, "strict": True},
    }


@for_each("status", [400, 404, 415, 422])
async def test_an_endpoint_that_refuses_schemas_is_asked_without(status: int) -> None:
    async with chat_double(Reply(status=status), Reply()) as double, a_model(double) as model:
        for _ in range(2):
            answer = await model.complete(PROMPT, max_tokens=50, timeout=PATIENCE, schema=SCHEMA)
            assert answer == "Fine."
    sent = ["response_format" in request.body for request in double.requests]
    assert sent == [True, False, False]


async def test_an_endpoint_that_refuses_a_request_without_a_schema_too_gets_schemas_later() -> None:
    refused = Reply(status=400)  # such as a prompt that is too long
    async with chat_double(refused, refused, Reply()) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable, match="status 400"):
            await model.complete(PROMPT, max_tokens=50, timeout=PATIENCE, schema=SCHEMA)
        await model.complete(PROMPT, max_tokens=50, timeout=PATIENCE, schema=SCHEMA)
    sent = ["response_format" in request.body for request in double.requests]
    assert sent == [True, False, True]


async def test_who_is_asked_again_without_a_schema_has_the_time_that_is_left() -> None:
    late, never = Reply(status=400, delay=0.3), Reply(delay=PAUSE)
    async with chat_double(late, never) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.complete(PROMPT, max_tokens=50, timeout=1, schema=SCHEMA)
    left = re.search(r"within ([\d.]+) seconds", str(caught.value))
    assert left is not None
    assert float(left[1]) <= 0.7


async def test_an_endpoint_that_refuses_the_key_is_asked_once() -> None:
    async with chat_double(Reply(status=401)) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable, match="MEMORY_LLM_API_KEY"):
            await model.complete(PROMPT, max_tokens=50, timeout=PATIENCE, schema=SCHEMA)
    assert len(double.requests) == 1


async def test_calls_share_a_connection() -> None:
    async with chat_double() as double, a_model(double) as model:
        for _ in range(3):
            await model.complete(PROMPT, max_tokens=5, timeout=PATIENCE)
    assert {request.connection for request in double.requests} == {1}


async def test_text_that_is_no_valid_unicode_can_be_sent() -> None:
    async with chat_double() as double:
        await ask(a_model(double), prompt=[Prompt(role="user", content="a \ud800 b \0 é")])
    assert double.requests[0].body["messages"][0]["content"] == "a \ud800 b \0 é"


@for_each(
    "said",
    [
        "<think>What do they want?</think>\nThree.",
        "<thinking>Hm.</thinking>Three.",
        "no opening tag here\n</think>\n\nThree.",
    ],
)
async def test_reasoning_is_removed_from_the_answer(said: str) -> None:
    async with chat_double(Reply(answer=said)) as double:
        assert await ask(a_model(double)) == "Three."


async def test_an_answer_in_parts_is_put_together() -> None:
    parts = b'{"type": "text", "text": "A"}, {"type": "image"}, {"type": "text", "text": "B"}'
    body = b'{"choices": [{"message": {"content": [%s]}}]}' % parts
    async with chat_double(Reply(body=body)) as double:
        assert await ask(a_model(double)) == "AB"


@for_each("said", ["", "  \n", None, "<think>only thoughts</think>", "<think>cut"])
async def test_a_blank_answer_is_an_error_and_not_retried(said: str | None) -> None:
    async with chat_double(Reply(answer=said)) as double:
        assert "answered with nothing" in await failure(a_model(double))
    assert len(double.requests) == 1


@for_each(
    "trouble",
    [Reply(status=500), Reply(status=503), Reply(status=429), Reply(hangs_up=True)],
    ids=["500", "503", "429", "hangs up"],
)
async def test_a_call_is_retried_after_a_transient_error(trouble: Reply) -> None:
    async with chat_double(trouble, trouble, Reply(answer="At last.")) as double:
        assert await ask(a_model(double)) == "At last."
    assert len(double.requests) == 3


async def test_a_lasting_error_is_raised_after_three_attempts() -> None:
    async with chat_double(Reply(status=502, body=QUESTION.encode())) as double:
        assert "status 502" in await failure(a_model(double))
    assert len(double.requests) == 3


@for_each(
    ("status", "advice"),
    [(400, ""), (401, "MEMORY_LLM_API_KEY"), (403, "API key"), (404, "base URL"), (302, "")],
)
async def test_a_refused_request_is_not_retried(status: int, advice: str) -> None:
    async with chat_double(Reply(status=status, body=QUESTION.encode())) as double:
        message = await failure(a_model(double))
    assert f"status {status}" in message
    assert advice in message
    assert len(double.requests) == 1


async def test_an_unreachable_endpoint_raises_model_unavailable() -> None:
    model = OpenAICompatibleChat(
        f"http://127.0.0.1:{free_port()}/v1", model="small-model", api_key=KEY, first_pause=0.01
    )
    assert "could not be reached" in await failure(model)


async def test_a_retry_waits_as_long_as_retry_after_says() -> None:
    busy = Reply(status=429, headers={"Retry-After": "1"})
    async with chat_double(busy, Reply()) as double:
        started = time.monotonic()
        assert await ask(a_model(double)) == "Fine."
    assert time.monotonic() - started >= 1


async def test_a_pause_longer_than_the_time_left_is_not_waited_for() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=PAUSE), usegmt=True)
    for pause in (str(PAUSE), later):
        async with chat_double(Reply(status=429, headers={"Retry-After": pause})) as double:
            async with asyncio.timeout(PATIENCE):
                assert "status 429" in await failure(a_model(double), within=PAUSE / 2)
        assert len(double.requests) == 1


@for_each("pause", ["soon", "-1", "", "Thu, 01 Jan 1970 00:00:00 -0000"])
async def test_an_invalid_retry_after_is_ignored(pause: str) -> None:
    busy = Reply(status=503, headers={"Retry-After": pause})
    async with chat_double(busy, Reply()) as double:
        assert await ask(a_model(double)) == "Fine."


async def test_the_time_limit_holds_for_all_attempts_together() -> None:
    slow = Reply(status=500, delay=0.3)
    async with chat_double(slow) as double:
        await failure(a_model(double, attempts=1_000), within=0.5)
        assert len(double.requests) < 1_000


async def test_a_slow_answer_is_given_up() -> None:
    async with chat_double(Reply(delay=30)) as double:
        assert "within 0.2 seconds" in await failure(a_model(double), within=0.2)


@for_each(
    "body",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[" * 50_000,
        b"[]",
        b'{"choices": []}',
        b'{"error": "overloaded"}',
    ],
)
async def test_a_response_that_is_no_chat_completion_is_an_error(body: bytes) -> None:
    async with chat_double(Reply(body=body)) as double:
        assert "no chat completion" in await failure(a_model(double))


@pytest.mark.parametrize("content", [b"5", b'[{"text": "no type"}]'])
async def test_a_completion_without_text_is_an_error(content: bytes) -> None:
    body = b'{"choices": [{"message": {"content": %s}}]}' % content
    async with chat_double(Reply(body=body)) as double:
        assert "answered with nothing" in await failure(a_model(double))


async def test_an_enormous_answer_is_not_read_to_its_end() -> None:
    async with chat_double(Reply(body=b" " * 20_000_000)) as double:
        message = await failure(a_model(double, max_response_bytes=1_000_000))
    assert "more than 1,000,000 bytes" in message


async def test_one_call_given_up_does_not_disturb_another() -> None:
    async with chat_double(Reply(delay=0.2)) as double, a_model(double) as model:
        given_up = asyncio.create_task(model.complete(PROMPT, max_tokens=5, timeout=PATIENCE))
        kept = asyncio.create_task(model.complete(PROMPT, max_tokens=5, timeout=PATIENCE))
        await asyncio.sleep(0.05)
        given_up.cancel()
        assert await kept == "Fine."
    assert given_up.cancelled()


async def test_a_closed_chat_model_raises_model_unavailable() -> None:
    async with chat_double() as double:
        model = a_model(double)
        await model.aclose()
        with pytest.raises(ModelUnavailable, match="closed"):
            await model.complete(PROMPT, max_tokens=5, timeout=PATIENCE)


@for_each("url", ["", "127.0.0.1:80/v1", "ftp://host/v1", "http://", "http://host:none/v1", "/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_LLM_BASE_URL"):
        OpenAICompatibleChat(url, model="small-model")


@for_each("key", ["two words", "line\nbreak", "sleutel-é"])
def test_a_key_that_cannot_be_sent_is_refused_unseen(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAICompatibleChat("http://127.0.0.1/v1", model="small-model", api_key=key)
    assert key not in str(caught.value)


def test_a_model_needs_a_name() -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_LLM_MODEL"):
        OpenAICompatibleChat("http://127.0.0.1/v1", model=" ")
