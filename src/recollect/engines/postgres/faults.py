"""What the driver raises, in our words."""

from types import TracebackType

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


class translated:  # noqa: N801  # used as a verb: with translated(): …
    """Report as `DatabaseUnavailable` what is the database's state and nobody's mistake."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Raise what the error means, if it says something of the database."""
        reported = None if error is None else unavailable(error)
        if reported is not None:
            raise reported from error


def unavailable(error: BaseException) -> DatabaseUnavailable | None:
    """What an error says of the database's state; None if it says nothing of it."""
    match error:
        case asyncpg.InterfaceError():
            # The driver's word for misuse, too, which must not pass for a database that is away.
            is_away = "closed" in str(error)
            return (
                DatabaseUnavailable(f"the database does not answer: {error}") if is_away else None
            )
        case _ if isinstance(error, _REFUSED):
            return DatabaseUnavailable(
                f"the database refuses the connection: {error}; "
                "check user, password and database of MEMORY_DB_CONNECTION_STRING"
            )
        case _ if isinstance(error, _UNREACHABLE):
            problem = str(error) or type(error).__name__
            return DatabaseUnavailable(f"the database does not answer: {problem}")
        case _:
            return None
