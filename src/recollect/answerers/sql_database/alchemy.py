"""Any database that SQLAlchemy has a dialect for."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, create_engine, exc, inspect
from sqlalchemy.engine import URL, Engine, Inspector
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from recollect.answerers.sql_database.data import (
    BUSY,
    WAIT_SECONDS,
    BoundedStatement,
    Column,
    Rows,
    StatementFailed,
    Table,
    bounded_statement,
    to_rows,
)
from recollect.answerers.sql_database.threads import RunningStatement, StatementThreads
from recollect.errors import DatabaseUnavailable

Result = TypeVar("Result")
_DIALECTS: Final = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}
_SYSTEM_SCHEMAS: Final = frozenset(
    {"information_schema", "pg_catalog", "mysql", "performance_schema", "sys", "system"}
)
_SQLITE_BYTES: Final = 10_000_000  # of a value
_SQLITE_HEAP: Final = 1_000_000_000  # of all that SQLite has in this process
_TOO_BIG: Final = "string or blob too big"
_NAME_COLUMNS: Final = (
    f"{_TOO_BIG}: a value has more than 10 MB. Name the columns that are needed instead of *, "
    "without the one that holds such values"
)
# PostgreSQL's own numbers of its types, which never change.
_FIXED: Final = frozenset(
    {16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 2950}
)  # bool, int8, int2, int4, oid, float4, float8, dates and times, interval, uuid
_TEXTS: Final = frozenset({19, 25, 114, 1042, 1043, 3802})  # name, text, json, char, varchar, jsonb
_BYTES: Final = 17


class SqlAlchemyDatabase:
    """Implements `ReadOnlyDatabase`: on the event loop where the driver can, else in threads."""

    def __init__(
        self, url: URL, *, timeout: float, connections: int = 4, role: str | None = None
    ) -> None:
        self._timeout = timeout
        self._role = role
        self._name = url.get_backend_name()
        self._threads = StatementThreads(limit=connections)
        pool: dict[str, Any] = {"pool_size": connections, "max_overflow": 0, "pool_pre_ping": True}
        self._engine: AsyncEngine | Engine
        if url.get_dialect().is_async:
            self._engine = create_async_engine(url, pool_timeout=WAIT_SECONDS, **pool)
        elif self._name == "sqlite" and url.database in {None, "", ":memory:"}:
            # One in memory has a connection for each thread.
            self._engine = create_engine(url, pool_pre_ping=True)
        else:
            self._engine = create_engine(url, **pool)

    @property
    def dialect(self) -> str:
        """The dialect's name as sqlglot knows it."""
        return _DIALECTS.get(self._name, self._name)

    async def tables(self) -> tuple[Table, ...]:
        """All tables and views, each with its columns."""
        return await self._run(lambda connection: tuple(islice(_tables(inspect(connection)), 2000)))

    async def read(self, statement: str, *, limit: int) -> Rows:
        """Run a statement in a transaction that cannot write and is undone at the end."""
        rows = await self._run(lambda connection: self._read(connection, statement, limit))
        return rows if isinstance(rows, Rows) else await asyncio.to_thread(rows)

    async def close(self) -> None:
        """Interrupt what still runs, and let go of all connections."""
        if isinstance(self._engine, AsyncEngine):
            with suppress(TimeoutError):  # closed with the process, then
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._engine.dispose()
        else:
            await self._threads.close(self._engine.dispose)

    async def _run(self, work: Callable[[Connection], Result]) -> Result:
        try:
            if isinstance(self._engine, AsyncEngine):
                return await self._run_async(self._engine, work)
            return await self._run_in_thread(self._engine, work)
        except exc.TimeoutError:
            raise DatabaseUnavailable(BUSY) from None
        except (exc.OperationalError, exc.InterfaceError, OSError) as error:
            if isinstance(error, exc.DBAPIError) and not error.connection_invalidated:
                raise StatementFailed(_first_line(error)) from None
            raise DatabaseUnavailable("the database of the data questions is away") from None
        except exc.SQLAlchemyError as error:
            raise StatementFailed(_first_line(error)) from None
        except MemoryError:
            raise StatementFailed("it needs more memory than a statement may use") from None

    async def _run_async(self, engine: AsyncEngine, work: Callable[[Connection], Result]) -> Result:
        try:
            async with asyncio.timeout(self._timeout), engine.connect() as connection:
                return await connection.run_sync(work)
        except TimeoutError:
            raise StatementFailed(f"it took more than {self._timeout:g} seconds") from None

    async def _run_in_thread(self, engine: Engine, work: Callable[[Connection], Result]) -> Result:
        def run(running: RunningStatement) -> Result:
            with engine.connect() as connection:
                driver = connection.connection.driver_connection
                with running.interrupted_by(lambda: _interrupt(driver)):
                    return work(connection)

        return await self._threads.run(run, timeout=self._timeout)

    def _read(
        self, connection: Connection, statement: str, limit: int
    ) -> Rows | Callable[[], Rows]:
        """The rows, or what converts them where that would block the event loop."""
        for setting in self._settings(connection):
            connection.exec_driver_sql(setting)
        longest: int | None = None
        encoded: frozenset[int] = frozenset()
        if self._name == "postgresql":
            columns, bounded = _bounded(connection, statement, limit)
            result = connection.exec_driver_sql(bounded.text)
            longest, encoded = bounded.longest, bounded.encoded
        else:
            driver = connection.connection.driver_connection
            if isinstance(driver, sqlite3.Connection):  # values are made in this process
                driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _SQLITE_BYTES)
            result = connection.exec_driver_sql(statement)
            columns = tuple(result.keys())
        fetched = islice(result, limit + 1)
        convert = partial(to_rows, columns, limit=limit, longest=longest, encoded=encoded)
        is_on_loop = isinstance(self._engine, AsyncEngine)
        rows = partial(convert, rows=list(fetched)) if is_on_loop else convert(rows=fetched)
        result.close()
        connection.rollback()
        return rows

    def _settings(self, connection: Connection) -> Iterator[str]:
        """What keeps the transaction from writing, and from running for ever."""
        milliseconds = int(self._timeout * 1000)
        match self._name:
            case "postgresql":
                yield "SET TRANSACTION READ ONLY"
                if self._role:
                    role = connection.dialect.identifier_preparer.quote_identifier(self._role)
                    yield f"SET LOCAL ROLE {role}"
                # The guard names tables with their schema. Everything else is then PostgreSQL's
                # own: no function, operator or type of a user's can take a built-in one's place.
                yield "SET LOCAL search_path = pg_catalog"
                # The guard reads a backslash in a string as itself, whatever the role has set.
                yield "SET LOCAL standard_conforming_strings = on"
                yield f"SET LOCAL statement_timeout = {milliseconds}"
            case "mysql" | "mariadb":
                yield "SET SESSION TRANSACTION READ ONLY"
                if getattr(connection.dialect, "is_mariadb", False):
                    yield f"SET SESSION max_statement_time = {self._timeout:g}"
                else:
                    yield f"SET SESSION max_execution_time = {milliseconds}"
            case "sqlite":
                yield "PRAGMA query_only = ON"
                yield "PRAGMA trusted_schema = OFF"
                yield f"PRAGMA hard_heap_limit = {_SQLITE_HEAP}"
            case _:
                return


