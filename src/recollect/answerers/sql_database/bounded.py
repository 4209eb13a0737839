"""Statements whose values are cut by the database, before they are sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from recollect.answerers.sql_database.values import longest_text

Type = TypeVar("Type")

# PostgreSQL's own numbers of its types, which never change.
_FIXED: Final = frozenset(
    {16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 2950}
)  # bool, int8, int2, int4, oid, float4, float8, dates and times, interval, uuid
_TEXTS: Final = frozenset({19, 25, 114, 1042, 1043, 3802})  # name, text, json, char, varchar, jsonb
_BYTES: Final = 17
_DUCKDB_FIXED: Final = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME", "TIMESTAMP"),
    *("INTERVAL", "UUID"),
)
_DUCKDB_ZONED: Final = "WITH TIME ZONE"  # its Python client reads them with pytz alone
_DUCKDB_NESTED: Final = ("STRUCT(", "MAP(", "UNION(")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedStatement:
    """A statement that sends at most so many characters for each value."""

    text: str
    encoded: frozenset[int]
    """The columns that come as the beginning of their JSON."""
    longest: int


def bounded_for_postgres(statement: str, types: Sequence[int], *, limit: int) -> BoundedStatement:
    """Cut the columns of a statement, given the numbers of their types."""
    return _bounded(statement, types, limit, expression=_postgres, is_encoded=_is_encoded)


def bounded_for_duckdb(statement: str, types: Sequence[str], *, limit: int) -> BoundedStatement:
    """Cut the columns of a statement, given the names of their types."""
    return _bounded(statement, types, limit, expression=_duckdb, is_encoded=_is_nested)


def _bounded(
    statement: str,
    types: Sequence[Type],
    limit: int,
    *,
    expression: Callable[[str, Type, int], str],
    is_encoded: Callable[[Type], bool],
) -> BoundedStatement:
    longest = longest_text(columns=len(types), rows=limit)
    names = [f"c{number}" for number in range(len(types))]
    # One more than is shown, so that it can be seen that something was cut.
    pairs = zip(names, types, strict=True)
    expressions = ", ".join(expression(name, kind, longest + 1) for name, kind in pairs)
    return BoundedStatement(
        text=f"SELECT {expressions} FROM ({statement}) AS t({', '.join(names)})",  # noqa: S608  # names of our own
        encoded=frozenset(number for number, kind in enumerate(types) if is_encoded(kind)),
        longest=longest,
    )


def _is_encoded(kind: int) -> bool:
    return kind not in _FIXED and kind not in _TEXTS and kind != _BYTES


def _postgres(name: str, kind: int, length: int) -> str:
    if kind in _FIXED:
        return name
    if kind == _BYTES:
        return f"substr({name}, 1, {length})"
    text = f"to_json({name})" if _is_encoded(kind) else name
    return f"left({text}::text, {length})"


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_DUCKDB_NESTED)


def _duckdb(name: str, kind: str, length: int) -> str:
    if _is_nested(kind):
        return f"left(to_json({name})::varchar, {length})"
    if kind.startswith(_DUCKDB_FIXED) and not kind.endswith(_DUCKDB_ZONED):
        return name
    text = f"base64({name})" if kind == "BLOB" else f"{name}::varchar"
    return f"left({text}, {length})"
