import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.chat.replies import MAX_REPLY_VALUES, AnswerReader
from recollect.domain.text import JsonValue
from support.tables import for_each


def event(value: JsonValue) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def delta(content: JsonValue, **more: JsonValue) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": content}, **more}]})


STREAM = (
    b": hello\n\n"
    + event({"model": "m", "choices": [{"index": 0, "delta": {"role": "assistant"}}]})
    + delta("Café ")
    + event({"choices": [{"index": 1, "delta": {"content": "no"}}]})
    + delta("👍", finish_reason="stop")
    + event({"choices": [], "usage": {"total_tokens": 7}})
    + b"data:[DONE]\r\n\r\n"
)


@given(st.lists(st.integers(1, 40), max_size=30))
def test_a_stream_reads_the_same_however_its_chunks_are_split(cuts: list[int]) -> None:
    reader, rest = AnswerReader(is_stream=True), STREAM
    for cut in cuts:
        reader.feed(rest[:cut])
        rest = rest[cut:]
    reader.feed(rest)
    reader.close()
    assert reader.content == "Café 👍"
    assert (reader.model, reader.tokens) == ("m", 7)
    assert (reader.is_finished, reader.is_over, reader.has_failed) == (True, True, False)


def test_a_stream_that_stops_is_not_finished() -> None:
    reader = AnswerReader(is_stream=True)
    reader.feed(STREAM[:120])
    reader.close()
    assert not reader.is_finished


def test_a_stream_may_end_without_a_last_word_but_not_without_a_reason() -> None:
    reader = AnswerReader(is_stream=True)
    reader.feed(delta("Yes.", finish_reason="stop").strip())
    assert not reader.is_over
    reader.close()
    assert (reader.is_finished, reader.content) == (True, "Yes.")


def test_an_error_in_the_middle_is_seen() -> None:
    reader = AnswerReader(is_stream=True)
    reader.feed(delta("Ye") + event({"error": {"message": "out of memory"}}) + b"data: [DONE]\n\n")
    assert reader.has_failed


@for_each(
    ("body", "content", "is_finished", "calls"),
    [
        (b'{"choices":[{"message":{"content":"Yes."}}]}', "Yes.", True, False),
        (b'{"choices":[{"message":{"content":[{"type":"text","text":"Y"}]}}]}', "Y", True, False),
        (b'{"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}', "", True, True),
        (b'{"choices":[{"message":0}],"usage":{"total_tokens":true},"model":1}', "", True, False),
        (b'{"choices":{}}', "", False, False),
        (b"[1]", "", False, False),
        (b"<html>", "", False, False),
        (b"[" * 100_000, "", False, False),
    ],
)
def test_a_whole_completion_is_read_as_far_as_it_is_one(
    body: bytes, content: str, *, is_finished: bool, calls: bool
) -> None:
    reader = AnswerReader(is_stream=False)
    reader.feed(body[:5])
    reader.feed(body[5:])
    reader.close()
    assert (reader.content, reader.is_finished, reader.has_tool_calls) == (
        content,
        is_finished,
        calls,
    )
    assert (reader.tokens, reader.model) == (None, None)


@pytest.mark.parametrize("cut", [1_000_000, 4_500_000, 6_000_000])
@pytest.mark.parametrize("ends", [True, False])
def test_a_line_too_long_to_be_read_is_replaced_by_an_error_event(cut: int, *, ends: bool) -> None:
    reader = AnswerReader(is_stream=True)
    stream = delta("Ye") + event({"error": {"message": "secret " * 1_000_000}})
    stream = stream + delta("s") + b"data: [DONE]\n\n" if ends else stream.rstrip()
    pieces = [reader.feed(stream[at : at + cut]) for at in range(0, len(stream), cut)]
    passed = b"".join(pieces) + reader.close()
    events = [json.loads(line[6:]) for line in passed.split(b"\n") if line.startswith(b"data: {")]
    assert b"secret" not in passed
    assert [next(iter(told)) for told in events] == ["choices", "error", "choices"][: 2 + ends]
    assert (passed.endswith(b"data: [DONE]\n\n"), reader.has_failed) == (ends, True)


def test_an_endless_answer_is_kept_within_bounds() -> None:
    reader = AnswerReader(is_stream=True)
    for _ in range(30):
        reader.feed(delta("x" * 50_000))
    assert len(reader.content) == 1_000_000
    reader.feed(b"data: " + b"y" * 5_000_000)
    reader.close()
    assert len(reader.content) == 1_000_000


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_an_event_of_too_many_values_is_not_read(encoding: str) -> None:
    values = '{"a": "\\"", "choices": [' + "{}," * (MAX_REPLY_VALUES + 1) + "{}]}"
    reader = AnswerReader(is_stream=True)
    passed = reader.feed(b"data: " + values.encode(encoding).replace(b"\n", b"") + b"\n\n")
    assert (reader.has_failed, reader.content) == (True, "")
    assert b"error" in passed
    assert len(passed) < 1_000
