"""Which tables an owner may see, and what that leaves of an answer drawn from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Self

from recollect.domain.table_names import UNKNOWN, database_of, normalised

EVERY_TABLE: Final = "*"


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

    `database.*` stands for all tables of a database and `*` for all tables; where several
    entries mean the same table, the one that shows least counts. None where no permission
    source is set: everything is to be seen.
    """
    databases: frozenset[str] | None = None
    """Tables of other databases are not to be seen, whatever `tables` says; None is no limit."""
    warnings: tuple[str, ...] = ()
    """What whoever gets the result should be told about it."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing has to be left out, whatever it draws on."""
        return self.tables is None and self.databases is None

    def within(self, databases: Iterable[str] | None) -> Self:
        """The same, narrowed to some databases; None narrows nothing."""
        if databases is None:
            return self
        named = frozenset(normalised(database) for database in databases)
        kept = named if self.databases is None else self.databases & named
        return replace(self, databases=kept)

    def visibility_of(self, tables: Iterable[str]) -> Visibility:
        """How much may be shown of something that draws on these tables."""
        return min(map(self._of, tables), default=Visibility.ALL)

    def _of(self, table: str) -> Visibility:
        if self.databases is not None and database_of(table) not in self.databases:
            return Visibility.NOTHING
        if self.tables is None:
            return Visibility.ALL
        return min(_entries_for(table, self.tables), default=Visibility.NOTHING)


def _entries_for(table: str, entries: Mapping[str, Visibility]) -> list[Visibility]:
    """What is said about a table; nothing where it is not meant at all."""
    database = database_of(table)
    named = {table, f"{database}.*", EVERY_TABLE}
    found = [entries[name] for name in named if name in entries]
    if not found or database is not None:
        return found
    # It may be the table of that name in any database, and an unknown one may be any table.
    return [
        visibility
        for name, visibility in entries.items()
        if table == UNKNOWN or name.rpartition(".")[2] in {table, "*"}
    ]


EVERYTHING: Final = Access(tables=None)
NOTHING: Final = Access(tables={})
