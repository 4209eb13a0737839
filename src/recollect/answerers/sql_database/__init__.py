"""Questions about the data in a SQL database, answered with a statement that only reads.

This module opens the database, and inspects the privileges of its account.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sqlalchemy import exc
from sqlalchemy.engine import make_url

from recollect.answerers.sql_database.answerer import SqlDatabaseAnswerer
from recollect.answerers.sql_database.data import ReadOnlyDatabase, Rows, StatementFailed, Table
from recollect.errors import ConfigurationError
from recollect.extras import require

__all__ = ["SqlDatabaseAnswerer", "inspect_account", "open_database"]

_NAMED: Final = 5
_ROLE: Final = """
    SELECT r.rolsuper, r.rolbypassrls, r.rolcreaterole OR r.rolcreatedb,
           pg_has_role(current_user, 'pg_read_server_files', 'usage')
           OR pg_has_role(current_user, 'pg_write_server_files', 'usage')
           OR pg_has_role(current_user, 'pg_execute_server_program', 'usage')
    FROM pg_roles AS r WHERE r.rolname = current_user
"""
_TABLES: Final = """
    SELECT n.nspname, c.relname, n.nspname = 'public',
           has_any_column_privilege(c.oid, 'SELECT'),
           has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_'
      AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
    ORDER BY 1, 2
"""


def open_database(
    address: str, *, timeout: float, connections: int = 4, role: str | None = None
) -> ReadOnlyDatabase:
    """A database by its SQLAlchemy URL, or a DuckDB file by `duckdb:///path` or its path.

    At most `connections` statements run at the same time; on PostgreSQL as `role`, if given.
    """
    path = Path(address.removeprefix("duckdb:///"))
    if address.startswith("duckdb:///") or path.suffix.lower() in {".duckdb", ".ddb"}:
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

    Nothing for databases other than PostgreSQL: their files are opened for reading alone, or
    their privileges are not known here. `ConfigurationError` or `DatabaseUnavailable` where they
    cannot be read.
    """
    database = open_database(address, timeout=timeout, connections=1, role=role)
    try:
        if database.dialect != "postgres":
            return ()
        role_rows = await database.read(_ROLE, limit=1)
        table_rows = await database.read(_TABLES, limit=10_000)
        return (*_of_role(role_rows), *_of_tables(table_rows, tables))
    except StatementFailed as failed:
        raise ConfigurationError(f"MEMORY_SQL_DATABASE: {failed}") from None
    finally:
        await database.close()


def _open_duckdb(path: Path, timeout: float, connections: int) -> ReadOnlyDatabase:
    require("duckdb", "a DuckDB file")
    from recollect.answerers.sql_database.duck import DuckDatabase  # noqa: PLC0415  # an extra

    if not path.is_file():
        raise ConfigurationError(f"MEMORY_SQL_DATABASE: there is no file {path}")
    return DuckDatabase(path, timeout=timeout, connections=connections)


def _open_url(address: str, timeout: float, connections: int, role: str | None) -> ReadOnlyDatabase:
    # Loaded here: it takes 0.2 s.
    from recollect.answerers.sql_database.alchemy import SqlAlchemyDatabase  # noqa: PLC0415

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


def _of_role(role: Rows) -> Iterator[str]:
    is_superuser, bypasses_policies, creates, reaches_files = role.rows[0]
    if is_superuser:
        yield "the account is a superuser"
        return
    if bypasses_policies:
        yield "the account bypasses row-level security"
    if creates:
        yield "the account may create roles or databases"
    if reaches_files:
        yield "the account may reach files or programs of the server"


def _of_tables(tables: Rows, patterns: Sequence[str]) -> Iterator[str]:
    readable, writable = [], []
    for schema, name, is_default, may_read, may_write in tables.rows:
        table = Table(
            schema=str(schema), name=str(name), columns=(), is_in_default_schema=bool(is_default)
        )
        if may_read and not table.is_named_by(patterns):
            readable.append(table.shown_name)
        if may_write:
            writable.append(table.shown_name)
    if readable:
        yield f"the account may read tables outside MEMORY_SQL_TABLES: {_some(readable)}"
    if writable:
        yield f"the account may write to {_some(writable)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
