import pytest

from recollect.domain.chat.requests import ChatRequest, ClientIds, CompletionCall
from recollect.domain.chat.writing import Memories, with_memories
from recollect.domain.identity.scope import MemoryPolicy
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from support.tables import for_each


def request(*messages: JsonValue, **more: JsonValue) -> ChatRequest:
    return ChatRequest.of({"messages": list(messages), **more})


def user(content: JsonValue) -> dict[str, JsonValue]:
    return {"role": "user", "content": content}


def rag_prompt(question: str) -> str:
    return (
        f'{RAG_START}<source id="1" name="a.txt">Said in a file.</source>\n</context>\n\n{question}'
    )


def part(text: str) -> dict[str, JsonValue]:
    return {"type": "text", "text": text}


def assistant(content: JsonValue, **more: JsonValue) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": content, **more}


RAG_START = "### Task:\nRespond to the user query using the provided context.\n\n<context>\n"
MERGING = (
    "You have been provided with a set of responses from various models to the latest user query:"
)
CALL: JsonValue = [{"id": "1", "function": {"name": "look_up", "arguments": "{}"}}]


@for_each("body", [None, [], "x", {}, {"messages": []}, {"messages": ["x"]}])
def test_an_invalid_completion_request_is_refused(body: JsonValue) -> None:
    with pytest.raises(InvalidInput):
        ChatRequest.of(body)


def test_only_user_and_assistant_text_between_first_and_last_question_is_stored() -> None:
    conversation = request(
        {"role": "system", "content": "Be brief."},
        assistant("Hello, I am here."),
        user("One?"),
        assistant(None, tool_calls=CALL),
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        assistant("Re: one."),
        {"role": "developer", "content": "Go on."},
        user([part("Two"), {"type": "image_url"}, part("?")]),
        assistant("", tool_calls=CALL),
        {"role": "tool", "tool_call_id": "1", "content": "found"},
    ).conversation
    assert conversation == (("user", "One?"), ("assistant", "Re: one."), ("user", "Two\n?"))


@for_each(
    ("content", "stored"),
    [
        (" plain \n", "plain"),
        ("a\0b\ud800c", "ab?c"),
        ([{"type": "image_url"}, {"type": "input_audio"}], "[image_url] [input_audio]"),
        ("", "[nothing]"),
        ([1, {"type": "text", "text": 1}, {"type": 2}, {"type": "text"}], "[text] [text]"),
        ([{"type": []}, {"type": "text", "text": "and"}], "and"),
        ("x" * 1_000_001, "x" * 1_000_000),
    ],
)
def test_any_content_can_be_stored(content: JsonValue, stored: str) -> None:
    assert request(user(content)).conversation == (("user", stored),)


@for_each("content", [None, 7, True, {}, {"text": "Hi"}, [], [1], [{"type": []}]])
def test_a_last_question_without_content_is_refused(content: JsonValue) -> None:
    for message in (user(content), {"role": "user"}):
        with pytest.raises(InvalidInput, match=r"^messages\[2\]\.content must be a text"):
            request(user("One?"), assistant("Re."), message)


def test_only_the_last_question_needs_content() -> None:
    parsed = request(
        {"role": "system", "content": None},
        user(None),
        assistant(None),
        user("Two?"),
        assistant(None, tool_calls=CALL),
        {"role": "tool", "tool_call_id": "1", "content": "found"},
    )
    assert parsed.conversation == (("user", "[nothing]"), ("user", "Two?"))
    assert parsed.goes_on


def test_a_question_is_taken_out_of_the_prompt_that_a_front_end_made_of_it() -> None:
    files = (
        '<attached_files>\n<file type="file" id="1" url="u" name="a.txt"/>\n</attached_files>\n\n'
    )
    image: JsonValue = {"type": "image_url"}
    parsed = request(
        user(rag_prompt("One?")),
        assistant("Re."),
        user([part(rag_prompt(files)), part(rag_prompt("Two?")), image]),
        assistant("Re."),
        user([part(files), image]),
        assistant("Re."),
        user(files + "Three?"),
    )
    questions = [text for role, text in parsed.conversation if role == "user"]
    assert questions == ["One?", "Two?", "[image_url]", "Three?"]


def test_sources_without_words_of_a_user_are_no_question() -> None:
    parsed = request(
        user("What time is it?"),
        assistant("", tool_calls=CALL),
        {"role": "tool", "tool_call_id": "1", "content": "noon"},
        user(rag_prompt("")),
    )
    assert parsed.conversation == (("user", "What time is it?"),)
    assert (parsed.last_question_at, parsed.goes_on) == (0, True)
    assert request(user(rag_prompt(""))).conversation == ()


def test_odd_fields_are_left_alone() -> None:
    odd = request({"role": [], "content": {}}, {}, user("Hi"), model=3, stream="yes")
    assert with_memories(odd, Memories())["messages"] == list(odd.messages)
    assert (odd.model, odd.streams, len(odd.conversation)) == (None, False, 1)
    odd = request(assistant("x", tool_calls="many"), user("Hi"))
    assert odd.tools_called == ()


