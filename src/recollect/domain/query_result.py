"""How much of a query's result is kept with the answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput

_ROWS: Final = re.compile(r"rows:(\d{1,4})")


class Kept(StrEnum):
    """What is kept of a result."""

    NONE = "none"
    SUMMARY = "summary"
    """Its columns, and how many rows it had."""
    ROWS = "rows"
    """The first rows, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPolicy:
    """What is kept of the results of queries."""

    kept: Kept = Kept.SUMMARY
    rows: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `none`, `summary` or `rows:N`."""
        if found := _ROWS.fullmatch(text):
            return cls(kept=Kept.ROWS, rows=int(found[1]))
        if text in {Kept.NONE, Kept.SUMMARY}:
            return cls(kept=Kept(text))
        raise InvalidInput("results", "must be none, summary or rows:N (N up to 9999)")

    def keep(self, rows: Sequence[Mapping[str, JsonValue]]) -> JsonValue:
        """What is kept of these rows; None for nothing."""
        if self.kept is Kept.NONE or not rows:
            return None
        columns = list(dict.fromkeys(name for row in rows for name in row))
        summary: dict[str, JsonValue] = {"columns": columns, "row_count": len(rows)}
        if self.kept is Kept.ROWS:
            summary["rows"] = [dict(row) for row in rows[: self.rows]]
        return summary
