"""What a client's request says, as far as memory needs to know."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from recollect.domain.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.text import JsonObject, JsonValue, storable
from recollect.domain.thoughts import without_thoughts
from recollect.errors import InvalidInput

_TEXT_PARTS: Final = ("text", "input_text")  # no set: what is asked for may be unhashable
_TASK_MARK: Final = "### Task:"
_MAX_TOOLS: Final = 50
_MAX_TOOL_NAME: Final = 200
_MAX_MODEL_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The body of a request for a chat completion; everything in it is kept as it is."""

    body: JsonObject
    messages: tuple[JsonObject, ...]

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
        return cls(body=body, messages=tuple(messages))

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
    def said(self) -> tuple[tuple[Role, str], ...]:
        """What users and assistants said, from the first question to the last one.

        Instructions, tool calls and their results are no part of it, nor is a greeting before the
        first question, nor the beginning of the answer that is asked for.
        """
        spoken = list(_spoken(self.messages))
        questions = [place for place, (role, _) in enumerate(spoken) if role is Role.USER]
        return tuple(spoken[questions[0] : questions[-1] + 1]) if questions else ()

    @property
    def goes_on(self) -> bool:
        """Whether something follows the last question: tool calls, or a begun answer."""
        return self.messages[-1].get("role") != Role.USER

    @property
    def begun_answer(self) -> str:
        """The beginning of the answer, where the client has one already and wants the rest."""
        last = self.messages[-1]
        is_begun = last.get("role") == Role.ASSISTANT and not last.get("tool_calls")
        return text_of(last.get("content")) if is_begun else ""

    @property
    def last_question_at(self) -> int | None:
        """The place of the last message of a user."""
        places = [place for place, m in enumerate(self.messages) if m.get("role") == Role.USER]
        return places[-1] if places else None

    @property
    def tools_called(self) -> tuple[str, ...]:
        """The names of the tools called since the last question."""
        start = self.last_question_at or 0
        names = (name for m in self.messages[start:] for name in _tools(m.get("tool_calls")))
        return tuple(dict.fromkeys(names))[:_MAX_TOOLS]

    @property
    def looks_like_a_task(self) -> bool:
        """Whether a front end asks for a title, for tags or the like, and no user for anything."""
        first = self.messages[0]
        is_alone = len(self.messages) == 1 and first.get("role") == Role.USER
        return is_alone and text_of(first.get("content")).lstrip().startswith(_TASK_MARK)


def text_of(content: JsonValue) -> str:
    """The text of a message's content, given whole or in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [part.get("text") for part in parts if part.get("type") in _TEXT_PARTS]
    return "\n".join(text for text in texts if isinstance(text, str))


def remembered(text: str) -> str:
    """A text as it is stored: without thoughts, and without what no database holds."""
    return storable(without_thoughts(text)).strip()[:MAX_CONTENT_LENGTH].rstrip()


def _spoken(messages: Sequence[JsonObject]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        content = message.get("content")
        if message.get("role") == Role.USER:
            yield Role.USER, remembered(text_of(content)) or _kinds_of(content)
        elif message.get("role") == Role.ASSISTANT and not message.get("tool_calls"):
            text = remembered(text_of(content))
            if text:
                yield Role.ASSISTANT, text


def _kinds_of(content: JsonValue) -> str:
    """What stands for a message without text: `[image_url]`."""
    parts = content if isinstance(content, list) else []
    kinds = [part.get("type") for part in parts if isinstance(part, Mapping)]
    named = " ".join(f"[{kind}]" for kind in kinds if isinstance(kind, str) and kind.isidentifier())
    return named[:_MAX_TOOL_NAME] or "[nothing]"


def _tools(calls: JsonValue) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and (kept := remembered(name)):
            yield kept[:_MAX_TOOL_NAME]
