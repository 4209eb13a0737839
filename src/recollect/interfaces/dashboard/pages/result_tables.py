"""Stored results of queries as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from recollect.domain.privacy.results import is_summary, rows_of
from recollect.domain.text import JsonObject, JsonValue

_MOST_ROWS: Final = 50
_MOST_COLUMNS: Final = 30
_MOST_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """The rows of a result that are shown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    numbers: frozenset[int] = frozenset()
    """The places of the columns that hold numbers alone, which stand below each other."""


def table_of(result: JsonValue) -> ResultTable | None:
    """A result as a table; None where there is none.

    Of a result whose rows are not stored, its columns and how many rows it had are shown.
    """
    if not result:
        return None
    if isinstance(result, Mapping) and is_summary(result):
        return _of_summary(result)
    inner = result.get("rows", result) if isinstance(result, Mapping) else result
    is_table = isinstance(inner, list) and all(isinstance(row, Mapping | list) for row in inner)
    if is_table and (rows := rows_of(inner)):
        return _of_objects(rows)
    if isinstance(result, Mapping):
        return _of_objects(rows_of(result) or [result])
    return ResultTable(columns=(), rows=((_text(result),),))


def _of_summary(summary: JsonObject) -> ResultTable:
    """A result as a policy stores it: how many rows there were, and perhaps the first of them."""
    columns, lines, count = (summary.get(name) for name in ("columns", "rows", "row_count"))
    if rows := rows_of(lines):
        table = _of_objects(rows)
    else:
        shown = list(lines or ())[:_MOST_ROWS]  # type: ignore[arg-type]  # looked at
        table = ResultTable(
            columns=tuple(columns or ())[:_MOST_COLUMNS],  # type: ignore[arg-type]  # looked at
            rows=tuple(map(_cells, shown)),
        )
    return replace(table, left_out=max(int(count) - len(table.rows), 0))  # type: ignore[arg-type]  # looked at


def _cells(line: JsonValue) -> tuple[str, ...]:
    """The texts of a row."""
    return tuple(map(_text, line[:_MOST_COLUMNS])) if isinstance(line, list) else (_text(line),)


def _of_objects(rows: Sequence[Mapping[str, JsonValue]]) -> ResultTable:
    shown = rows[:_MOST_ROWS]
    columns = tuple(dict.fromkeys(name for row in shown for name in row))[:_MOST_COLUMNS]
    return ResultTable(
        columns=columns,
        rows=tuple(tuple(_text(row.get(name)) for name in columns) for row in shown),
        left_out=len(rows) - len(shown),
        numbers=frozenset(place for place, name in enumerate(columns) if _are_numbers(shown, name)),
    )


def _are_numbers(rows: Sequence[Mapping[str, JsonValue]], name: str) -> bool:
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(type(value) in {int, float} for value in values)


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
