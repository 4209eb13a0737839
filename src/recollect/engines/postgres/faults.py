"""What the driver raises, in our words."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from recollect.errors import DatabaseUnavailable

_UNREACHABLE = (
    OSError,  # refused, reset, no such socket
    TimeoutError,
    asyncpg.InterfaceError,  # the connection closed under a query
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,  # starting up or recovering
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InsufficientResourcesError,  # disk full, too many connections, out of memory
    asyncpg.LockNotAvailableError,
    asyncpg.QueryCanceledError,  # took longer than the time limit
)


@contextmanager
def translated() -> Iterator[None]:
    """Report as `DatabaseUnavailable` what is the database's state and nobody's mistake."""
    try:
        yield
    except _UNREACHABLE as error:
        problem = str(error) or type(error).__name__
        raise DatabaseUnavailable(f"the database does not answer: {problem}") from error
