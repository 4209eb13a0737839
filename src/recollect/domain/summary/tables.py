"""The last line of a summary of answers from tables: which tables those were."""

import re
from collections.abc import Callable, Sequence
from typing import Final

_MOST: Final = 50
_LABELS: Final = {"nl": "Tabellen", "en": "Tables"}
_LINE: Final = re.compile(r"(?:\A|\n)(?:Tables|Tabellen): ([^\n]+)\Z")


def split_tables_line(summary: str) -> tuple[str, list[str]]:
    """A summary without its last line of tables, and the tables named there."""
    found = _LINE.search(summary.rstrip())
    if found is None:
        return summary, []
    return summary[: found.start()], found[1].split(", ")


def tables_line(
    tables: Sequence[str], *, language: str | None, limit: int, count: Callable[[str], int]
) -> str:
    """The line for these tables, each once; the earliest ones are left out where all do not fit."""
    names = [" ".join(table.split()) for table in tables]
    known = list(dict.fromkeys(name for name in reversed(names) if name))[:_MOST][::-1]
    label = _LABELS.get(language or "", _LABELS["en"])
    for first in range(len(known)):
        line = f"{label}: {', '.join(known[first:])}"
        if count(f"{line}\n") <= limit:
            return line
    return ""
