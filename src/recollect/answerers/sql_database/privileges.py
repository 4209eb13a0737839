"""What the account of the data questions may do on PostgreSQL beyond reading the allowed tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from recollect.answerers.sql_database.data import ReadOnlyDatabase, Rows, Table

_NAMED: Final = 5
_POSTGRES: Final = "postgres"
_ROLE: Final = """
    SELECT r.rolsuper, r.rolbypassrls, r.rolcreaterole OR r.rolcreatedb,
           pg_has_role(current_user, 'pg_read_server_files', 'usage')
           OR pg_has_role(current_user, 'pg_write_server_files', 'usage')
           OR pg_has_role(current_user, 'pg_execute_server_program', 'usage')
    FROM pg_roles AS r WHERE r.rolname = current_user
"""
_TABLES: Final = """
    SELECT n.nspname, c.relname, n.nspname = 'public',
           has_any_column_privilege(c.oid, 'SELECT'),
           has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_'
      AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
    ORDER BY 1, 2
"""
_MOST_TABLES: Final = 10_000


async def excess_privileges(
    database: ReadOnlyDatabase, *, tables: Sequence[str]
) -> tuple[str, ...]:
    """What the account may do that data questions do not need, one sentence each.

    Nothing for databases other than PostgreSQL: their files are opened for reading alone, or
    their privileges are not known here.
    """
    if database.dialect != _POSTGRES:
        return ()
    role = await database.read(_ROLE, limit=1)
    found = await database.read(_TABLES, limit=_MOST_TABLES)
    return (*_of_role(role), *_of_tables(found, tables))


def _of_role(role: Rows) -> Iterator[str]:
    is_superuser, bypasses_policies, creates, reaches_files = role.rows[0]
    if is_superuser:
        yield "the account is a superuser"
        return
    if bypasses_policies:
        yield "the account bypasses row-level security"
    if creates:
        yield "the account may create roles or databases"
    if reaches_files:
        yield "the account may reach files or programs of the server"


def _of_tables(found: Rows, patterns: Sequence[str]) -> Iterator[str]:
    readable, writable = [], []
    for schema, name, is_default, may_read, may_write in found.rows:
        table = Table(
            schema=str(schema), name=str(name), columns=(), is_in_default_schema=bool(is_default)
        )
        if may_read and not table.is_named_by(patterns):
            readable.append(table.shown_name)
        if may_write:
            writable.append(table.shown_name)
    if readable:
        yield f"the account may read tables outside MEMORY_SQL_TABLES: {_some(readable)}"
    if writable:
        yield f"the account may write to {_some(writable)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
