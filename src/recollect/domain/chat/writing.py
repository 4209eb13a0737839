"""Chat completion requests with memory, as the chat templates of models accept them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.chat.requests import ChatRequest, text_of
from recollect.domain.conversation.message import Role
from recollect.domain.model_names import ChatTemplate
from recollect.domain.text import JsonObject, JsonValue

_INSTRUCTING: Final = ("system", "developer")  # no set: what is asked for may be unhashable
_GREETING: Final = "The assistant began the conversation with:\n{text}"


def shaped(messages: Sequence[JsonObject], template: ChatTemplate) -> list[JsonObject]:
    """The messages as a template accepts them; a message that need not change stays as it is.

    All instructions become one message, which leads. Nothing that was said is left out.
    """
    instructions = [message for message in messages if is_instructing(message)]
    spoken = [message for message in messages if not is_instructing(message)]
    if template is not ChatTemplate.PLAIN:
        greetings, spoken = _from_the_first_question(spoken)
        instructions += greetings
        spoken = _merged_neighbours(spoken)
    if template is ChatTemplate.NO_SYSTEM:
        return _without_instructions(instructions, spoken)
    return [*_merged(instructions), *spoken]


def is_instructing(message: JsonObject) -> bool:
    """Whether a message tells the model how to behave."""
    return message.get("role") in _INSTRUCTING


def system_message(text: str) -> JsonObject:
    """A message with instructions."""
    return {"role": str(Role.SYSTEM), "content": text}


def _merged(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """One message with the content of all; nothing where there is none."""
    if not messages:
        return []
    first, *others = messages
    for other in others:
        first = {**first, "content": _joined(first.get("content"), other.get("content"))}
    return [first]


def _joined(first: JsonValue, second: JsonValue) -> JsonValue:
    """Two contents as one: a text, or a list of parts if either is one."""
    if isinstance(first, list):
        after = f"\n\n{second}" if isinstance(second, str) and second else second
        return [*first, *_parts(after)]
    if isinstance(second, list):
        before = f"{first}\n\n" if isinstance(first, str) and first else first
        return [*_parts(before), *second]
    return "\n\n".join(text for text in (first, second) if isinstance(text, str) and text)


def _parts(content: JsonValue) -> list[JsonValue]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []


def _from_the_first_question(
    spoken: Sequence[JsonObject],
) -> tuple[list[JsonObject], list[JsonObject]]:
    """What an assistant said before the first question, as instructions, and all the rest."""
    start = 0
    while start < len(spoken) and _speaks(spoken[start], Role.ASSISTANT):
        start += 1
    greetings = (text_of(message.get("content")) for message in spoken[:start])
    if start == len(spoken):
        return [], list(spoken)
    return [system_message(_GREETING.format(text=text)) for text in greetings], list(spoken[start:])


def _merged_neighbours(spoken: Sequence[JsonObject]) -> list[JsonObject]:
    """What one side said in several messages as one; calls of tools and results stay apart."""
    runs: list[list[JsonObject]] = []
    for message in spoken:
        is_next = any(
            _speaks(message, role) and runs and _speaks(runs[-1][-1], role)
            for role in (Role.USER, Role.ASSISTANT)
        )
        if is_next:
            runs[-1].append(message)
        else:
            runs.append([message])
    return [message for run in runs for message in _merged(run)]


def _without_instructions(
    instructions: Sequence[JsonObject], spoken: Sequence[JsonObject]
) -> list[JsonObject]:
    """The instructions within the first question, or as one where there is none."""
    if not instructions:
        return list(spoken)
    (leading,) = _merged(instructions)
    content = leading.get("content")
    place = next((at for at, m in enumerate(spoken) if _speaks(m, Role.USER)), None)
    if place is None:
        return [{"role": str(Role.USER), "content": content}, *spoken]
    first = spoken[place]
    question = {**first, "content": _joined(content, first.get("content"))}
    return [*spoken[:place], question, *spoken[place + 1 :]]


def _speaks(message: JsonObject, role: Role) -> bool:
    return message.get("role") == role and not message.get("tool_calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """What memory adds to a request."""

    standing: str = ""
    """What the user wants in all answers; it seldom changes."""
    profile: str = ""
    """What is stored about the user; it seldom changes."""
    summary: str = ""
    """What came before the window, in short; the same in the next turn, or it grows."""
    window: Sequence[JsonObject] = ()
    """Earlier messages that the client left out; they only grow."""
    facts: str = ""
    """What is known about the user and matters to this question."""
    recalled: str = ""
    """What is told for this question alone."""
    tables: tuple[str, ...] = ()
    """The tables that these draw on."""

    def __bool__(self) -> bool:
        leading = self.standing or self.profile or self.summary
        return bool(leading or self.window or self.facts or self.recalled)


def with_memories(
    request: ChatRequest, memories: Memories, *, template: ChatTemplate = ChatTemplate.PLAIN
) -> JsonObject:
    """The request with what memory adds, as the model's chat template accepts it.

    Standing instructions, profile and summary follow the client's instructions in one leading
    message, and facts and what was recalled come within the last question, before the user's words:
    everything before that is what the endpoint has read in the last turn already, and has cached.
    With nothing to add, messages change only where a template is strict.
    """
    if not memories and template is ChatTemplate.PLAIN:
        return request.body
    messages: list[JsonValue] = [*shaped(_with_memories(request, memories), template)]
    return {**request.body, "messages": messages}


def _with_memories(request: ChatRequest, memories: Memories) -> list[JsonObject]:
    messages = list(request.messages)
    place = request.last_question_at
    found = "\n\n".join(filter(None, (memories.facts, memories.recalled)))
    if found and place is not None:
        content = _joined(found, messages[place].get("content"))
        messages[place] = {**messages[place], "content": content}
    instructions = [message for message in messages if is_instructing(message)]
    spoken = [message for message in messages if not is_instructing(message)]
    told = (memories.standing, memories.profile, memories.summary)
    leading = [system_message(text) for text in told if text]
    return [*instructions, *leading, *memories.window, *spoken]
