"""Answering a question while memory may be unavailable, and the warnings that say so."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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

        A write that has begun goes on by itself, as `Turns` sees to. Nearly all work ends long
        before it is watched: that costs a timer that never goes off, and no task of its own.
        """
        if self._probe is None:
            return await work
        is_away = self._is_database_away
        watchdog = _DatabaseWatchdog(
            self._probe, self._patient_seconds, has_second_chance=not is_away
        )
        try:
            async with asyncio.timeout(None) as limit:
                with watchdog.watching_after(0 if is_away else self._patient_seconds, limit):
                    return await work
        except TimeoutError:
            if watchdog.error is None:
                raise
            raise watchdog.error from watchdog.error.__cause__

    def warn(self, warning: str) -> None:
        """Add a warning for the user."""
        self._warnings[warning] = None


class _DatabaseWatchdog:
    """Probes the database while work waits for it, and ends the work once the database hangs."""

    def __init__(self, probe: Probe, patient_seconds: float, *, has_second_chance: bool) -> None:
        """Probe every patient seconds.

        There may be a second chance: on a busy machine the probe's first connection takes its time.
        """
        self._probe = probe
        self._patient_seconds = patient_seconds
        self._has_second_chance = has_second_chance
        self._probing: asyncio.Task[None] | None = None
        self.error: Exception | None = None
        """Why the work was ended."""

    @contextmanager
    def watching_after(self, seconds: float, limit: asyncio.Timeout) -> Iterator[None]:
        """Probe after these seconds until the end of the block; expire the limit if that fails."""
        timer = asyncio.get_running_loop().call_later(seconds, self._begin, limit)
        try:
            yield
        finally:
            timer.cancel()
            if self._probing is not None:
                self._probing.cancel()
                self._probing = None

    def _begin(self, limit: asyncio.Timeout) -> None:
        self._probing = asyncio.get_running_loop().create_task(self._probe_until_away(limit))

    async def _probe_until_away(self, limit: asyncio.Timeout) -> None:
        has_second_chance = self._has_second_chance
        while True:
            try:
                await self._probe()
            except Exception as error:  # noqa: BLE001  # raised where the work is waited for
                if isinstance(error, Unavailable) and has_second_chance:
                    has_second_chance = False
                    continue
                if self._probing is not None:  # else the work has ended meanwhile
                    self.error = error
                    limit.reschedule(asyncio.get_running_loop().time())
                return
            has_second_chance = True
            await asyncio.sleep(self._patient_seconds)
