"""PostgreSQL's errors as our own."""

from types import TracebackType

import asyncpg

from recollect.errors import DatabaseUnavailable, ErasureUnderWay

_UNREACHABLE = (
    OSError,  # refused, reset, no such socket, timed out
    EOFError,  # hung up while the connection was being made
    asyncpg.PostgresConnectionError,
    # The driver met something it did not expect: mostly a server that said why it ends before it
    # hung up. Told to an idle connection, that leaves it in a state that nothing can use.
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up, or over the time limit
    asyncpg.InsufficientResourcesError,  # disk full, too many connections, out of memory
    asyncpg.PostgresSystemError,  # its disk fails
    asyncpg.ReadOnlySQLTransactionError,  # after a fail-over: this one is the standby now
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.LockNotAvailableError,
    asyncpg.TransactionRollbackError,  # a deadlock, say
    asyncpg.InvalidCachedStatementError,  # the schema was changed under the connection
)
CONNECTION_ERRORS = (
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""Errors of a connection that is given up anyway."""
_REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,  # no such role, or a wrong password
    asyncpg.InvalidCatalogNameError,  # no such database
)
_BROKEN = (
    EOFError,
    asyncpg.PostgresConnectionError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InterfaceError,
)
_OF_THE_CONNECTION = ("closed", "closing", "released back to the pool", "another operation")
"""What the driver says of connections; its other words of misuse are nobody's absence."""
_BEING_ERASED = "RC423"  # what refuse_while_erased() raises
_TO_OWNER = "_owner_id_fkey"
_CREDENTIALS = "check user, password and database of MEMORY_DB_CONNECTION_STRING"


class translated:  # noqa: N801  # used as a verb: with translated(): …
    """Report as our own errors what is the database's state and nobody's mistake."""

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
        if error is not None and is_refused_while_erased(error):
            raise ErasureUnderWay from error
        reported = None if error is None else unavailable(error)
        if reported is not None:
            raise reported from error


def unavailable(error: BaseException) -> DatabaseUnavailable | None:
    """What an error says of the database's state; None if it says nothing of it."""
    match error:
        case asyncpg.DataError() | asyncpg.ClientConfigurationError():
            return None
        case asyncpg.InterfaceError() if not any(
            words in str(error) for words in _OF_THE_CONNECTION
        ):
            return None
        case asyncpg.DiskFullError():
            problem = "the database has no disk space left; nothing was stored"
        case _ if isinstance(error, _REFUSED):
            return DatabaseUnavailable(
                "the database refuses the connection", reason=f"{_reason(error)}; {_CREDENTIALS}"
            )
        case _ if isinstance(error, (*_UNREACHABLE, asyncpg.InterfaceError)):
            problem = "the database does not answer"
        case _:
            return None
    return DatabaseUnavailable(problem, reason=_reason(error))


def is_refused_while_erased(error: BaseException) -> bool:
    """Whether a write was refused because its owner is being erased, or just was."""
    if isinstance(error, asyncpg.ForeignKeyViolationError):
        return str(error.constraint_name).endswith(_TO_OWNER)
    return isinstance(error, asyncpg.PostgresError) and error.sqlstate == _BEING_ERASED


def is_broken(error: BaseException) -> bool:
    """Whether the connection that raised this can be of no more use."""
    is_lost = isinstance(error, OSError) and not isinstance(error, TimeoutError)
    return is_lost or (
        isinstance(error, _BROKEN)
        and not isinstance(error, (asyncpg.DataError, asyncpg.QueryCanceledError))
    )


def _reason(error: BaseException) -> str:
    """The kind of an error and its first line, without details and hints."""
    words = str(error.args[0] if len(error.args) == 1 else error).partition("\n")[0]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
