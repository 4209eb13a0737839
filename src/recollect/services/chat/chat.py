"""One turn, from the question to the stored reply: the only place where they all meet.

state → question stored, and its context meanwhile → answerer → reply stored. Nothing holds a
connection while a model works, and whatever ends a turn early leaves it failed, with its question.
"""

import asyncio
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from time import perf_counter
from typing import Final
from uuid import UUID

from recollect.domain.chat.answers import Answered, AnswerRequest, Inquiry
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import NewMessage, Role, message_id_for_key
from recollect.domain.conversation.session import NewSession, session_id_from, user_wide_session_id
from recollect.domain.followup.language import known_language
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import MissingSession, Policies
from recollect.errors import MissingSessionId, SessionNotFound
from recollect.ports.runtime import Counters, Ids
from recollect.services.access.accounts import States
from recollect.services.chat.answering import Answering, ChatTurn
from recollect.services.chat.degradation import Degradation, Probe
from recollect.services.context.contexts import Contexts
from recollect.services.conversations.sessions import Sessions
from recollect.services.conversations.turns import OpenTurn, Turns

NO_MEMORY: Final = "Memory did not answer; the question was answered without it."
SWITCHED_OFF: Final = "Memory is switched off on this server; nothing is remembered."
NOT_STORED: Final = "Memory did not answer; this exchange is not remembered."


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
    probe: Probe | None = None
    """Tells whether the database answers; None where it cannot hang."""

    async def ask(self, scope: Scope, inquiry: Inquiry) -> Answered:
        """Answer a question, all at once."""
        turn = await self.begin(scope, inquiry)
        return await turn.answer()

    async def check_state(self, scope: Scope) -> None:
        """Refuse a user who is halted; where that cannot be told now, nobody is refused."""
        await self._check_state(scope, Degradation(self.counters, probe=self.probe))

    async def begin(self, scope: Scope, inquiry: Inquiry) -> ChatTurn:
        """Put a question into its context and store it; no model has been asked yet.

        Whoever begins a turn goes on at once with `answer` or `stream`, which also end it.
        """
        began = perf_counter()
        attempts = Degradation(self.counters, probe=self.probe)
        await self._check_state(scope, attempts)
        if inquiry.uses_memory and not self.policies.is_enabled:
            attempts.warn(SWITCHED_OFF)
        uses_memory = inquiry.uses_memory and self.policies.is_enabled
        session_id = self._session_id(scope, inquiry) if uses_memory else None
        context, opened = None, None
        if session_id is not None:
            context, opened = await self._remember(scope, session_id, inquiry, attempts)
        if context is None:
            context = await self.contexts.bare(inquiry.text, model=inquiry.model)
        return ChatTurn(
            answering=self.answering,
            scope=scope,
            asked=AnswerRequest(
                context=context,
                options=inquiry.options,
                model=inquiry.model,
            ),
            session_id=session_id,
            opened=opened,
            attempts=attempts,
            began=began,
            ready=perf_counter(),
        )

    def _rejects_unknown(self, inquiry: Inquiry) -> bool:
        return self.policies.rejects_unknown_sessions and inquiry.session_id is not None

    def _session_id(self, scope: Scope, inquiry: Inquiry) -> UUID:
        named = inquiry.session_id or scope.anonymous_session
        if named is not None:
            return named
        match self.policies.missing_session:
            case MissingSession.REJECT if inquiry.needs_session_id:
                raise MissingSessionId
            case MissingSession.USER_WIDE:
                return user_wide_session_id(scope.owner_id)
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

    async def _check_state(self, scope: Scope, attempts: Degradation) -> None:
        await attempts.attempt("state", self.states.check_not_halted(scope))

    async def _remember(
        self, scope: Scope, session_id: UUID, inquiry: Inquiry, attempts: Degradation
    ) -> tuple[Context | None, OpenTurn | None]:
        """The question's context, and the question stored; memory may fail at either.

        Neither waits for the other: a question that has no answer yet is in no context.
        """
        await self._check(inquiry)
        read = partial(self._read, scope, session_id, inquiry, attempts)
        reading = asyncio.create_task(read())
        reading.add_done_callback(_notice)
        opened = None
        try:
            opened = await self._open(scope, session_id, inquiry, attempts)
            try:
                context = await reading
            except SessionNotFound:  # it is started for its question, and then read once more
                if self._rejects_unknown(inquiry):
                    raise
                context = await read() if opened else None
        except BaseException:
            reading.cancel()
            if opened is not None:
                await self.turns.fail(opened)
            raise
        for part, warning in ((context, NO_MEMORY), (opened, NOT_STORED)):
            if part is None:
                attempts.warn(warning)
        return context, opened

    async def _open(
        self, scope: Scope, session_id: UUID, inquiry: Inquiry, attempts: Degradation
    ) -> OpenTurn | None:
        if attempts.is_database_away:
            return None
        return await attempts.attempt("question", self._store(scope, session_id, inquiry))

    async def _check(self, inquiry: Inquiry) -> None:
        """Refuse what no context can be made for, before anything is stored."""
        await self.contexts.check(
            inquiry.text,
            model=inquiry.model,
            window=inquiry.window,
            databases=inquiry.databases,
            recall=inquiry.recall,
        )

    async def _read(
        self, scope: Scope, session_id: UUID, inquiry: Inquiry, attempts: Degradation
    ) -> Context | None:
        building = self.contexts.build(
            scope,
            session_id,
            inquiry.text,
            model=inquiry.model,
            window=inquiry.window,
            databases=inquiry.databases or None,
            recall=inquiry.recall,
        )
        return await attempts.attempt("context", building)

    async def _start(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> None:
        language = known_language(inquiry.text)
        session = NewSession(
            session_id=session_id,
            name=inquiry.session_name,
            metadata={
                **({} if language is None else {"language": language}),
                **inquiry.session_metadata,
            },
            databases=inquiry.databases,
            tags=inquiry.tags,
        )
        await self.sessions.start(scope, session)

    async def _store(self, scope: Scope, session_id: UUID, inquiry: Inquiry) -> OpenTurn:
        """Store the question; a session that is not there yet is started."""
        question = NewMessage(
            message_id=self._message_id(session_id, inquiry), role=Role.USER, content=inquiry.text
        )
        try:
            return await self.turns.begin(scope, session_id, question)
        except SessionNotFound:
            if self._rejects_unknown(inquiry):
                raise
        await self._start(scope, session_id, inquiry)
        return await self.turns.begin(scope, session_id, question)


def _asked_first(key: str) -> str:
    """What a session is called that a question with this key has started."""
    return f"asked first with {sha256(key.encode()).hexdigest()}"


def _notice(reading: "asyncio.Task[Context | None]") -> None:
    """Whatever came of it is known, also where the question has failed before."""
    if not reading.cancelled():
        reading.exception()
