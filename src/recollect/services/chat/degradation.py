"""Answering a question while memory may be unavailable, and the warnings that say so."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from recollect.errors import AuditUnavailable, DatabaseUnavailable, Unavailable
from recollect.ports.metrics import DEGRADED
from recollect.ports.telemetry import Telemetry

Result = TypeVar("Result")
_PATIENT_SECONDS: Final = 5.0
NO_MEMORY: Final = "Memory did not answer; the question was answered without it."
TOO_LONG: Final = (
    "The question leaves no room for memory (MEMORY_MAX_CONTEXT_TOKENS); it was answered without."
)
SWITCHED_OFF: Final = "Memory is switched off on this server; nothing is remembered."
NOT_STORED: Final = "Memory did not answer; this exchange is not remembered."
REPLY_NOT_STORED: Final = "Memory did not answer; the reply is not remembered."
SESSION_GONE: Final = "The session was deleted meanwhile; this exchange is not remembered."

Probe = Callable[[], Awaitable[bool]]
"""Raises `DatabaseUnavailable` if the database does not answer now, within a second."""
logger = logging.getLogger(__name__)


class Degradation:
    """Tries what memory does for one question, and remembers what it could not do.

    Only `Unavailable` is forgiven: something outside that does not answer now; but not an audit
    log that must be written. Bad input, credentials and permissions are not memory's failures, and
    a question ends with them.

    What takes longer than a few seconds may be a model that thinks, or a database that hangs: the
    probe tells. Nobody waits for a database that hangs, and after a failure it is probed at once.
    """

    def __init__(
        self,
        telemetry: Telemetry,
        *,
        probe: Probe | None = None,
        patient_seconds: float = _PATIENT_SECONDS,
    ) -> None:
        self._telemetry = telemetry
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
        except AuditUnavailable:
            raise
        except Unavailable as error:
            facts = {"step": step, "error": type(error).__name__}
            if isinstance(error, DatabaseUnavailable) and error.reason:
                facts["reason"] = error.reason
            logger.warning("memory.failed", extra={"facts": facts})
            self._is_database_away |= isinstance(error, DatabaseUnavailable)
            self._telemetry.count(DEGRADED, step)
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
        try:
            return working.result()
        finally:
            del working  # else an error's traceback would hold the task, and the task its error

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
