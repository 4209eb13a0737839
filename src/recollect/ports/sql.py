"""Who can read SQL."""

from typing import Protocol


class SqlReader(Protocol):
    """Understands queries in the dialects that answers are written in.

    It never guesses: a query that it cannot read for certain it does not read at all.
    """

    def tables_in(self, sql: str) -> tuple[str, ...] | None:
        """The tables (views) that a query reads, normalised; None if it cannot be read.

        Names that the query itself defines (`WITH …`) are not among them.
        """
        ...

    def shape_of(self, sql: str) -> str | None:
        """The query with every value in it as `?`; None if it cannot be read."""
        ...


class UnreadSql:
    """A `SqlReader` that reads nothing: every query draws on all tables it may have used."""

    def tables_in(self, sql: str) -> None:
        """Nobody knows."""

    def shape_of(self, sql: str) -> None:
        """Nobody knows."""
