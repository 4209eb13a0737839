"""One turn, from the question to the stored reply: the only place where they all meet.

state → session and context → question stored → answerer → reply stored. Nothing holds a
connection while a model works, and whatever ends a turn early leaves it failed, with its question.
"""

from dataclasses import dataclass
from hashlib import sha256
from time import perf_counter
from typing import Final
from uuid import UUID

from recollect.domain.answer import Asked
from recollect.domain.context import Context
from recollect.domain.followup.language import language_of
from recollect.domain.inquiry import Answered, Inquiry
from recollect.domain.message import NewMessage, Role, message_id_for_key
from recollect.domain.policies import Policies
from recollect.domain.presets import MissingSession
from recollect.domain.recall.policy import RecallWish
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, session_id_from
from recollect.errors import MissingSessionId, SessionNotFound
from recollect.ports.clock import Ids
from recollect.ports.counters import Counters
from recollect.services.answering import Answering, ChatTurn
from recollect.services.attempts import Attempts
from recollect.services.contexts import Contexts
from recollect.services.sessions import Sessions
from recollect.services.states import States
from recollect.services.turns import OpenTurn, Turns

NO_MEMORY: Final = "Memory did not answer; the question was answered without it."
NOT_STORED: Final = "Memory did not answer; this exchange is not remembered."
USER_WIDE: Final = "user-wide"
"""The name of the one session of a user, where everything goes to one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Answers questions with the memory of whoever asks."""

    states: States
    sessions: Sessions
    contexts: Contexts
    turns: Turns
    answering: Answering
    ids: Ids
    policies: Policies
    counters: Counters

    async def ask(self, scope: Scope, inquiry: Inquiry) -> Answered:
        """Answer a question, all at once."""
        turn = await self.begin(scope, inquiry)
        return await turn.answer()

    async def check_state(self, scope: Scope) -> None:
        """Refuse a user who is halted; where that cannot be told now, nobody is refused."""
        await Attempts(self.counters).attempt("state", self.states.check_not_halted(scope))

    async def begin(self, scope: Scope, inquiry: Inquiry) -> ChatTurn:
        """Put a question into its context and store it; no model has been asked yet.

        Whoever begins a turn goes on at once with `answer` or `stream`, which also end it.
        """
        began = perf_counter()
        attempts = Attempts(self.counters)
        await attempts.attempt("state", self.states.check_not_halted(scope))
        session_id = self._session_id(scope, inquiry) if inquiry.uses_memory else None
        context, opened = None, None
        if session_id is not None:
            context = await attempts.attempt(
                "context", self._context(scope, session_id, inquiry), warning=NO_MEMORY
            )
            opened = await self._open(scope, session_id, inquiry, attempts)
        return ChatTurn(
            answering=self.answering,
            scope=scope,
            asked=Asked(
                context=context or self.contexts.bare(inquiry.text, model=inquiry.model),
                options=inquiry.options,
                model=inquiry.model,
            ),
            session_id=session_id,
            opened=opened,
            attempts=attempts,
            began=began,
            ready=perf_counter(),
        )

    def _session_id(self, scope: Scope, inquiry: Inquiry) -> UUID:
        if inquiry.session_id is not None:
            return inquiry.session_id
        match self.policies.missing_session:
            case MissingSession.REJECT if inquiry.needs_session_id:
                raise MissingSessionId
            case MissingSession.USER_WIDE:
                return session_id_from(USER_WIDE, scope.owner_id)
            case _ if inquiry.idempotency_key:
                return session_id_from(_asked_first(inquiry.idempotency_key), scope.owner_id)
            case _:
                return self.ids.new_id()

    def _message_id(self, session_id: UUID, inquiry: Inquiry) -> UUID:
        if inquiry.message_id is not None:
            return inquiry.message_id
        if inquiry.idempotency_key:
            return message_id_for_key(session_id, inquiry.idempotency_key)
        return self.ids.new_id()

    async def _context(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> Context:
        """The question in its context; a session that is not there yet is started."""
        self.contexts.check(inquiry.text, model=inquiry.model, window=inquiry.window)
        is_known = inquiry.session_id is not None
        if not is_known:
            await self._start(scope, session_id, inquiry)
        try:
            return await self._build(scope, session_id, inquiry)
        except SessionNotFound:
            if self.policies.rejects_unknown_sessions and is_known:
                raise
        await self._start(scope, session_id, inquiry)
        return await self._build(scope, session_id, inquiry)

    async def _build(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> Context:
        return await self.contexts.build(
            scope,
            session_id,
            inquiry.text,
            model=inquiry.model,
            window=inquiry.window,
            databases=inquiry.databases or None,
            recall=RecallWish(k=inquiry.recalled),
        )

    async def _start(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> None:
        session = NewSession(
            session_id=session_id,
            name=inquiry.session_name,
            metadata={"language": language_of(inquiry.text, ()), **inquiry.session_metadata},
            databases=inquiry.databases,
            tags=inquiry.tags,
        )
        await self.sessions.start(scope, session)

    async def _open(
        self, scope: Scope, session_id: UUID, inquiry: Inquiry, attempts: Attempts
    ) -> OpenTurn | None:
        if attempts.is_database_away:
            attempts.warn(NOT_STORED)
            return None
        return await attempts.attempt(
            "question", self._store(scope, session_id, inquiry), warning=NOT_STORED
        )

    async def _store(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> OpenTurn:
        question = NewMessage(
            message_id=self._message_id(session_id, inquiry), role=Role.USER, content=inquiry.text
        )
        try:
            return await self.turns.begin(scope, session_id, question)
        except SessionNotFound:  # the context failed before it could start the session
            await self._start(scope, session_id, inquiry)
            return await self.turns.begin(scope, session_id, question)


def _asked_first(key: str) -> str:
    """What a session is called that a question with this key has started."""
    return f"asked first with {sha256(key.encode()).hexdigest()}"