def test_the_tools_of_this_turn_are_named_once_each() -> None:
    parsed = request(
        user("One?"),
        assistant("", tool_calls=[{"function": {"name": "earlier"}}]),
        user("Two?"),
        assistant("", tool_calls=CALL),
        assistant("", tool_calls=[*CALL, {"function": {"name": "x" * 500}}, {}]),
    )
    assert parsed.tools_called == ("look_up", "x" * 200)
    assert parsed.goes_on
    assert parsed.begun_answer == ""


def test_a_begun_answer_is_told_apart_from_a_tool_call() -> None:
    begun = request(user("Go!"), assistant("It began"))
    assert (begun.begun_answer, begun.conversation) == ("It began", (("user", "Go!"),))
    assert request(user("Go!")).begun_answer == ""


UNMARKED_SOURCES = (
    "### Task:\nAnswer.\n<context>\nA page:\n<chat_history>\nUSER: y\n</chat_history>\n</context>\n"
    "What did the user say?"
)
TITLE = "### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: y\n</chat_history>"


def call(asked: ChatRequest, **ids: str) -> CompletionCall:
    return CompletionCall(request=asked, ids=ClientIds(**ids))  # type: ignore[arg-type]


@for_each(
    ("asked", "ids", "is_task"),
    [
        (request(user("Hi")), {}, False),
        (request(user("Hi")), {"task": "title_generation"}, True),
        (request(user("Hi")), {"user_message": "1"}, True),
        (request(user("Hi")), {"user_message": "1", "message": "2"}, False),
        (request(user("Hi")), {"message": "2"}, False),
        (request(user(" ### Task:\nName it")), {"message": "1"}, False),
        (request(user(" ### Task:\nName it")), {"user_message": "1"}, True),
        (request(user("### Task: x"), stream=True), {}, False),
        (request(user(f"{MERGING} “Why?”"), stream=True), {}, True),
        (request(user(f"{MERGING} “Why?”")), {"message": "1"}, False),
        (request(user("### Task: x\n<chat_history>\nUSER: y\n"), stream=True), {}, True),
        (request(user(TITLE), stream=True), {"message": "1", "user_message": "2"}, True),
        (request(user(rag_prompt("What?"))), {}, False),
        (request(user(rag_prompt("What?"))), {"message": "1"}, False),
        (request(user(rag_prompt("What?\n<chat_history>\n"))), {"message": "1"}, False),
        (request(user("### Task: x\n<chat_history>\n" + rag_prompt("What?"))), {}, True),
        (request(user(UNMARKED_SOURCES)), {"message": "1", "user_message": "2"}, False),
        (request(user([{"type": "text", "text": "### Task: x"}])), {}, True),
        (request(user("### Task: x"), assistant("y"), user("z")), {}, False),
        (request({"role": "system", "content": "s"}, user("### Task: x")), {}, False),
    ],
)
def test_front_end_tasks_are_recognised_by_headers_and_prompts(
    asked: ChatRequest, ids: dict[str, str], *, is_task: bool
) -> None:
    assert call(asked, **ids).is_task is is_task
    expected = MemoryPolicy.OFF if is_task else MemoryPolicy.FULL
    assert call(asked, session="1", **ids).memory is expected


@for_each(
    ("asked", "ids", "is_by_prompt"),
    [
        (request(user("### Task: Translate it.")), {}, True),
        (request(user(TITLE)), {"message": "1"}, True),
        (request(user(TITLE)), {"task": "title_generation"}, False),
        (request(user(TITLE)), {"user_message": "1"}, False),
        (request(user("Hi")), {}, False),
    ],
)
def test_tasks_recognised_by_prompt_alone_are_distinguished_from_declared_ones(
    asked: ChatRequest, ids: dict[str, str], *, is_by_prompt: bool
) -> None:
    assert call(asked, **ids).is_task_by_prompt is is_by_prompt


@for_each("session", ["temporary:1", "local:abc", "Temporary:x"])
def test_temporary_and_local_chats_are_not_stored(session: str) -> None:
    assert call(request(user("Hi")), session=session).memory is MemoryPolicy.OFF


def test_without_a_question_there_is_nothing_to_remember() -> None:
    parsed = request({"role": "system", "content": "Say something."})
    assert call(parsed, session="1").memory is MemoryPolicy.OFF


def test_a_single_question_continues_unless_a_front_end_shows_branches() -> None:
    single = request({"role": "system", "content": "s"}, user("Hi"))
    assert call(single).continues
    assert not call(single, message="1").continues
    assert not CompletionCall(request=single, ids=ClientIds(is_front_end=True)).continues
    assert not call(request(user("Hi"), assistant("Hello"), user("How?"))).continues
