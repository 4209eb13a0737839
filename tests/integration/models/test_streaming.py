"""Answers that come in pieces, over real HTTP."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator

import pytest

from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.endpoint.chat_model import OpenAICompatibleChat, ThoughtFilter
from recollect.ports.models import Completion, Prompt, Sampling
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.tables import for_each
from support.timeouts import PATIENCE

PROMPT = (Prompt(role="user", content="Sales?"),)
ANSWER = "North sold 2.5M in all."


def a_model(double: ChatDouble, *, max_response_bytes: int = 100_000) -> OpenAICompatibleChat:
    return OpenAICompatibleChat(
        double.url, model="small", first_pause=0.01, max_response_bytes=max_response_bytes
    )


async def pieces_of(
    stream: AsyncIterator[str | Completion], into: list[str | Completion] | None = None
) -> list[str | Completion]:
    pieces = [] if into is None else into
    async for piece in stream:
        pieces.append(piece)  # what came before an error is looked at
    return pieces


async def test_the_pieces_come_first_and_the_whole_answer_last() -> None:
    async with chat_double(Reply(answer=ANSWER)) as double, a_model(double) as model:
        sampling = Sampling(temperature=0.5, max_tokens=9)
        *pieces, whole = await pieces_of(model.stream(PROMPT, sampling, timeout=PATIENCE))
    assert pieces == ["North ", "sold ", "2.5M ", "in ", "all."]
    assert whole == Completion(text=ANSWER, model="small", tokens=None)
    assert double.requests[0].body == {
        "model": "small",
        "messages": [{"role": "user", "content": "Sales?"}],
        "stream": True,
        "max_tokens": 9,
        "temperature": 0.5,
    }


async def test_a_whole_answer_tells_its_model_and_tokens() -> None:
    async with chat_double(Reply(answer=ANSWER)) as double, a_model(double) as model:
        whole = await model.named("large").reply(PROMPT, Sampling(), timeout=PATIENCE)
    used = {"tokens": 12, "input_tokens": 9, "output_tokens": 3}
    assert whole == Completion(text=ANSWER, model="large", **used)
    assert "max_tokens" not in double.requests[0].body


async def test_an_endpoint_that_does_not_stream_gives_its_answer_as_one_piece() -> None:
    body = b'{"choices": [{"message": {"content": "Fine."}}]}'
    async with chat_double(Reply(body=body)) as double, a_model(double) as model:
        pieces = await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert pieces == ["Fine.", Completion(text="Fine.", model="small")]


async def test_reasoning_is_left_out_of_the_stream() -> None:
    answer = "<think> They want sales. </think> 2.5M in all."
    async with chat_double(Reply(answer=answer)) as double, a_model(double) as model:
        *pieces, whole = await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert pieces == ["2.5M ", "in ", "all."]
    assert isinstance(whole, Completion)
    assert whole.text == "2.5M in all."


@for_each("size", [1, 2, 5, 100])
@for_each(
    ("said", "shown"),
    [
        ("<think>a</think>\n\nHello <b>", "Hello <b>"),
        ("<thinking>a</thinking>Hello", "Hello"),
        ("<thinker>Hello", "<thinker>Hello"),
        ("  Hello", "Hello"),
        ("<think>never ends", ""),
    ],
)
def test_thoughts_are_known_however_they_are_cut(said: str, shown: str, size: int) -> None:
    thoughts = ThoughtFilter()
    pieces = (said[start : start + size] for start in range(0, len(said), size))
    assert "".join(map(thoughts.shown, pieces)) == shown


async def test_an_endpoint_that_is_busy_is_asked_again_before_the_first_piece() -> None:
    busy = Reply(status=429)
    async with chat_double(busy, busy, Reply(answer="Fine.")) as double, a_model(double) as model:
        pieces = await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert pieces[0] == "Fine."
    assert len(double.requests) == 3


@for_each(
    ("reply", "problem"),
    [
        (Reply(answer=ANSWER, hangs_up_after=2), "stopped before its answer was complete"),
        (Reply(status=401), "check MEMORY_LLM_API_KEY"),
        (Reply(hangs_up=True), "could not be reached"),
        (Reply(answer=""), "answered with nothing"),
    ],
)
async def test_failures_of_a_stream_raise_model_unavailable_with_their_cause(
    reply: Reply, problem: str
) -> None:
    async with chat_double(reply) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable, match=problem):
            await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))


async def test_pieces_before_a_dropped_connection_were_already_yielded() -> None:
    reply = Reply(answer=ANSWER, hangs_up_after=2)
    pieces: list[str | Completion] = []
    async with chat_double(reply) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable):
            await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE), pieces)
    assert pieces == ["North ", "sold "]
    assert len(double.requests) == 1, "an answer that has begun is not begun again"


@for_each("line", ["data: {", 'data: {"error": {"message": "secret"}}', 'data: {"choices": 7}'])
async def test_an_invalid_stream_is_an_error_that_does_not_quote_it(line: str) -> None:
    reply = Reply(body=f"{line}\n\n".encode(), headers={"Content-Type": "text/event-stream"})
    async with chat_double(reply) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable, match="no chat completion") as caught:
            await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert "secret" not in str(caught.value)


async def test_an_endless_answer_is_cut_off() -> None:
    async with (
        chat_double(Reply(answer="word " * 200)) as double,
        a_model(double, max_response_bytes=2_000) as model,
    ):
        with pytest.raises(ModelUnavailable, match="more than 2,000 bytes"):
            await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))


async def test_closing_the_stream_closes_its_connection() -> None:
    reply = Reply(answer=ANSWER, waits_after=2)
    async with chat_double(reply) as double, a_model(double) as model:
        stream = model.stream(PROMPT, Sampling(), timeout=PATIENCE)
        assert [await anext(stream), await anext(stream)] == ["North ", "sold "]
        await stream.aclose()
        async with asyncio.timeout(PATIENCE):
            while not double.listeners_gone:  # noqa: ASYNC110  # the double notices when it writes
                await asyncio.sleep(0.01)


async def test_a_name_that_is_none_is_refused() -> None:
    async with chat_double() as double, a_model(double) as model:
        with pytest.raises(ConfigurationError):
            model.named(" ")


async def test_a_line_may_be_long_and_end_in_two_characters() -> None:
    said = "\u2028" + "long " * 60_000
    chunk = {"choices": [{"delta": {"content": said}, "finish_reason": "stop"}]}
    events = f"data: {json.dumps(chunk, ensure_ascii=False)}\r\n\r\ndata: [DONE]\r\n\r\n"
    reply = Reply(body=events.encode(), headers={"Content-Type": "text/event-stream"})
    async with chat_double(reply) as double, a_model(double, max_response_bytes=500_000) as model:
        *pieces, _ = await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert "".join(map(str, pieces)).strip() == said.strip()


async def test_a_line_that_never_ends_is_cut_off() -> None:
    reply = Reply(body=b"data: " + b"x" * 300_000, headers={"Content-Type": "text/event-stream"})
    async with chat_double(reply) as double, a_model(double) as model:
        with pytest.raises(ModelUnavailable, match="more than 100,000 bytes"):
            await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))


async def test_a_stream_that_comes_compressed_is_read_all_the_same() -> None:
    events = b'data: {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}\n\n'
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    reply = Reply(body=gzip.compress(events), headers=headers)
    async with chat_double(reply) as double, a_model(double) as model:
        pieces = await pieces_of(model.stream(PROMPT, Sampling(), timeout=PATIENCE))
    assert pieces[0] == "Hi."
    assert double.requests[0].headers["accept-encoding"] == "identity"


async def test_a_stream_of_a_closed_model_ends_with_model_unavailable() -> None:
    async with chat_double(Reply(answer=ANSWER, waits_after=1)) as double:
        model = a_model(double)
        stream = model.stream(PROMPT, Sampling(), timeout=PATIENCE)
        assert await anext(stream) == "North "
        await model.aclose()
        with pytest.raises(ModelUnavailable, match="stopped before its answer was complete"):
            await pieces_of(stream)
