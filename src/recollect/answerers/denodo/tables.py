"""Which tables a query draws on."""

from collections.abc import Sequence

from recollect.ports.models import SqlReader


def tables_of(sql: str, candidates: Sequence[str], reader: SqlReader) -> tuple[str, ...]:
    """The tables in a query, as `database.view` where that is known.

    The AI SDK names every view that it considered, not those that it used. Where the query does
    not tell, because there is none or it cannot be read, all of them count.
    """
    named = reader.tables_in(sql)
    if not named:
        return tuple(dict.fromkeys(candidates))
    return tuple(dict.fromkeys(_in_full(table, candidates) for table in named))


def _in_full(table: str, candidates: Sequence[str]) -> str:
    """The candidate that a table without its database stands for, if there is only one."""
    if "." in table:
        return table
    ending = f".{table.lower()}"
    matching = [candidate for candidate in candidates if candidate.lower().endswith(ending)]
    return matching[0] if len(matching) == 1 else table
