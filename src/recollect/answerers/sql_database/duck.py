"""A DuckDB file, opened so that it can be read and nothing else be reached."""

from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Final

import duckdb

from recollect.answerers.sql_database.data import Column, Rows, StatementFailed, Table, to_rows
from recollect.answerers.sql_database.threads import (
    RunningStatement,
    StatementThreads,
    bounded_for_duckdb,
)
from recollect.errors import ConfigurationError, DatabaseUnavailable

_CLOSED: Final = {
    "enable_external_access": "false",
    "lock_configuration": "true",
    "memory_limit": "1GB",  # it works in this process
}
# The guard names tables with their database. Everything else is then DuckDB's own: no macro can
# take the place of a built-in function or operator.
_BUILT_IN_ONLY: Final = "SET search_path = 'system.main'"
_CLOSE_SECONDS: Final = 5.0
_MOST_COLUMNS: Final = 100_000
_LONGEST_NAME: Final = 2000
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
        found = await self._fetch(lambda cursor: _run(cursor, _COLUMNS))
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
        return await self._fetch(lambda cursor: _run_bounded(cursor, statement, limit))

    async def close(self) -> None:
        """Interrupt what still runs, and close the file."""
        await self._threads.close()
        with suppress(StatementFailed, DatabaseUnavailable):  # closed with the process, then
            await self._threads.run(lambda _: self._connection.close(), timeout=_CLOSE_SECONDS)

    async def _fetch(self, run: Callable[[duckdb.DuckDBPyConnection], Rows]) -> Rows:
        def fetch(running: RunningStatement) -> Rows:
            with self._connection.cursor() as cursor, running.interrupted_by(cursor.interrupt):
                try:
                    cursor.execute(_BUILT_IN_ONLY)
                    return run(cursor)
                except duckdb.Error as error:
                    raise StatementFailed(str(error).strip().partition("\n")[0][:300]) from None

        return await self._threads.run(fetch, timeout=self._timeout)


def _run(cursor: duckdb.DuckDBPyConnection, statement: str) -> Rows:
    cursor.execute(statement)
    columns = [part[0] for part in cursor.description or ()]
    rows = cursor.fetchmany(_MOST_COLUMNS)
    return to_rows(columns, rows, limit=_MOST_COLUMNS, longest=_LONGEST_NAME)


def _run_bounded(cursor: duckdb.DuckDBPyConnection, statement: str, limit: int) -> Rows:
    cursor.execute(f"DESCRIBE SELECT * FROM ({statement}) AS t")  # noqa: S608  # checked
    described = cursor.fetchall()
    bounded = bounded_for_duckdb(statement, [str(row[1]) for row in described], limit=limit)
    cursor.execute(bounded.text)
    return to_rows(
        [str(row[0]) for row in described],
        cursor.fetchmany(limit + 1),
        limit=limit,
        longest=bounded.longest,
        encoded=bounded.encoded,
    )
