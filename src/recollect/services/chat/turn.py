"""What every turn shares: admission, a session, its end, and a memory that may fail."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar
from uuid import UUID

from recollect.domain.conversation.message import Message, message_id_for_key
from recollect.domain.conversation.session import NewSession
from recollect.domain.followup.language import known_language
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.errors import (
    ConfigurationError,
    DatabaseUnavailable,
    ModelUnavailable,
    NotFound,
    SessionNotFound,
    Unavailable,
)
from recollect.ports.models import Answerer
from recollect.ports.runtime import Counters, Ids
from recollect.services.access import States
from recollect.services.conversations.sessions import Sessions
from recollect.services.conversations.turns import Turns

Result = TypeVar("Result")

MEMORY_FAILURES: Final = "memory_failures"
"""The counter of what memory could not do, by step."""

NO_MEMORY: Final = "Memory did not answer; the question was answered without it."
SWITCHED_OFF: Final = "Memory is switched off on this server; nothing is remembered."
NOT_STORED: Final = "Memory did not answer; this exchange is not remembered."
REPLY_NOT_STORED: Final = "Memory did not answer; the reply is not remembered."
SESSION_GONE: Final = "The session was deleted meanwhile; this exchange is not remembered."

Probe = Callable[[], Awaitable[bool]]
"""Raises `DatabaseUnavailable` if the database does not answer now, within a second."""

_PATIENT_SECONDS: Final = 5.0

logger = logging.getLogger(__name__)


class Degradation:
    """Tries what memory does for one question, and remembers what it could not do.

    Only `Unavailable` is forgiven: something outside that does not answer now. Bad input,
    credentials and permissions are not memory's failures, and a question ends with them.

    What takes longer than a few seconds may be a model that thinks, or a database that hangs: the
    probe tells. Nobody waits for a database that hangs, and after a failure it is probed at once.
    """

    def __init__(
        self,
        counters: Counters,
        *,
        probe: Probe | None = None,
        patient_seconds: float = _PATIENT_SECONDS,
    ) -> None:
        self._counters = counters
        self._probe = probe
        self._patient_seconds = patient_seconds
        self._warnings: dict[str, None] = {}
        self._is_database_away = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know, each thing once."""
        return tuple(self._warnings)

    @property
    def is_database_away(self) -> bool:
        """Whether the database was found not to answer; asking it again would only take time."""
        return self._is_database_away

    async def attempt(
        self, step: str, work: Awaitable[Result], *, warning: str | None = None
    ) -> Result | None:
        """The result of the work, or None if memory did not answer."""
        try:
            result = await self._while_answering(work)
        except Unavailable as error:
            facts = {"step": step, "error": type(error).__name__}
            if isinstance(error, DatabaseUnavailable) and error.reason:
                facts["reason"] = error.reason
            logger.warning("memory.failed", extra={"facts": facts})
            self._is_database_away |= isinstance(error, DatabaseUnavailable)
            self._counters.add(MEMORY_FAILURES, labels=(step,))
            if warning:
                self.warn(warning)
            return None
        self._is_database_away = False
        return result

    async def _while_answering(self, work: Awaitable[Result]) -> Result:
        """The result of the work, which is cancelled once the database is found to hang.

        Work that ends meanwhile counts: its result, or why it was refused. A write that has begun
        goes on by itself, as `Turns` sees to.
        """
        if self._probe is None:
            return await work
        working = asyncio.ensure_future(work)
        try:
            await self._until_done(working, self._probe)
        except Unavailable:
            if await _cancel(working):
                raise
        except BaseException:
            await _cancel(working)
            raise
        return working.result()

    async def _until_done(self, working: "asyncio.Future[Result]", probe: Probe) -> None:
        """Wait for the work, as long as the database answers.

        It has a second chance: on a busy machine the probe's first connection takes its time.
        """
        seconds = 0 if self._is_database_away else self._patient_seconds
        has_second_chance = not self._is_database_away
        while not (await asyncio.wait({working}, timeout=seconds))[0]:
            try:
                await probe()
            except Unavailable:
                if not has_second_chance:
                    raise
                has_second_chance, seconds = False, 0
            else:
                has_second_chance, seconds = True, self._patient_seconds

    def warn(self, warning: str) -> None:
        """Add a warning for the user."""
        self._warnings[warning] = None


async def _cancel(working: "asyncio.Future[Result]") -> bool:
    """Cancel the work and wait for its end. Return whether it was cancelled before it was done."""
    working.cancel()
    await asyncio.wait({working})
    if not working.cancelled():
        working.exception()  # seen, whether anybody wants to know it or not
    return working.cancelled()


@dataclass(slots=True, kw_only=True)
class TurnEnding:
    """Ends a stored turn, once: with its reply, or as failed."""

    scope: Scope
    turns: Turns
    attempts: Degradation
    question: Message | None
    """None where nothing is stored: without memory, or when memory failed."""
    is_ended: bool = False

    async def complete(
        self, store: Callable[[Message], Awaitable[Message | None]]
    ) -> Message | None:
        """Store the reply; None, with a warning, if that fails: an answer is one all the same."""
        if self.question is None or self.is_ended:
            return None
        storing = self._stored(store(self.question))
        reply = await self.attempts.attempt("reply", storing, warning=REPLY_NOT_STORED)
        if reply is None:
            await self.fail()  # so that it does not wait for a reply that never comes
        self.is_ended = True
        return reply

    async def fail(self) -> None:
        """Say that the question gets no answer; it is kept."""
        if self.question is not None and not self.is_ended:
            self.is_ended = True
            await self.turns.fail(self.scope, self.question)

    async def _stored(self, storing: Awaitable[Message | None]) -> Message | None:
        try:
            return await storing
        except NotFound:
            self.attempts.warn(SESSION_GONE)
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMemory:
    """What chats and the proxy do alike before a question is answered."""

    states: States
    sessions: Sessions
    turns: Turns
    ids: Ids
    counters: Counters
    probe: Probe | None = None
    """Tells whether the database answers; None where it cannot hang."""

    async def admit(self, scope: Scope) -> Degradation:
        """Refuse a user who is halted; where that cannot be told now, nobody is refused."""
        attempts = Degradation(self.counters, probe=self.probe)
        await attempts.attempt("state", self.states.check_not_halted(scope))
        return attempts

    async def in_session(
        self,
        scope: Scope,
        write: Callable[[], Awaitable[Result]],
        new_session: Callable[[], NewSession],
        *,
        may_start: bool,
    ) -> Result:
        """The result of a write; a session that is not there yet is started for it."""
        try:
            return await write()
        except SessionNotFound:
            if not may_start:
                raise
        await self.sessions.start(scope, new_session())
        return await write()

    def message_id(self, session_id: UUID, idempotency_key: str | None) -> UUID:
        """The id of a question: the same for the same key, otherwise a new one."""
        if idempotency_key:
            return message_id_for_key(session_id, idempotency_key)
        return self.ids.new_id()


def with_language(metadata: JsonObject, question: str) -> JsonObject:
    """A new session's metadata with the language of its first question, where that is known."""
    language = known_language(question)
    return metadata if language is None else {"language": language, **metadata}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Who answers, and how long that may take."""

    answerer: Answerer | None
    time_limit: float
    """The most seconds one answer may take."""

    def require_answerer(self) -> Answerer:
        """The answerer, or an error that says that there is none."""
        if self.answerer is None:
            raise ConfigurationError("these services were built without an answerer")
        return self.answerer


def too_slow(limit: float) -> ModelUnavailable:
    """The error that says that an answer took too long."""
    return ModelUnavailable(f"there was no whole answer within {limit:g} seconds")
