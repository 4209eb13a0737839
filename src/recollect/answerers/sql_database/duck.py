"""A DuckDB file, opened so that it can be read and nothing else be reached."""

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Final

import duckdb

from recollect.answerers.sql_database.data import (
    Column,
    Rows,
    StatementFailed,
    Table,
    bounded_statement,
    to_rows,
)
from recollect.answerers.sql_database.threads import RunningStatement, StatementThreads
from recollect.errors import ConfigurationError

_CLOSED: Final = {
    "enable_external_access": "false",
    "lock_configuration": "true",
    "memory_limit": "1GB",  # it works in this process
}
# The guard names tables with their database. Everything else is then DuckDB's own: no macro can
# take the place of a built-in function or operator.
_BUILT_IN_ONLY: Final = "SET search_path = 'system.main'"
_MOST_COLUMNS: Final = 100_000
_COLUMNS: Final = """
    SELECT c.schema_name, c.table_name, c.column_name, c.data_type, coalesce(t.comment, ''),
           c.database_name
    FROM duckdb_columns() AS c
    LEFT JOIN duckdb_tables() AS t USING (database_name, schema_name, table_name)
    WHERE c.database_name NOT IN ('system', 'temp') AND NOT c.internal
    ORDER BY c.schema_name <> 'main', c.schema_name, c.table_name, c.column_index
"""
_FIXED: Final = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME", "TIMESTAMP"),
    *("INTERVAL", "UUID"),
)
_ZONED: Final = "WITH TIME ZONE"  # its Python client reads them with pytz alone


class DuckDatabase:
    """Implements `ReadOnlyDatabase`; files and settings beside the database are out of reach."""

    dialect = "duckdb"

    def __init__(self, path: Path, *, timeout: float, connections: int = 4) -> None:
        self._timeout = timeout
        self._threads = StatementThreads(limit=connections)
        try:
            self._connection = duckdb.connect(str(path), read_only=True, config=dict(_CLOSED))
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            raise ConfigurationError(f"MEMORY_SQL_DATABASE: {reason}") from None

    async def tables(self) -> tuple[Table, ...]:
        """All tables and views, each with its columns."""
        columns = await self._fetch(_columns)
        by_table = groupby(columns.rows, key=lambda row: tuple(str(row[i]) for i in (0, 1, 4, 5)))
        return tuple(
            Table(
                schema=schema,
                name=name,
                columns=tuple(Column(name=str(row[2]), type=str(row[3])) for row in rows),
                is_in_default_schema=schema == "main",
                comment=comment,
                catalog=catalog,
            )
            for (schema, name, comment, catalog), rows in by_table
        )

    async def read(self, statement: str, *, limit: int) -> Rows:
        """Run a statement; the file was opened for reading alone."""
        return await self._fetch(lambda cursor: _read(cursor, statement, limit))

    async def close(self) -> None:
        """Interrupt what still runs, and close the file."""
        await self._threads.close(self._connection.close)

    async def _fetch(self, run: Callable[[duckdb.DuckDBPyConnection], Rows]) -> Rows:
        def fetch(running: RunningStatement) -> Rows:
            with self._connection.cursor() as cursor, running.interrupted_by(cursor.interrupt):
                try:
                    cursor.execute(_BUILT_IN_ONLY)
                    return run(cursor)
                except duckdb.Error as error:
                    raise StatementFailed(str(error).strip().partition("\n")[0][:300]) from None

        return await self._threads.run(fetch, timeout=self._timeout)


def _columns(cursor: duckdb.DuckDBPyConnection) -> Rows:
    cursor.execute(_COLUMNS)
    names = [part[0] for part in cursor.description or ()]
    rows = cursor.fetchmany(_MOST_COLUMNS)
    return to_rows(names, rows, limit=_MOST_COLUMNS, longest=2000)


def _read(cursor: duckdb.DuckDBPyConnection, statement: str, limit: int) -> Rows:
    cursor.execute(f"DESCRIBE SELECT * FROM ({statement}) AS t")  # noqa: S608  # checked
    names, types = zip(*((str(row[0]), str(row[1])) for row in cursor.fetchall()), strict=True)
    bounded = bounded_statement(statement, types, limit=limit, cut=_cut)
    cursor.execute(bounded.text)
    return to_rows(
        names,
        cursor.fetchmany(limit + 1),
        limit=limit,
        longest=bounded.longest,
        encoded=bounded.encoded,
    )


def _cut(name: str, kind: str, length: int) -> tuple[str, bool]:
    if kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION(")):
        return f"left(to_json({name})::varchar, {length})", True
    if kind.startswith(_FIXED) and not kind.endswith(_ZONED):
        return name, False
    text = f"base64({name})" if kind == "BLOB" else f"{name}::varchar"
    return f"left({text}, {length})", False
