"""Requests for chat completions: what they hold, whose they are, and what memory they may use."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from recollect.domain.chat.front_end_texts import (
    holds_chat_history,
    is_task_prompt,
    user_words_in,
    without_thoughts,
)
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.identity.scope import MemoryPolicy
from recollect.domain.text import JsonObject, JsonValue, storable
from recollect.errors import InvalidInput

_TEXT_PARTS: Final = ("text", "input_text")  # no set: what is asked for may be unhashable
_MAX_KINDS: Final = 200
_MAX_TOOLS: Final = 50
_MAX_TOOL_NAME: Final = 200
_MAX_MODEL_NAME: Final = 255
_NOTHING: Final = "[nothing]"
_NOT_KEPT: Final = ("temporary:", "local:")


def text_of(content: JsonValue) -> str:
    """The text of a content as it is."""
    return "\n".join(texts_in(content))


def kinds_of(content: JsonValue) -> str:
    """What stands for a content without words: `[image_url]`, or nothing.

    Nothing stands for a text that a front end has written.
    """
    parts = content if isinstance(content, list) else []
    kinds = (
        part.get("type")
        for part in parts
        if isinstance(part, Mapping) and not text_of([part]).strip()
    )
    named = " ".join(f"[{kind}]" for kind in kinds if isinstance(kind, str) and kind.isidentifier())
    return named[:_MAX_KINDS]


def is_placeholder(text: str) -> bool:
    """Whether a text stands for a content without words: `[image_url]`, `[nothing]`."""
    kinds = text[: _MAX_KINDS + 1].split()
    return 0 < len(text) <= _MAX_KINDS and all(
        kind.startswith("[") and kind.endswith("]") and kind[1:-1].isidentifier() for kind in kinds
    )


def texts_in(content: JsonValue) -> Iterator[str]:
    """Yield the texts of a content, which is one text or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS:
            text = part.get("text")
            if isinstance(text, str):
                yield text


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The body of a request for a chat completion; everything in it is kept as it is."""

    body: JsonObject
    messages: tuple[JsonObject, ...]
    conversation: tuple[tuple[Role, str], ...]
    """What users and assistants said, from the first question to the last one.

    Instructions, tool calls and their results are no part of it, nor is a greeting before the
    first question, nor the beginning of the answer that is asked for.
    """

    @classmethod
    def of(cls, body: JsonValue) -> Self:
        """Read a body, or say what is missing for it to be a request."""
        if not isinstance(body, Mapping):
            raise InvalidInput("the body", "must be a JSON object")
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            raise InvalidInput("messages", "must be a list of at least one message")
        if not all(isinstance(message, Mapping) for message in messages):
            raise InvalidInput("messages", "must be a list of objects")
        _check_last_question(messages)
        texts = list(_texts_by_role(messages))
        questions = [place for place, (role, _) in enumerate(texts) if role is Role.USER]
        conversation = tuple(texts[questions[0] : questions[-1] + 1]) if questions else ()
        return cls(body=body, messages=tuple(messages), conversation=conversation)

    @property
    def model(self) -> str | None:
        """The model it asks for, as far as that can be a name."""
        model = self.body.get("model")
        return model if isinstance(model, str) and 0 < len(model) <= _MAX_MODEL_NAME else None

    @property
    def streams(self) -> bool:
        """Whether the answer is to come in pieces."""
        return self.body.get("stream") is True

    @property
    def goes_on(self) -> bool:
        """Whether something follows the last question: tool calls, or a begun answer."""
        place = self.last_question_at
        return place is not None and place < len(self.messages) - 1

    @property
    def begun_answer(self) -> str:
        """The beginning of the answer, where the client has one already and wants the rest."""
        last = self.messages[-1]
        is_begun = last.get("role") == Role.ASSISTANT and not last.get("tool_calls")
        return text_of(last.get("content")) if is_begun else ""

    @property
    def last_question_at(self) -> int | None:
        """The place of the last message in which a user says something."""
        places = range(len(self.messages) - 1, -1, -1)
        return next((place for place in places if _question(self.messages[place])), None)

    @property
    def tools_called(self) -> tuple[str, ...]:
        """The names of the tools called since the last question."""
        start = self.last_question_at or 0
        names = (name for m in self.messages[start:] for name in _tools(m.get("tool_calls")))
        return tuple(dict.fromkeys(names))[:_MAX_TOOLS]

    @property
    def looks_like_a_task(self) -> bool:
        """Whether a front end asks for a title, for tags or the like, and no user for anything."""
        return is_task_prompt(self._only_prompt, streams=self.streams)

    @property
    def holds_chat_history(self) -> bool:
        """Whether it is a front end's task that tells a whole chat, such as one for a title."""
        return holds_chat_history(self._only_prompt)

    @property
    def _only_prompt(self) -> str:
        """What a user's message says that is the only one; else empty."""
        first = self.messages[0]
        is_alone = len(self.messages) == 1 and first.get("role") == Role.USER
        return text_of(first.get("content")) if is_alone else ""


def storable_text(text: str) -> str:
    """A text as it is stored: without thoughts, and without what no database holds."""
    return storable(without_thoughts(text)).strip()[:MAX_CONTENT_LENGTH].rstrip()