def _bounded(
    connection: Connection, statement: str, limit: int
) -> tuple[tuple[str, ...], BoundedStatement]:
    """The names of a statement's columns, and the statement with its values cut."""
    described = connection.exec_driver_sql(f"SELECT * FROM ({statement}) AS t LIMIT 0")  # noqa: S608  # checked
    columns = tuple(described.keys())
    description = described.cursor.description if described.cursor is not None else ()
    types = [int(str(column[1])) for column in description or ()]
    described.close()
    return columns, bounded_statement(statement, types, limit=limit, cut=_cut)


def _cut(name: str, kind: int, length: int) -> tuple[str, bool]:
    if kind in _FIXED:
        return name, False
    if kind == _BYTES:
        return f"substr({name}, 1, {length})", False
    if kind in _TEXTS:
        return f"left({name}::text, {length})", False
    return f"left(to_json({name})::text, {length})", True


def _interrupt(driver: object) -> None:
    """End what a connection does now, in the way its driver knows, from another thread."""
    for name in ("interrupt", "cancel", "close"):
        method = getattr(driver, name, None)
        if callable(method):
            method()
            return


def _tables(inspector: Inspector) -> Iterator[Table]:
    default = inspector.default_schema_name or ""
    schemas = [name for name in inspector.get_schema_names() if name not in _SYSTEM_SCHEMAS]
    for schema in sorted(schemas, key=lambda name: (name != default, name)):
        names = inspector.get_table_names(schema=schema) + inspector.get_view_names(schema=schema)
        for name in sorted(names):
            columns = inspector.get_columns(name, schema=schema)
            comment: str | None = None
            with suppress(NotImplementedError, exc.SQLAlchemyError):
                comment = inspector.get_table_comment(name, schema=schema)["text"]
            yield Table(
                schema=schema,
                name=name,
                columns=tuple(Column(name=c["name"], type=str(c["type"])) for c in columns),
                is_in_default_schema=schema == default,
                comment=comment or "",
            )


def _first_line(error: exc.SQLAlchemyError) -> str:
    original = getattr(error, "orig", None) or error
    if isinstance(original, sqlite3.Error) and _TOO_BIG in str(original):
        return _NAME_COLUMNS
    return str(original).strip().partition("\n")[0][:300]
