"""Reading the SQL of answers: which tables and columns it draws on.

sqlglot is loaded when the first query is read.
"""

from functools import lru_cache
from typing import Final
from uuid import UUID

_LONGEST: Final = 10_000  # reading takes about a millisecond per thousand characters
_CACHED: Final = 2048  # at most 20 MB of SQL; the same queries are asked about again and again


class SqlglotReader:
    """Implements `recollect.ports.models.SqlReader` for the common dialects and Denodo's VQL.

    Where dialects read a query differently, it draws on the tables that any of them finds.
    """

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, ...] | None] = {}

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """See `SqlReader.tables_in`."""
        if sql in self._tables:
            return self._tables.get(sql)
        from recollect.sql_reading.parsing import tables_in  # noqa: PLC0415  # loads in 0.15 s

        tables = None if len(sql) > _LONGEST else tables_in(sql)
        if len(self._tables) >= _CACHED:
            self._tables.clear()
        self._tables[sql] = tables
        return tables

    @staticmethod
    @lru_cache(_CACHED)
    def shape_of(sql: str) -> str | None:
        """See `SqlReader.shape_of`."""
        from recollect.sql_reading.parsing import shape_of  # noqa: PLC0415  # as `tables_in`

        return None if len(sql) > _LONGEST else shape_of(sql)

    def forget(self, owner_id: UUID) -> None:  # noqa: ARG002  # it knows no owners
        """Drop all queries, which may hold values; see `OwnerCache.forget`."""
        self._tables.clear()
        self.shape_of.cache_clear()

    def has_read(self, sql: str) -> bool:
        """See `SqlReader.has_read`."""
        return len(sql) > _LONGEST or sql in self._tables