def _check_last_question(messages: Sequence[JsonObject]) -> None:
    """Refuse a last message of the user that has no content; an empty text is one.

    Earlier ones are history, which no client can mend.
    """
    places = (
        at for at in range(len(messages) - 1, -1, -1) if messages[at].get("role") == Role.USER
    )
    place = next(places, None)
    if place is not None and not _is_content(messages[place].get("content")):
        raise InvalidInput(
            f"messages[{place}].content", "must be a text or a list of parts, each with its type"
        )


def _is_content(content: JsonValue) -> bool:
    parts = content if isinstance(content, list) else []
    is_list = any(isinstance(one, Mapping) and isinstance(one.get("type"), str) for one in parts)
    return isinstance(content, str) or is_list


def _texts_by_role(messages: Sequence[JsonObject]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        if question := _question(message):
            yield Role.USER, question
        elif message.get("role") == Role.ASSISTANT and not message.get("tool_calls"):
            text = storable_text(text_of(message.get("content")))
            if text:
                yield Role.ASSISTANT, text


def _question(message: JsonObject) -> str:
    """What a user says in a message; empty if it is no user's, or a front end wrote all of it."""
    if message.get("role") != Role.USER:
        return ""
    content = message.get("content")
    words = "\n".join(filter(None, map(user_words_in, texts_in(content))))
    question = storable_text(words) or kinds_of(content)
    return question or ("" if text_of(content).strip() else _NOTHING)


def _tools(calls: JsonValue) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and (text := storable_text(name)):
            yield text[:_MAX_TOOL_NAME]


def is_temporary_chat(chat_id: str) -> bool:
    """Whether a front end's chat with that id is kept nowhere."""
    return chat_id.lower().startswith(_NOT_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientIds:
    """What a front end tells about a call beside its body; None for what it does not tell."""

    session: str | None = None
    task: str | None = None
    """The work that a front end asks for by itself, such as `title_generation`."""
    message: str | None = None
    """The front end's own id of the reply that is asked for."""
    user_message: str | None = None
    """Its id of the question."""
    parent: str | None = None
    """Its id of what the question follows."""
    idempotency_key: str | None = None
    """The client's own key of the call: the question of a retry is stored once."""
    is_front_end: bool = False
    """Whether a front end calls that always sends the whole branch it shows."""

    @property
    def knows_messages(self) -> bool:
        """Whether the front end gives ids to messages at all."""
        return self.message is not None or self.user_message is not None

    @property
    def is_temporary(self) -> bool:
        """Whether the front end itself does not keep the conversation."""
        return self.session is not None and is_temporary_chat(self.session)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionCall:
    """A request, whose it is and how much memory it may use."""

    request: ChatRequest
    ids: ClientIds
    policy: MemoryPolicy = MemoryPolicy.FULL
    session_metadata: JsonObject = field(default_factory=dict)
    """What is noted of the caller where a session is started."""

    @property
    def question(self) -> str:
        """The last question, of which there must be one."""
        return self.request.conversation[-1][1]

    @property
    def is_task(self) -> bool:
        """Whether no user asks, but a front end for a title, tags, suggestions or searches.

        A front end that gives ids to messages has none for the reply to most such calls; of
        others, and where the prompt holds a whole chat, the prompt decides.
        """
        return self._is_declared_task or self.is_task_by_prompt

    @property
    def is_task_by_prompt(self) -> bool:
        """Whether it is taken for a task by its prompt alone, which a user may have written."""
        if self._is_declared_task:
            return False
        if self.ids.knows_messages:
            return self.request.holds_chat_history
        return self.request.looks_like_a_task

    @property
    def is_question_without_reply_id(self) -> bool:
        """Whether it is taken for a task only since the client names no reply."""
        lacks_reply_id = self.ids.task is None and self.ids.message is None
        return self._is_declared_task and lacks_reply_id and not self.request.looks_like_a_task

    @property
    def _is_declared_task(self) -> bool:
        """Whether the client's ids say so."""
        is_without_reply = self.ids.knows_messages and self.ids.message is None
        return self.ids.task is not None or is_without_reply

    @property
    def memory(self) -> MemoryPolicy:
        """How much memory is used: none for tasks, and for what is not to be kept."""
        is_apart = self.is_task or self.ids.is_temporary or not self.request.conversation
        return MemoryPolicy.OFF if is_apart else self.policy

    @property
    def continues(self) -> bool:
        """Whether the client sent its last question alone and leaves the rest to memory.

        A front end that shows branches sends all of one: a single question is then the first.
        """
        is_whole = self.ids.is_front_end or self.ids.knows_messages
        return not is_whole and len(self.request.conversation) == 1


def to_bytes(body: JsonObject) -> bytes:
    """JSON as it is sent; escapes keep even what is no valid text as it came."""
    return json.dumps(body, default=dict).encode()


def to_bytes_in_steps(body: JsonObject) -> bytes:
    """The same for large ones, slower, and without keeping other threads waiting."""
    return "".join(json.JSONEncoder(default=dict).iterencode(body)).encode()
