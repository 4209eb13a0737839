"""A DuckDB file, opened so that it can be read and nothing else be reached."""

from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final

import duckdb

from recollect.answerers.sql_database.data import Column, Rows, StatementFailed, Table
from recollect.answerers.sql_database.threads import RunningStatement, StatementThreads
from recollect.answerers.sql_database.values import json_value
from recollect.errors import ConfigurationError, DatabaseUnavailable

_CLOSED: Final = {"enable_external_access": "false", "lock_configuration": "true"}
# The guard names tables with their database. Everything else is then DuckDB's own: no macro can
# take the place of a built-in function or operator.
_BUILT_IN_ONLY: Final = "SET search_path = 'system.main'"
_CLOSE_SECONDS: Final = 5.0
_COLUMNS: Final = """
    SELECT c.schema_name, c.table_name, c.column_name, c.data_type, coalesce(t.comment, ''),
           c.database_name
    FROM duckdb_columns() AS c
    LEFT JOIN duckdb_tables() AS t USING (database_name, schema_name, table_name)
    WHERE c.database_name NOT IN ('system', 'temp') AND NOT c.internal
    ORDER BY c.schema_name <> 'main', c.schema_name, c.table_name, c.column_index
"""


class DuckDatabase:
    """Reads a DuckDB file in a thread; files and settings beside it are out of reach."""

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
        found = await self._fetch(_COLUMNS, limit=100_000)
        by_table = groupby(found.rows, key=lambda row: tuple(str(row[i]) for i in (0, 1, 4, 5)))
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
        return await self._fetch(statement, limit=limit)

    async def close(self) -> None:
        """Interrupt what still runs, and close the file."""
        await self._threads.close()
        with suppress(StatementFailed, DatabaseUnavailable):  # closed with the process, then
            await self._threads.run(lambda _: self._connection.close(), timeout=_CLOSE_SECONDS)

    async def _fetch(self, statement: str, *, limit: int) -> Rows:
        def fetch(running: RunningStatement) -> Rows:
            with self._connection.cursor() as cursor, running.interrupted_by(cursor.interrupt):
                return _fetch(cursor, statement, limit)

        return await self._threads.run(fetch, timeout=self._timeout)


def _fetch(cursor: duckdb.DuckDBPyConnection, statement: str, limit: int) -> Rows:
    try:
        cursor.execute(_BUILT_IN_ONLY)
        cursor.execute(statement)
        columns = tuple(part[0] for part in cursor.description or ())
        found = cursor.fetchmany(limit + 1)
    except duckdb.Error as error:
        raise StatementFailed(str(error).strip().partition("\n")[0][:300]) from None
    rows = tuple(tuple(json_value(cell) for cell in row) for row in found[:limit])
    return Rows(columns=columns, rows=rows, is_cut=len(found) > limit)
