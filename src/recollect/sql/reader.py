"""SQL read in whichever dialect it is written."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from recollect.sql.masking import without_values
from recollect.sql.tables import table_names
from recollect.sql.vql import without_vql_ending

if TYPE_CHECKING:
    from sqlglot import Dialect, Token, exp

_LONGEST: Final = 10_000  # reading takes about a millisecond per thousand characters
_REMEMBERED: Final = 2048  # at most 20 MB of SQL; the same queries are asked about again and again
_STANDARD: Final = ""
_OTHERS: Final = ("postgres", "mysql", "tsql", "oracle", "snowflake", "bigquery")
# What one database takes for a quote, an escape or a name, and another does not: text that is
# part of a string here may be part of the query there.
_READ_DIFFERENTLY: Final = re.compile(r"[\\`\[#$]|q'", re.IGNORECASE)
# Comments that not all databases end at the same place, or that some run as a part of the query.
_DOUBTFUL_COMMENTS: Final = re.compile(r"/\*!|--[^\s-]|/\*(?:(?!\*/).)*/\*", re.DOTALL)


class SqlglotReader:
    """A `SqlReader` that knows the common dialects and Denodo's VQL.

    A query that dialects read differently draws on the tables that any of them finds.
    """

    def __init__(self) -> None:
        self._tables: dict[str, tuple[str, ...] | None] = {}
        self.shape_of = lru_cache(_REMEMBERED)(_shape_of)

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """See `SqlReader.tables_in`."""
        if sql not in self._tables:
            tables = _tables_in(sql)
            if len(self._tables) >= _REMEMBERED:
                self._tables.clear()
            self._tables[sql] = tables
            return tables
        return self._tables.get(sql)

    def has_read(self, sql: str) -> bool:
        """See `SqlReader.has_read`."""
        return len(sql) > _LONGEST or sql in self._tables


def _tables_in(sql: str) -> tuple[str, ...] | None:
    readings = _readings(sql)
    if not readings:
        return None
    found: set[str] = set()
    for query in readings:
        names = table_names(query)
        if names is None:
            return None
        found |= names
    return tuple(sorted(found))


def _shape_of(sql: str) -> str | None:
    """See `SqlReader.shape_of`."""
    # Where readings differ, a value in one may be a name in another: no such query is shown.
    readings = _readings(sql)
    return without_values(readings[0]) if len(readings) == 1 else None


def _readings(sql: str) -> list["exp.Query"]:
    """The query as each dialect understands it; one where they must agree, none if none does."""
    if len(sql) > _LONGEST or _DOUBTFUL_COMMENTS.search(sql):
        return []
    standard = _parsed(sql, _STANDARD)
    if standard is not None and not _READ_DIFFERENTLY.search(sql):
        return [standard]
    others = (_parsed(sql, dialect) for dialect in _OTHERS)
    found = [query for query in (standard, *others) if query is not None]
    return list({query.sql(comments=False): query for query in found}.values())


def _parsed(sql: str, dialect: str) -> "exp.Query | None":
    """The query as a dialect understands it, if need be without what VQL puts behind it."""
    from sqlglot import Dialect, TokenType  # noqa: PLC0415  # loads in 0.15 s
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    reader = Dialect.get_or_raise(dialect)
    try:
        tokens = reader.tokenize(sql)
    except (SqlglotError, ValueError):
        return None
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    return _query(tokens, reader, sql) or _query(without_vql_ending(tokens), reader, sql)


def _query(tokens: "list[Token]", reader: "Dialect", sql: str) -> "exp.Query | None":
    """One query; None for several, for other statements, and for what cannot be read."""
    from sqlglot import TokenType, exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    kinds = [token.token_type for token in tokens]
    starts = {TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN}
    # Of other statements sqlglot writes a part into the log, where no content belongs.
    if not kinds or kinds[0] not in starts or TokenType.SEMICOLON in kinds:
        return None
    try:
        (tree,) = reader.parser().parse(tokens, sql)
    except (SqlglotError, RecursionError, ValueError):
        return None
    return tree if isinstance(tree, exp.Query) else None
