"""What `recollect chat` talks to: a memory opened in this process, or a server."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.context.window import CUT_MARK
from recollect.domain.conversation.message import NewMessage, Role, reply_id_for
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import AS_SET, RecallOverrides
from recollect.errors import IdAlreadyUsed, NotFound
from recollect.interfaces.http.schemas.chat import ChatOut
from recollect.memory import Memory
from recollect.services.services import Services

SESSION_METADATA: Final = {"created_via": "cli"}
STOPPED: Final = {"stopped": True}
"""Metadata of a reply that was stopped before its end."""
_NO_ANSWER: Final = "(no answer)"
_ASKED_BEFORE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSummary:
    """What is known of an answer when it is over."""

    answer: str
    question: str
    """The question as it was understood."""
    session_id: str | None
    messages_in_context: int = 0
    has_summary: bool = False
    recalled: Sequence[Mapping[str, Any]] = ()
    citations: Sequence[object] = ()
    warnings: Sequence[str] = field(default=())

    @classmethod
    def of(cls, answered: Mapping[str, Any]) -> "AnswerSummary":
        """Read the JSON form of an answer."""
        metadata = answered["metadata"]
        return cls(
            answer=answered["answer"],
            question=metadata["question"],
            session_id=metadata["session_id"],
            messages_in_context=metadata["messages_in_context"],
            has_summary=metadata["sources"]["summary"] is not None,
            recalled=metadata["recalled"],
            citations=answered["citations"],
            warnings=metadata["warnings"],
        )


class Partner(Protocol):
    """Answers within one conversation at a time."""

    @property
    def session_id(self) -> str | None:
        """The conversation; None before its first question."""
        ...

    def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces of text, and what is known of it as the last item."""
        ...

    async def keep_stopped(self, partial: str) -> None:
        """Keep what was heard of the last answer, so that its question stays in the context."""
        ...

    async def asked_before(self) -> Sequence[str]:
        """The questions of a resumed conversation, oldest first."""
        ...

    def start_anew(self) -> None:
        """Leave the conversation as it is; the next question begins another."""
        ...

    async def forget(self) -> None:
        """Delete the conversation; the next question begins another."""
        ...


def stopped_reply(partial: str) -> str:
    """What is stored for an answer that was stopped: what was heard of it, and a mark.

    Of an answer of which nothing was heard, recall finds nothing either.
    """
    heard = partial.rstrip()
    return f"{heard} {CUT_MARK}" if heard else _NO_ANSWER


class EmbeddedPartner:
    """Asks the services themselves; no server is needed."""

    def __init__(
        self,
        memory: Memory,
        scope: Scope,
        *,
        session_id: UUID | None,
        model: str | None = None,
        recall: RecallOverrides = AS_SET,
    ) -> None:
        self._services: Services = memory.services
        self._scope = scope
        self._session_id = session_id
        self._question_id: UUID | None = None
        self._model = model
        self._recall = recall

    @property
    def session_id(self) -> str | None:
        """The conversation; None before its first question."""
        return None if self._session_id is None else str(self._session_id)

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        """The answer in pieces, and what is known of it as the last item."""
        if self._session_id is None:
            self._session_id = await self._new_session()
        self._question_id = self._services.ids.new_id()
        inquiry = Inquiry(
            text=question,
            session_id=self._session_id,
            message_id=self._question_id,
            model=self._model,
            recall=self._recall,
        )
        turn = await self._services.chat.begin(self._scope, inquiry)
        async with aclosing(turn.stream()) as pieces:
            async for piece in pieces:
                yield _summary(piece) if isinstance(piece, Answered) else piece

    async def keep_stopped(self, partial: str) -> None:
        """Keep what was heard of the last answer; its question stays in the context."""
        if self._session_id is None or self._question_id is None:
            return
        reply = NewMessage(
            message_id=reply_id_for(self._question_id),
            role=Role.ASSISTANT,
            content=stopped_reply(partial),
            metadata=dict(STOPPED),
        )
        try:
            await self._services.messages.append(
                self._scope, self._session_id, [reply], reply_to=self._question_id
            )
        except (NotFound, IdAlreadyUsed):
            return  # stopped before the question was stored, or after the whole reply was

    async def asked_before(self) -> Sequence[str]:
        """The questions of the conversation that is resumed."""
        if self._session_id is None:
            return ()
        messages = await self._services.messages.last(
            self._scope, self._session_id, count=_ASKED_BEFORE
        )
        return [message.content for message in messages if message.role is Role.USER]

    def start_anew(self) -> None:
        """Begin another conversation with the next question."""
        self._session_id = self._question_id = None

    async def forget(self) -> None:
        """Delete the conversation."""
        if self._session_id is not None:
            await self._services.sessions.delete(self._scope, self._session_id)
        self.start_anew()

    async def _new_session(self) -> UUID:
        """Start it before its first question, so that a question stopped at once is not lost."""
        new = NewSession(session_id=self._services.ids.new_id(), metadata=dict(SESSION_METADATA))
        session, _ = await self._services.sessions.start(self._scope, new)
        return session.session_id


def _summary(answered: Answered) -> AnswerSummary:
    return AnswerSummary.of(ChatOut.of(answered).model_dump(mode="json"))
