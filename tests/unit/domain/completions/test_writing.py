import json

import pytest

from recollect.domain.completions.reading import AnswerReader
from recollect.domain.completions.request import ChatRequest
from recollect.domain.completions.writing import (
    Memories,
    OurCompletion,
    before_the_end,
    error_event,
    to_bytes,
    warning_comment,
    with_memories,
)
from recollect.domain.text import JsonObject, JsonValue
from recollect.testing.fakes import FIRST_MOMENT


def said(role: str, content: str) -> dict[str, JsonValue]:
    return {"role": role, "content": content}


SYSTEM, ONE, RE, TWO = (
    said("system", "s"),
    said("user", "One?"),
    said("assistant", "Re."),
    said("user", "Two?"),
)
TOOL: JsonObject = {"role": "tool", "content": "found"}
LASTING, PASSING = said("system", "a summary"), said("system", "recalled")


def added(*messages: JsonValue, lasting: bool = True, passing: bool = True) -> JsonValue:
    request = ChatRequest.of({"messages": list(messages), "model": "m", "x": 1})
    memories = Memories(lasting=[LASTING] * lasting, passing=[PASSING] * passing)
    body = with_memories(request, memories)
    assert {**body, "messages": 0} == {"messages": 0, "model": "m", "x": 1}
    return body["messages"]


def test_what_lasts_follows_the_instructions_and_what_passes_precedes_the_question() -> None:
    assert added(SYSTEM, ONE, RE, TWO) == [SYSTEM, LASTING, ONE, RE, PASSING, TWO]
    assert added(ONE) == [LASTING, PASSING, ONE]
    assert added(SYSTEM) == [SYSTEM, LASTING, PASSING]


def test_in_a_tool_loop_everything_stays_where_it_was_in_the_call_before() -> None:
    first = added(SYSTEM, ONE)
    second = added(SYSTEM, ONE, RE, TOOL)
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert second == [*first, RE, TOOL]


def test_with_nothing_to_add_nothing_changes() -> None:
    assert added(SYSTEM, ONE, lasting=False, passing=False) == [SYSTEM, ONE]
    assert not Memories()


def test_a_body_is_written_so_that_nothing_in_it_changes() -> None:
    body = {"messages": [{"role": "user", "content": "caf\u00e9 \ud800"}], "seed": 2**60, "t": 0.1}
    assert json.loads(to_bytes(body)) == body


def test_an_answer_of_our_own_reads_the_same_whole_and_in_pieces() -> None:
    completion = OurCompletion(
        completion_id="chatcmpl-1", created=FIRST_MOMENT, content="One.\n\nTwo.\n\n\n\nThree."
    )
    for reader, pieces in (
        (AnswerReader(is_stream=False), [completion.whole()]),
        (AnswerReader(is_stream=True), list(completion.chunks())),
    ):
        for piece in pieces:
            reader.feed(piece)
        reader.close()
        assert reader.content == completion.content
        assert (reader.model, reader.is_finished) == ("recollect-memory", True)
    reader = AnswerReader(is_stream=True)
    reader.feed(error_event("gone"))
    assert reader.has_failed


COMMENT = warning_comment(["The reply is not remembered."])
END = b"data: [DONE]\n\n"
QUOTED = b'data: {"a": "data: [DONE]"}\n\n'


def test_a_comment_is_a_line_that_no_client_takes_for_data() -> None:
    assert COMMENT == b": x-memory-warning: The reply is not remembered.\n\n"


@pytest.mark.parametrize(
    ("piece", "told"),
    [
        (END, COMMENT + END),
        (QUOTED + END, QUOTED + COMMENT + END),
        (b"\r\ndata:[DONE]\r\n\r\n", b"\r\n" + COMMENT + b"data:[DONE]\r\n\r\n"),
        (b"ONE]\n\n", b"ONE]\n\n" + COMMENT),
        (b"ONE]\ndata: ha", b"ONE]\ndata: ha"),
    ],
)
def test_a_comment_comes_before_the_end_and_never_within_a_line(piece: bytes, told: bytes) -> None:
    assert before_the_end(piece, COMMENT) == told
    assert before_the_end(piece, b"") == piece
