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

    def has_read(self, sql: str) -> bool:
        """Whether `tables_in` knows the answer already; to read a query takes milliseconds."""
        ...

    def shape_of(self, sql: str) -> str | None:
        """The query with every value in it as `?`; None if it cannot be read."""
        ...


class UnreadSql:
    """A `SqlReader` that reads nothing: every query draws on all tables it may have used."""

    def tables_in(self, sql: str) -> None:
        """Nobody knows."""

    def has_read(self, sql: str) -> bool:  # noqa: ARG002  # the port's
        """There is nothing to read."""
        return True

    def shape_of(self, sql: str) -> None:
        """Nobody knows."""
