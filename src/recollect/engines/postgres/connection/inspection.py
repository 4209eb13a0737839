"""What a database is like, for whoever wants to know whether it will do."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.error_mapping import translated
from recollect.engines.postgres.connection.migrate import current_revision

MIN_SERVER_VERSION: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """What was found."""

    server_version: str
    major_version: int
    has_pgvector: bool
    revision: str | None
    bound_by_policies: bool | None
    """Whether the role we work as is held by every table's policy; None before a migration."""


async def inspect(dsn: str) -> DatabaseFacts:
    """Look at a database through an administrator's or the application's connection."""
    revision = await current_revision(dsn)
    with translated():
        return await _look(dsn, revision)


async def _look(dsn: str, revision: str | None) -> DatabaseFacts:
    connection = await asyncpg.connect(as_application(dsn) if revision else dsn)
    try:
        is_bound = await connection.fetchval(_BOUND_BY_POLICIES) if revision else None
        return DatabaseFacts(
            server_version=await connection.fetchval("SHOW server_version"),
            major_version=connection.get_server_version().major,
            has_pgvector=await connection.fetchval(_HAS_PGVECTOR),
            revision=revision,
            bound_by_policies=is_bound,
        )
    finally:
        await connection.close()


_HAS_PGVECTOR: Final = "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')"

_BOUND_BY_POLICIES: Final = """
SELECT NOT role.rolsuper AND NOT role.rolbypassrls AND bool_and(
    relation.relowner <> role.oid AND relation.relrowsecurity AND relation.relforcerowsecurity
)
FROM pg_roles AS role
CROSS JOIN pg_class AS relation
WHERE role.rolname = current_user
  AND relation.relnamespace = 'recollect'::regnamespace
  AND relation.relkind = 'r'
  AND relation.relname <> 'alembic_version'
GROUP BY role.oid, role.rolsuper, role.rolbypassrls
"""
