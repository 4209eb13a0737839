"""Nothing but one statement that reads, and only from tables that may be read."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from recollect.answerers.sql_database.data import Table
from recollect.errors import StatementRefused

# Whatever writes, locks, or does anything but find rows, wherever in a statement it stands.
_FORBIDDEN: Final = (
    exp.DML,
    exp.DDL,
    exp.Command,
    exp.Copy,
    exp.Into,
    exp.Lock,
    exp.Merge,
    exp.Attach,
    exp.Detach,
    exp.Set,
    exp.Use,
    exp.Pragma,
    exp.Transaction,
    exp.Commit,
    exp.Rollback,
    exp.Kill,
    exp.Drop,
    exp.Alter,
    exp.TruncateTable,
)
# Functions with effects, or that reach files, settings, the network or another statement.
_REACHING: Final = re.compile(
    r"pg_|lo_|dblink|(query|table|schema|database|cursor)_to_xml|set_config|current_setting|"
    r"nextval|setval|currval|read_|write_|scan_|glob$|load_|getenv|sniff_|parquet_|sqlite_|"
    r"postgres_|mysql_|iceberg_|delta_|query$|query_table|which_secret|sys_|xp_|sp_|open(rowset|"
    r"query|datasource|json_file)|sleep|benchmark|get_lock|release_lock|writefile|readfile|edit$|"
    r"fts3_|utl_|dbms_|httpuri|exec",
    re.IGNORECASE,
)
_MADE_ROWS: Final = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStatement:
    """A statement that only reads."""

    text: str
    """As it was written."""
    limited: str
    """The same, finding no more rows than were asked for."""
    tables: tuple[str, ...]
    """The full names of the tables it reads."""


def check_statement(
    statement: str, *, dialect: str, allowed: Collection[Table], limit: int
) -> CheckedStatement:
    """Let a statement pass if it only reads tables that are allowed; else `StatementRefused`."""
    query = _only_query(statement, dialect)
    _check_nodes(query)
    tables = {_allowed(reference, allowed).full_name for reference in _stored_tables(query)}
    text = statement.strip().rstrip(";").strip()
    return CheckedStatement(
        text=text,
        limited=_limited(query, dialect, limit),
        tables=tuple(sorted(tables)),
    )


def _only_query(statement: str, dialect: str) -> exp.Query:
    try:
        parsed = [found for found in sqlglot.parse(statement, read=dialect) if found is not None]
    except (SqlglotError, RecursionError):
        raise StatementRefused("the statement is not SQL that can be checked") from None
    if len(parsed) != 1:
        raise StatementRefused(f"one statement is allowed, there are {len(parsed)}")
    if not isinstance(parsed[0], exp.Query):
        raise StatementRefused(f"only SELECT is allowed, this is {parsed[0].key.upper()}")
    return parsed[0]


def _check_nodes(query: exp.Query) -> None:
    for node in query.walk():
        if isinstance(node, _FORBIDDEN) and not isinstance(node, exp.Query):
            raise StatementRefused(f"only SELECT is allowed, the statement has {node.key.upper()}")
        if isinstance(node, exp.Func) and _REACHING.match(_name_of(node)):
            raise StatementRefused("the statement calls a function that does more than compute")


def _name_of(function: exp.Func) -> str:
    is_unknown = isinstance(function, exp.Anonymous | exp.AnonymousAggFunc)
    return function.name if is_unknown else function.sql_name()


def _stored_tables(query: exp.Query) -> Iterator[exp.Table]:
    """The references to tables of the database, not to parts of the statement itself."""
    try:
        own = {
            id(node)
            for scope in traverse_scope(query)
            for node, source in scope.selected_sources.values()
            if not isinstance(source, exp.Table)
        }
    except SqlglotError:
        raise StatementRefused("the statement is not SQL that can be checked") from None
    for table in query.find_all(exp.Table):
        if id(table) not in own and not isinstance(table.this, _MADE_ROWS):
            yield table


def _allowed(reference: exp.Table, allowed: Collection[Table]) -> Table:
    if not isinstance(reference.this, exp.Identifier):
        raise StatementRefused("the statement reads from a function")
    name, schema = reference.name.lower(), reference.db.lower()
    for table in allowed:
        is_schema = table.schema.lower() == schema if schema else table.is_in_default_schema
        if table.name.lower() == name and is_schema and not reference.catalog:
            return table
    raise StatementRefused("the statement reads a table that is not among the allowed ones")


def _limited(query: exp.Query, dialect: str, limit: int) -> str:
    """The statement with a limit of one row more than wanted, unless it has a smaller one."""
    present = query.args.get("limit")
    given = present.expression if isinstance(present, exp.Limit) else None
    is_smaller = isinstance(given, exp.Literal) and given.is_int and int(given.name) <= limit
    if is_smaller or isinstance(present, exp.Fetch):
        return query.sql(dialect=dialect)
    return query.limit(limit + 1).sql(dialect=dialect)
