"""What the driver raises, in our words."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from recollect.errors import DatabaseUnavailable

_UNREACHABLE = (
    OSError,  # refused, reset, no such socket
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,  # starting up or recovering
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InsufficientResourcesError,  # disk full, too many connections, out of memory
    asyncpg.LockNotAvailableError,
    asyncpg.QueryCanceledError,  # took longer than the time limit
)

_REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,  # no such role, or a wrong password
    asyncpg.InvalidCatalogNameError,  # no such database
)


@contextmanager
def translated() -> Iterator[None]:
    """Report as `DatabaseUnavailable` what is the database's state and nobody's mistake."""
    try:
        yield
    except asyncpg.InterfaceError as error:
        # The driver's word for misuse, too, which must not pass for a database that is away.
        if "closed" not in str(error):
            raise
        raise DatabaseUnavailable(f"the database does not answer: {error}") from error
    except _REFUSED as error:
        raise DatabaseUnavailable(
            f"the database refuses the connection: {error}; "
            "check user, password and database of MEMORY_DB_CONNECTION_STRING"
        ) from error
    except _UNREACHABLE as error:
        problem = str(error) or type(error).__name__
        raise DatabaseUnavailable(f"the database does not answer: {problem}") from error
