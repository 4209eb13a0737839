"""Which tables an owner may see, and what that leaves of an answer drawn from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum


class Visibility(IntEnum):
    """How much of an answer may be shown; of several tables the least counts."""

    NOTHING = 0
    SHAPE = 1
    """The question and the form of its SQL, no values: rows or columns are restricted."""
    ALL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What an owner may see now."""

    tables: Mapping[str, Visibility] | None
    """By name as `database.view`, in lower case; a table not in it is not to be seen.

    None where no permission source is set: everything is to be seen.
    """

    def visibility_of(self, tables: Iterable[str]) -> Visibility:
        """How much may be shown of something that draws on these tables."""
        if self.tables is None:
            return Visibility.ALL
        seen = (self.tables.get(table, Visibility.NOTHING) for table in tables)
        return min(seen, default=Visibility.ALL)


EVERYTHING = Access(tables=None)
NOTHING = Access(tables={})
