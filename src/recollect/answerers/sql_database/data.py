"""A database as an answerer sees it: tables, rows, and their values as JSON of bounded size."""

import json
import math
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final, Protocol

from recollect.domain.text import JsonValue

WAIT_SECONDS: Final = 5.0
"""How long a statement waits for one of the connections."""
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
    """What a statement found."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    is_cut: bool
    """Whether there are more rows than were asked for."""

    def to_records(self) -> dict[str, JsonValue]:
        """The rows in the form of answerQuestion: `{"Row 1": [{"columnName", "value"}]}`."""
        return {
            f"Row {number}": _record(self.columns, row)
            for number, row in enumerate(self.rows, start=1)
        }

    def to_mappings(self) -> list[dict[str, JsonValue]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _record(columns: Sequence[str], row: Sequence[JsonValue]) -> list[JsonValue]:
    pairs = zip(columns, row, strict=True)
    return [{"columnName": column, "value": value} for column, value in pairs]


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


def longest_text(*, columns: int, rows: int) -> int:
    """How many characters of a value are shown in a result of so many columns and rows."""
    return max(_SHORTEST, min(_LONGEST, _CHARACTERS // max(1, columns * rows)))


def to_rows(
    columns: Sequence[str],
    found: Iterable[Sequence[object]],
    *,
    limit: int,
    longest: int | None = None,
    encoded: Collection[int] = (),
) -> Rows:
    """Up to `limit` rows, converted one by one; `encoded` are the columns that come as JSON."""
    length = longest or longest_text(columns=len(columns), rows=limit)
    rows: list[tuple[JsonValue, ...]] = []
    for row in found:
        if len(rows) == limit:
            return Rows(columns=tuple(columns), rows=tuple(rows), is_cut=True)
        cells = (
            _decoded(cell, length) if number in encoded else cell for number, cell in enumerate(row)
        )
        rows.append(tuple(json_value(cell, longest=length) for cell in cells))
    return Rows(columns=tuple(columns), rows=tuple(rows), is_cut=False)


def json_value(value: object, *, longest: int = _LONGEST, depth: int = _DEPTH) -> JsonValue:
    """A cell of a result; what JSON has no form for becomes text.

    Texts, lists and maps are cut, and what is nested too deeply is left out.
    """
    match value:
        case None | bool() | int():
            return value
        case float() | Decimal() if math.isfinite(value) and _is_short(value):
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


def _is_short(value: float | Decimal) -> bool:
    return isinstance(value, float) or value.adjusted() < _DIGITS


def _cut(text: str, longest: int) -> str:
    kept = text[: longest + 1].replace("\0", "").encode(errors="ignore").decode()
    return kept if len(text) <= longest else kept[: longest - 1] + "…"
