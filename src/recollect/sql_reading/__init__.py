"""Reading the SQL of answers: which tables and columns it draws on.

sqlglot is loaded when the first query is read.
"""

from functools import lru_cache
from typing import Final

_LONGEST: Final = 10_000  # reading takes about a millisecond per thousand characters
_CACHED: Final = 2048  # at most 20 MB of SQL; the same queries are asked about again and again


class SqlglotReader:
    """Implements `recollect.ports.models.SqlReader` for the common dialects and Denodo's VQL.

    Where dialects read a query differently, it draws on the tables that any of them finds.
    """

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, ...] | None] = {}
        self.shape_of = lru_cache(_CACHED)(_shape_of)

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """See `SqlReader.tables_in`."""
        if sql in self._tables:
            return self._tables.get(sql)
        tables = _tables_in(sql)
        if len(self._tables) >= _CACHED:
            self._tables.clear()
        self._tables[sql] = tables
        return tables

    def has_read(self, sql: str) -> bool:
        """See `SqlReader.has_read`."""
        return len(sql) > _LONGEST or sql in self._tables


def _tables_in(sql: str) -> tuple[str, ...] | None:
    if len(sql) > _LONGEST:
        return None
    from recollect.sql_reading.parsing import tables_in  # noqa: PLC0415  # sqlglot loads in 0.15 s

    return tables_in(sql)


def _shape_of(sql: str) -> str | None:
    """See `SqlReader.shape_of`."""
    if len(sql) > _LONGEST:
        return None
    from recollect.sql_reading.parsing import shape_of  # noqa: PLC0415  # sqlglot loads in 0.15 s

    return shape_of(sql)
