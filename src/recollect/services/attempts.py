"""Going on without memory when memory fails."""

import logging
from collections.abc import Awaitable
from typing import Final, TypeVar

from recollect.errors import DatabaseUnavailable, Unavailable
from recollect.ports.counters import Counters

Result = TypeVar("Result")

MEMORY_FAILURES: Final = "memory_failures"
"""The counter of what memory could not do, by step."""

logger = logging.getLogger(__name__)


class Attempts:
    """Tries what memory does for one question, and remembers what it could not do.

    Only `Unavailable` is forgiven: something outside that does not answer now. Bad input,
    credentials and permissions are not memory's failures, and a question ends with them.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._warnings: dict[str, None] = {}
        self._is_database_away = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What whoever asked should know, each thing once."""
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
            result = await work
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

    def warn(self, warning: str) -> None:
        """Tell whoever asked of something that is not as it should be."""
        self._warnings[warning] = None
