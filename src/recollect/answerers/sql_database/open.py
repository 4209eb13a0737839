"""Opening the database that data questions are asked of."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import exc
from sqlalchemy.engine import make_url

from recollect.answerers.sql_database.alchemy import excess_privileges
from recollect.answerers.sql_database.data import ReadOnlyDatabase, StatementFailed
from recollect.errors import ConfigurationError

_SUFFIXES = frozenset({".duckdb", ".ddb"})


def open_database(
    address: str, *, timeout: float, connections: int = 4, role: str | None = None
) -> ReadOnlyDatabase:
    """A database by its SQLAlchemy URL, or a DuckDB file by `duckdb:///path` or its path.

    At most so many statements run at the same time; on PostgreSQL as that role, if one is given.
    """
    path = _duckdb_path(address)
    if path:
        return _open_duckdb(path, timeout, connections)
    return _open_url(address, timeout, connections, role)


async def inspect_account(
    address: str,
    *,
    tables: Sequence[str],
    timeout: float,  # noqa: ASYNC109  # of each statement
    role: str | None = None,
) -> tuple[str, ...]:
    """What the account may do beyond reading these tables, one sentence each.

    `ConfigurationError` or `DatabaseUnavailable` where the database cannot be asked.
    """
    database = open_database(address, timeout=timeout, connections=1, role=role)
    try:
        return await excess_privileges(database, tables=tables)
    except StatementFailed as failed:
        raise ConfigurationError(f"MEMORY_SQL_DATABASE: {failed}") from None
    finally:
        await database.close()


def _duckdb_path(address: str) -> Path | None:
    if address.startswith("duckdb:///"):
        return Path(address.removeprefix("duckdb:///"))
    return Path(address) if Path(address).suffix.lower() in _SUFFIXES else None


def _open_duckdb(path: Path, timeout: float, connections: int) -> ReadOnlyDatabase:
    try:
        from recollect.answerers.sql_database.duck import (  # noqa: PLC0415  # an extra
            DuckDatabase,
        )
    except ModuleNotFoundError:
        raise ConfigurationError(
            "a DuckDB file needs the extra: pip install 'recollect[duckdb]'"
        ) from None
    if not path.is_file():
        raise ConfigurationError(f"MEMORY_SQL_DATABASE: there is no file {path}")
    return DuckDatabase(path, timeout=timeout, connections=connections)


def _open_url(address: str, timeout: float, connections: int, role: str | None) -> ReadOnlyDatabase:
    from recollect.answerers.sql_database.alchemy import (  # noqa: PLC0415  # takes 0.2 s
        SqlAlchemyDatabase,
    )

    try:
        url = make_url(address)
        if url.drivername in {"postgresql", "postgres"}:
            url = url.set(drivername="postgresql+asyncpg")
        if url.get_backend_name() == "sqlite":
            url = url.set(drivername="sqlite")  # others cannot be interrupted
        return SqlAlchemyDatabase(url, timeout=timeout, connections=connections, role=role)
    except (exc.ArgumentError, exc.NoSuchModuleError, ModuleNotFoundError) as error:
        reason = f"needs {error.name}" if isinstance(error, ModuleNotFoundError) else "is no URL"
        raise ConfigurationError(
            f"MEMORY_SQL_DATABASE {reason}; give an SQLAlchemy URL whose driver is installed, "
            "such as postgresql://user:password@host/database, or the path of a DuckDB file"
        ) from None
