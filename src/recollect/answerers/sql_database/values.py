"""What databases hand out, as JSON of a bounded size."""

import json
import math
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final

from recollect.answerers.sql_database.data import Rows
from recollect.domain.text import JsonValue

_LONGEST: Final = 2000
_SHORTEST: Final = 64
_CHARACTERS: Final = 4_000_000
_ITEMS: Final = 200
_DEPTH: Final = 8
_DIGITS: Final = 300  # what a float can hold, nearly


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
