"""A request for a completion with everything around it that tells what to do with it."""

from dataclasses import dataclass, field
from typing import Final

from recollect.domain.completions.request import ChatRequest
from recollect.domain.memory_policy import MemoryPolicy
from recollect.domain.text import JsonObject

_NOT_KEPT: Final = ("temporary:", "local:")


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
    def is_task(self) -> bool:
        """Whether no user asks, but a front end for a title, tags, suggestions or searches.

        A front end that gives ids to messages has none for the reply to most such calls; of
        others, and where the prompt tells a whole chat, it is told by the prompt.
        """
        return self._is_declared_task or self.is_task_by_prompt

    @property
    def is_task_by_prompt(self) -> bool:
        """Whether it is taken for a task by its prompt alone, which a user may have written."""
        if self._is_declared_task:
            return False
        if self.ids.knows_messages:
            return self.request.tells_a_chat
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
        is_apart = self.is_task or self.ids.is_temporary or not self.request.said
        return MemoryPolicy.OFF if is_apart else self.policy

    @property
    def continues(self) -> bool:
        """Whether the client sent its last question alone and leaves the rest to memory.

        A front end that shows branches sends all of one: a single question is then the first.
        """
        is_whole = self.ids.is_front_end or self.ids.knows_messages
        return not is_whole and len(self.request.said) == 1
