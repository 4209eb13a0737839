"""A database as an answerer sees it: tables to read from, and rows that come back."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Protocol

from recollect.domain.text import JsonValue

WAIT_SECONDS: Final = 5.0
"""How long a statement waits for one of the connections."""
BUSY: Final = (
    "all connections to the database of the data questions are busy; ask again later, "
    "or raise MEMORY_SQL_CONNECTIONS"
)


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
