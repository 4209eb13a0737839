"""A database as an answerer sees it: tables, rows, and their values as JSON of bounded size."""

import json
import math
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final, Protocol, TypeVar

from recollect.domain.text import JsonValue

Type = TypeVar("Type")
WAIT_SECONDS: Final = 5.0
"""How long a statement waits for one of the connections, and closing for statements."""
BUSY: Final = (
    "all connections to the database of the data questions are busy; ask again later, "
    "or raise MEMORY_SQL_CONNECTIONS"
)
_LONGEST: Final = 2000
_SHORTEST: Final = 64
_CHARACTERS: Final = 4_000_000
_ITEMS: Final = 200
_DEPTH: Final = 8
_DIGITS: Final = 300  # what a float can hold, nearly


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column and its type in the database's own words."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table or view that may be read."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    is_in_default_schema: bool
    comment: str = ""
    catalog: str = ""
    """The database it lies in, where a statement has to name that."""

    @property
    def shown_name(self) -> str:
        """Its name as a statement can say it, no longer than needed."""
        return self.name if self.is_in_default_schema else f"{self.schema}.{self.name}"

    @property
    def full_name(self) -> str:
        """Schema and name in lower case, which permissions go by."""
        return f"{self.schema}.{self.name}".lower()

    def is_named_by(self, patterns: Sequence[str]) -> bool:
        """Whether one of the patterns means it; case does not matter."""
        names = {self.full_name, self.shown_name.lower()}
        return any(fnmatchcase(name, pattern.lower()) for name in names for pattern in patterns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The result of a statement."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    is_cut: bool
    """Whether there are more rows than were requested."""

    def to_records(self) -> dict[str, JsonValue]:
        """The rows in the form of answerQuestion: `{"Row 1": [{"columnName", "value"}]}`."""
        return {
            f"Row {number}": [
                {"columnName": column, "value": value}
                for column, value in zip(self.columns, row, strict=True)
            ]
            for number, row in enumerate(self.rows, start=1)
        }

    def to_mappings(self) -> list[dict[str, JsonValue]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class StatementFailed(Exception):
    """The database did not take a statement; the text is its own first line."""


class ReadOnlyDatabase(Protocol):
    """A database that is only read from."""

    @property
    def dialect(self) -> str:
        """The dialect's name as sqlglot knows it."""
        ...

    async def tables(self) -> tuple[Table, ...]:
        """All tables and views there are, each with its columns."""
        ...

    async def read(self, statement: str, *, limit: int) -> Rows:
        """Run a statement that was checked, in a transaction that cannot write.

        `StatementFailed` if the database does not take it, `DatabaseUnavailable` if it is away.
        """
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedStatement:
    """A statement whose values have at most `longest` characters, and one more where cut."""

    text: str
    encoded: frozenset[int]
    """The columns that come as the beginning of their JSON."""
    longest: int


def bounded_statement(
    statement: str,
    types: Sequence[Type],
    *,
    limit: int,
    cut: Callable[[str, Type, int], tuple[str, bool]],
) -> BoundedStatement:
    """Cut the values of a statement in the database, given the types of its columns.

    `cut` returns the expression for a column, type and length, and whether that is JSON.
    """
    longest = longest_text(columns=len(types), rows=limit)
    names = [f"c{number}" for number in range(len(types))]
    columns = [cut(name, kind, longest + 1) for name, kind in zip(names, types, strict=True)]
    expressions = ", ".join(expression for expression, _ in columns)
    return BoundedStatement(
        text=f"SELECT {expressions} FROM ({statement}) AS t({', '.join(names)})",  # noqa: S608  # names of our own
        encoded=frozenset(number for number, (_, is_json) in enumerate(columns) if is_json),
        longest=longest,
    )


def longest_text(*, columns: int, rows: int) -> int:
    """How many characters of a value are shown in a result of that size."""
    return max(_SHORTEST, min(_LONGEST, _CHARACTERS // max(1, columns * rows)))


def to_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    limit: int,
    longest: int | None = None,
    encoded: Collection[int] = (),
) -> Rows:
    """Convert up to `limit` rows one by one; `encoded` are the columns that come as JSON."""
    length = longest or longest_text(columns=len(columns), rows=limit)
    remaining = iter(rows)
    converted = [
        tuple(
            json_value(_decoded(cell, length) if at in encoded else cell, longest=length)
            for at, cell in enumerate(row)
        )
        for row in islice(remaining, limit)
    ]
    is_cut = next(remaining, None) is not None
    return Rows(columns=tuple(columns), rows=tuple(converted), is_cut=is_cut)


def json_value(value: object, *, longest: int = _LONGEST, depth: int = _DEPTH) -> JsonValue:
    """A cell of a result; what JSON has no form for becomes text.

    Texts, lists and maps are cut, and what is nested too deeply is left out.
    """
    match value:
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return int(value) if value.is_integer() else value
        case Decimal() if value.is_finite() and value.adjusted() < _DIGITS:
            return int(value) if value == int(value) else float(value)
        case bytes() | bytearray() | memoryview():
            return _cut(b64encode(bytes(value[:longest])).decode(), longest)
        case Mapping() | list() | tuple() | set():
            return _nested(value, longest, depth)
        case _:
            return _cut(str(value), longest)


def _nested(
    value: Mapping[object, object] | Collection[object], longest: int, depth: int
) -> JsonValue:
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        return {
            _cut(str(key), longest): json_value(part, longest=longest, depth=depth - 1)
            for key, part in islice(value.items(), _ITEMS)
        }
    parts = [json_value(part, longest=longest, depth=depth - 1) for part in islice(value, _ITEMS)]
    return [*parts, "…"] if len(value) > _ITEMS else parts


def _decoded(cell: object, longest: int) -> object:
    """The value of a column that comes as JSON; the beginning of its text where it was cut."""
    if not isinstance(cell, str) or len(cell) > longest:
        return cell
    try:
        return json.loads(cell, parse_float=Decimal)
    except (ValueError, RecursionError):
        return cell


def _cut(text: str, longest: int) -> str:
    start = text[: longest + 1].replace("\0", "").encode(errors="ignore").decode()
    return start if len(text) <= longest else start[: longest - 1] + "…"
