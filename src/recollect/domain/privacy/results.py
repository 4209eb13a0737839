"""What is stored of the results of queries."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from recollect.domain.text import JsonObject, JsonValue, json_characters
from recollect.errors import InvalidInput

_ROWS: Final = re.compile(r"rows:(\d{1,4})")
MAX_STORED_CHARACTERS: Final = 100_000
"""About how many characters of rows are stored at most, in whole rows."""
MAX_CELL_CHARACTERS: Final = 1_000
_MAX_COLUMNS: Final = 1_000
_MAX_NAME: Final = 255
_CUT: Final = "…"


class StoredPart(StrEnum):
    """How much of a result is stored."""

    NONE = "none"
    SUMMARY = "summary"
    """Its columns, and how many rows it had."""
    ROWS = "rows"
    """The first rows, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPolicy:
    """What is stored of the results of queries."""

    part: StoredPart = StoredPart.SUMMARY
    rows: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `none`, `summary` or `rows:N`."""
        if match := _ROWS.fullmatch(text):
            return cls(part=StoredPart.ROWS, rows=int(match[1]))
        if text in {StoredPart.NONE, StoredPart.SUMMARY}:
            return cls(part=StoredPart(text))
        raise InvalidInput("results", "must be none, summary or rows:N (N up to 9999)")

    def __str__(self) -> str:
        return f"{self.part}:{self.rows}" if self.part is StoredPart.ROWS else str(self.part)

    def stricter(self, other: "ResultPolicy") -> "ResultPolicy":
        """The one of both that stores less."""
        return min(self, other, key=lambda one: (_ORDER.index(one.part), one.rows))

    def keep(self, rows: Sequence[Mapping[str, JsonValue]]) -> JsonValue:
        """What is stored of these rows; None for nothing."""
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return self._kept(columns, rows, len(rows)) if rows else None

    def keep_of(self, result: JsonValue) -> JsonValue:
        """What is stored of a result in any form; the same of what this has returned."""
        if self.part is StoredPart.NONE or not result:
            return None
        if isinstance(result, Mapping) and is_summary(result):
            columns, rows, count = (result.get(name) for name in ("columns", "rows", "row_count"))
            return self._kept(columns, rows or (), count)  # type: ignore[arg-type]  # looked at
        table = _table_in(result)
        if named := rows_of(table):
            return self.keep(named)
        if isinstance(table, Mapping):
            return self.keep([table])
        lines = table if isinstance(table, list | tuple) else (table,)
        return self._kept((), lines, len(lines))

    def _kept(self, columns: Sequence[str], rows: Sequence[JsonValue], row_count: int) -> JsonValue:
        if self.part is StoredPart.NONE:
            return None
        names = [name[:_MAX_NAME] for name in columns[:_MAX_COLUMNS]]
        summary: dict[str, JsonValue] = {"columns": names, "row_count": row_count}
        if self.part is StoredPart.ROWS:
            summary["rows"] = _first_rows(rows, self.rows)
        return summary


_ORDER: Final = tuple(StoredPart)
WIDEST: Final = ResultPolicy(part=StoredPart.ROWS, rows=9999)
"""All that any policy stores: what answerers hand on, before the tenant's policy is known."""


def rows_of(result: JsonValue) -> list[dict[str, JsonValue]]:
    """The rows of a result, whichever form it has."""
    if isinstance(result, Mapping) and "full" in result:
        return rows_of(result["full"])
    rows = list(result.values()) if isinstance(result, Mapping) else result
    return [row for item in rows if (row := _row(item))] if isinstance(rows, list | tuple) else []


def _table_in(result: JsonValue) -> JsonValue:
    """The rows of a result that has them beside other things; else the result itself."""
    rows = result.get("rows") if isinstance(result, Mapping) else None
    return rows if isinstance(rows, list | tuple) else result


def _row(row: JsonValue) -> dict[str, JsonValue]:
    """One row as a dictionary: given as one, or as a list of `{columnName, value}`."""
    if isinstance(row, Mapping):
        return dict(row)
    given = row if isinstance(row, list | tuple) else ()
    cells = (cell for cell in given if isinstance(cell, Mapping) and "columnName" in cell)
    return {str(cell["columnName"]): cell.get("value") for cell in cells}


def is_summary(result: JsonObject) -> bool:
    """Whether this is what a policy stores."""
    if not result.keys() <= {"columns", "row_count", "rows"}:
        return False
    columns, rows = result.get("columns"), result.get("rows", [])
    is_named = isinstance(columns, list | tuple) and all(isinstance(one, str) for one in columns)
    count = result.get("row_count")
    is_counted = isinstance(count, int) and not isinstance(count, bool)
    return is_named and is_counted and isinstance(rows, list | tuple)


def _first_rows(rows: Sequence[JsonValue], most: int) -> list[JsonValue]:
    """Whole rows up to the most characters that are stored; long texts in them are cut."""
    chosen: list[JsonValue] = []
    left = MAX_STORED_CHARACTERS
    for row in rows[:most]:
        cut = _cut(row)
        left -= json_characters(cut, most=left)
        if left < 0:
            break
        chosen.append(cut)
    return chosen


def _cut(value: JsonValue) -> JsonValue:
    match value:
        case str() if len(value) > MAX_CELL_CHARACTERS:
            return value[:MAX_CELL_CHARACTERS] + _CUT
        case Mapping():
            return {name: _cut(item) for name, item in value.items()}
        case list() | tuple():
            return [_cut(item) for item in value]
        case _:
            return value
