"""Names of tables (views) as permissions compare them."""

import re
from typing import Final

UNKNOWN: Final = "?"
"""Stands for tables that cannot be told: whoever may not see everything may not see these."""

_PART: Final = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)(?:\]|\Z)|([^."`\[\]]+)')


def normalised(name: str) -> str:
    """A table's name as `database.view`: in lower case, without quotes and the blanks around it.

    A name without a database stays without one. What names no single table is `UNKNOWN`.
    """
    parts = ("".join(part).replace('""', '"').strip() for part in _PART.findall(name))
    joined = ".".join(part for part in parts if part).lower()
    return UNKNOWN if not joined or "*" in joined else joined


def database_of(table: str) -> str | None:
    """The database that a table's normalised name begins with, if it has one."""
    return table.rpartition(".")[0] or None
