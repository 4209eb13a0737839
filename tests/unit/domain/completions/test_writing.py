import json

import pytest

from recollect.domain.chat.replies import (
    AnswerReader,
    OurCompletion,
    before_the_end,
    error_event,
    warning_comment,
)
from recollect.domain.chat.requests import ChatRequest, to_bytes
from recollect.domain.chat.writing import Memories, with_memories
from recollect.domain.model_names import ChatTemplate
from recollect.domain.text import JsonObject, JsonValue
from recollect.testing import FIRST_MOMENT
from support.doubles.strict_templates import check_template
from support.tables import for_each


def message(role: str, content: str) -> dict[str, JsonValue]:
    return {"role": role, "content": content}


SYSTEM, ONE, RE, TWO = (
    message("system", "s"),
    message("user", "One?"),
    message("assistant", "Re."),
    message("user", "Two?"),
)
TOOL: JsonObject = {"role": "tool", "content": "found"}
IMAGE: JsonObject = {"type": "image_url"}
EVERYTHING = Memories(
    summary="A summary.",
    window=[message("user", "Zero?"), message("assistant", "Z.")],
    recalled="Found.",
)


def added(
    *messages: JsonValue,
    memories: Memories = EVERYTHING,
    template: ChatTemplate = ChatTemplate.PLAIN,
) -> list[JsonValue]:
    request = ChatRequest.of({"messages": list(messages), "model": "m", "x": 1})
    body = with_memories(request, memories, template=template)
    assert {**body, "messages": 0} == {"messages": 0, "model": "m", "x": 1}
    assert isinstance(body["messages"], list)
    return body["messages"]


def test_the_summary_is_in_the_leading_system_message_and_recalled_text_in_the_question() -> None:
    assert added(SYSTEM, ONE, RE, TWO) == [
        message("system", "s\n\nA summary."),
        *EVERYTHING.window,
        ONE,
        RE,
        message("user", "Found.\n\nTwo?"),
    ]
    assert added(ONE, memories=Memories(summary="A summary.")) == [
        message("system", "A summary."),
        ONE,
    ]
    assert added(SYSTEM, ONE, memories=Memories(recalled="Found.")) == [
        SYSTEM,
        message("user", "Found.\n\nOne?"),
    ]


def test_all_instructions_of_a_client_lead_in_their_order_with_the_summary_last() -> None:
    developer, late = message("developer", "d"), message("system", "late")
    summary = Memories(summary="A summary.")
    assert added(developer, SYSTEM, ONE, RE, late, TWO, memories=summary) == [
        message("developer", "d\n\ns\n\nlate\n\nA summary."),
        ONE,
        RE,
        TWO,
    ]


def test_contents_in_parts_stay_in_parts() -> None:
    text: JsonObject = {"type": "text", "text": "t"}
    shown: JsonObject = {"role": "user", "content": [text, IMAGE]}
    parts: JsonObject = {"role": "system", "content": [text], "name": "n"}
    memories = Memories(summary="A summary.", recalled="Found.")
    assert added(parts, shown, memories=memories) == [
        {**parts, "content": [text, {"type": "text", "text": "\n\nA summary."}]},
        {"role": "user", "content": [{"type": "text", "text": "Found.\n\n"}, text, IMAGE]},
    ]
    empty: JsonObject = {"role": "user", "content": ""}
    assert added(empty, memories=Memories(recalled="Found.")) == [message("user", "Found.")]


def test_in_a_tool_loop_everything_stays_where_it_was_in_the_call_before() -> None:
    assert added(SYSTEM, ONE, RE, TOOL) == [*added(SYSTEM, ONE), RE, TOOL]


def test_with_nothing_to_add_nothing_changes() -> None:
    messages = (SYSTEM, ONE, SYSTEM, ONE, TWO)
    assert added(*messages, memories=Memories()) == list(messages)
    assert not Memories()


@pytest.mark.parametrize("memories", [EVERYTHING, Memories()])
def test_messages_fit_a_strict_template_whatever_the_client_sent(memories: Memories) -> None:
    call: JsonObject = {"role": "assistant", "content": "", "tool_calls": [{}]}
    sent = (RE, SYSTEM, ONE, TWO, RE, RE, SYSTEM, TWO, call, TOOL, RE)
    alternating = added(*sent, memories=memories, template=ChatTemplate.ALTERNATING)
    check_template(alternating, ChatTemplate.ALTERNATING)
    folded = added(*sent, memories=memories, template=ChatTemplate.NO_SYSTEM)
    check_template(folded, ChatTemplate.NO_SYSTEM)
    for messages in (alternating, folded):
        told = json.dumps(messages)
        assert [told.count(text) for text in ("Two?", "One?", "Re.")] == [2, 1, 4]


def test_a_template_without_system_role_has_the_instructions_in_the_first_question() -> None:
    sent = (SYSTEM, ONE, RE, TWO)
    assert added(*sent, memories=Memories(), template=ChatTemplate.NO_SYSTEM) == [
        message("user", "s\n\nOne?"),
        RE,
        TWO,
    ]
    alone = added(SYSTEM, memories=Memories(), template=ChatTemplate.NO_SYSTEM)
    assert alone == [message("user", "s")]


def test_a_written_body_parses_to_the_same_values() -> None:
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


@for_each(
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
