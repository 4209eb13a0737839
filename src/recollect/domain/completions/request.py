"""What a client's request says, as far as memory needs to know."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from recollect.domain.completions.content import kinds_of, text_of, words_of
from recollect.domain.completions.front_end_prompts import is_task_prompt, tells_a_chat
from recollect.domain.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.text import JsonObject, JsonValue, storable
from recollect.domain.thoughts import without_thoughts
from recollect.errors import InvalidInput

_MAX_TOOLS: Final = 50
_MAX_TOOL_NAME: Final = 200
_MAX_MODEL_NAME: Final = 255
_NOTHING: Final = "[nothing]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The body of a request for a chat completion; everything in it is kept as it is."""

    body: JsonObject
    messages: tuple[JsonObject, ...]
    _said: tuple[tuple[Role, str], ...] | None = field(
        default=None, init=False, repr=False, compare=False
    )

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
        first question, nor the beginning of the answer that is asked for. Read once: a front
        end sends the whole conversation with every question.
        """
        if self._said is None:
            object.__setattr__(self, "_said", self._read_said())
        return self._said or ()

    def _read_said(self) -> tuple[tuple[Role, str], ...]:
        spoken = list(_spoken(self.messages))
        questions = [place for place, (role, _) in enumerate(spoken) if role is Role.USER]
        return tuple(spoken[questions[0] : questions[-1] + 1]) if questions else ()

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
    def tells_a_chat(self) -> bool:
        """Whether it is a front end's task that tells a whole chat, such as one for a title."""
        return tells_a_chat(self._only_prompt)

    @property
    def _only_prompt(self) -> str:
        """What a user's message says that is the only one; else empty."""
        first = self.messages[0]
        is_alone = len(self.messages) == 1 and first.get("role") == Role.USER
        return text_of(first.get("content")) if is_alone else ""


def remembered(text: str) -> str:
    """A text as it is stored: without thoughts, and without what no database holds."""
    return storable(without_thoughts(text)).strip()[:MAX_CONTENT_LENGTH].rstrip()


def _spoken(messages: Sequence[JsonObject]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        if question := _question(message):
            yield Role.USER, question
        elif message.get("role") == Role.ASSISTANT and not message.get("tool_calls"):
            text = remembered(text_of(message.get("content")))
            if text:
                yield Role.ASSISTANT, text


def _question(message: JsonObject) -> str:
    """What a user says in a message; empty if it is no user's, or a front end wrote all of it."""
    if message.get("role") != Role.USER:
        return ""
    content = message.get("content")
    said = remembered(words_of(content)) or kinds_of(content)
    return said or ("" if text_of(content).strip() else _NOTHING)


def _tools(calls: JsonValue) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and (kept := remembered(name)):
            yield kept[:_MAX_TOOL_NAME]
