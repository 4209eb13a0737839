"""Everything the database holds of one owner, to compare before and after."""

from typing import TypeAlias
from uuid import UUID

from recollect.engines.postgres.connection.database import Database

Snapshot: TypeAlias = dict[str, list[str]]

_TABLES_OF_OWNERS = """
SELECT relname FROM pg_class
JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'owner_id'
WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p')
ORDER BY relname
"""


async def tables_of_owners(database: Database) -> list[str]:
    """The tables whose rows belong to an owner: all of them, but for the schema's version."""
    async with database.owned_by(UUID(int=0)) as connection:
        return [row["relname"] for row in await connection.fetch(_TABLES_OF_OWNERS)]


async def rows_of(database: Database, owner_id: UUID) -> Snapshot:
    """Every row of an owner, whole, table by table."""
    async with database.owned_by(owner_id) as connection:
        tables = [row["relname"] for row in await connection.fetch(_TABLES_OF_OWNERS)]
        parts = (
            f"SELECT '{table}' AS name, row_to_json(t)::text AS whole FROM {table} AS t"  # noqa: S608  # from the catalogue
            for table in tables
        )
        rows = await connection.fetch(f"{' UNION ALL '.join(parts)} ORDER BY name, whole")
    snapshot: Snapshot = {table: [] for table in tables}
    for row in rows:
        snapshot[row["name"]].append(row["whole"])
    return snapshot
