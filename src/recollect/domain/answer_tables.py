"""Which tables an answer draws on."""

from collections.abc import Callable, Sequence

from recollect.domain.message import AnswerDetails
from recollect.domain.table_names import UNKNOWN, normalised

ReadTables = Callable[[str], tuple[str, ...] | None]
"""The tables that SQL names, normalised; None if it cannot be read."""


def tables_of_answer(details: AnswerDetails, read_tables: ReadTables) -> tuple[str, ...]:
    """The tables an answer draws on, normalised and sorted; none where it draws on no data.

    Those in its SQL count. Of SQL that cannot be read, every table that may have been used does
    (`tables_used`), and where none is named, or there is a result without either: `UNKNOWN`.
    """
    found = candidates_of(details)
    if details.sql_query and details.sql_query.strip():
        read = read_tables(details.sql_query)
        found = (found or (UNKNOWN,)) if read is None else read
    elif not found and details.execution_result:
        found = (UNKNOWN,)
    return tuple(sorted({name for table in found for name in placed(table, details)}))


def candidates_of(details: AnswerDetails) -> tuple[str, ...]:
    """The tables that an answer may have used, normalised."""
    return tuple(normalised(table) for table in details.tables_used or ())


def placed(table: str, details: AnswerDetails) -> Sequence[str]:
    """A table with its database: that of a candidate of the same name, or the answer's own."""
    if "." in table or table == UNKNOWN:
        return (table,)
    named = [name for name in candidates_of(details) if name.endswith(f".{table}")]
    if named or not details.database:
        return named or (table,)
    return (f"{normalised(details.database)}.{table}",)
