"""Everything the database holds of one owner, to compare before and after."""

from typing import TypeAlias
from uuid import UUID

from recollect.engines.postgres.database import Database

Snapshot: TypeAlias = dict[str, list[str]]

_TABLES_OF_OWNERS = """
SELECT table_name FROM information_schema.columns
WHERE table_schema = 'recollect' AND column_name = 'owner_id'
ORDER BY table_name
"""


async def tables_of_owners(database: Database) -> list[str]:
    """The tables whose rows belong to an owner: all of them, but for the schema's version."""
    async with database.owned_by(UUID(int=0)) as connection:
        return [row["table_name"] for row in await connection.fetch(_TABLES_OF_OWNERS)]


async def rows_of(database: Database, owner_id: UUID) -> Snapshot:
    """Every row of an owner, whole, table by table."""
    async with database.owned_by(owner_id) as connection:
        tables = [row["table_name"] for row in await connection.fetch(_TABLES_OF_OWNERS)]
        return {
            table: [
                row["whole"]
                for row in await connection.fetch(
                    # The name comes from the catalogue.
                    f"SELECT row_to_json(t)::text AS whole FROM {table} AS t ORDER BY 1"  # noqa: S608
                )
            ]
            for table in tables
        }
