"""The schema: its revisions in plain SQL, and what a database is like.

A folder holds the SQL of a revision: files that are run in the order of their names, and
`down.sql`, which undoes them.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from recollect.engines.postgres.connection.addresses import APP_ROLE, as_application, display
from recollect.engines.postgres.connection.error_mapping import translated
from recollect.errors import InvalidInput, SchemaOutdated

MIN_SERVER_VERSION: Final = 15
_FOLDER: Final = Path(__file__).parent
BASE: Final = "base"
"""The revision before the first: an empty schema."""
REVISIONS: Final = (BASE, "0001")
"""All in their order; a test compares them with the folders."""
HEAD: Final = REVISIONS[-1]

DEVELOPMENT: Final = "development"
"""What is read as the revision of a database from before the first release."""
_IS_DEVELOPMENT: Final = "SELECT to_regclass('recollect.alembic_version') IS NOT NULL"
_PREPARE: Final = """
CREATE SCHEMA IF NOT EXISTS recollect;
SET LOCAL search_path TO recollect;
CREATE TABLE IF NOT EXISTS schema_revision (revision text PRIMARY KEY);
"""
_LOCK: Final = 0x7265636F6C6C6563  # 'recollec': one migration at a time on a server

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
  AND relation.relname <> 'schema_revision'
GROUP BY role.oid, role.rolsuper, role.rolbypassrls
"""

_IS_SUPERUSER: Final = "SELECT rolsuper FROM pg_roles WHERE rolname = session_user"

logger = logging.getLogger(__name__)


async def migrate(dsn: str) -> tuple[str | None, str | None]:
    """Upgrade to the latest revision, one replica at a time; the revisions before and after."""
    return await _run(dsn, HEAD)


async def downgrade(dsn: str, *, target: str) -> tuple[str | None, str | None]:
    """Go back to an earlier revision, or to 'base': an empty schema; data goes with its tables."""
    current = await current_revision(dsn)
    _refuse_unknown(current, dsn)
    if target not in REVISIONS[: REVISIONS.index(current or BASE) + 1]:
        raise InvalidInput("revision", f"{target!r} is not one below that of the database")
    return await _run(dsn, target)


async def current_revision(dsn: str) -> str | None:
    """The revision the database is at, or None if it has never been migrated."""
    async with connected(dsn) as connection:
        return await _read_revision(connection)


@asynccontextmanager
async def connected(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Connect as an administrator; errors that tell the database's state are translated."""
    with translated():
        async with _driver_connection(dsn) as connection:
            yield connection


@asynccontextmanager
async def _driver_connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Connect without prepared statements, which a pooler may not carry."""
    connection = await asyncpg.connect(dsn, statement_cache_size=0)
    try:
        yield connection
    finally:
        await connection.close()


async def ensure_current(dsn: str) -> None:
    """Upgrade if that is needed; refuse to work on a schema that cannot be brought to ours."""
    if await current_revision(dsn) != HEAD:
        await migrate(dsn)


async def _run(dsn: str, target: str) -> tuple[str | None, str | None]:
    with translated():
        before, after = await _run_explained(dsn, target)
    logger.info("schema.migrated", extra={"facts": {"before": before, "after": after}})
    return before, after


async def _run_explained(dsn: str, target: str) -> tuple[str | None, str | None]:
    """Migrate, or say what an administrator has to do before that is possible."""
    try:
        return await _run_in_one_transaction(dsn, target)
    except asyncpg.InsufficientPrivilegeError as error:
        if "extension" in str(error):
            raise SchemaOutdated(
                f"the connecting role may not add pgvector to {display(dsn)}: let an administrator "
                "of the server run 'CREATE EXTENSION vector' there once"
            ) from error
        raise SchemaOutdated(
            f"the connecting role may not change the schema of {display(dsn)} ({error}): "
            "run 'recollect migrate' with the connection string of the database's owner"
        ) from error
    except (asyncpg.UndefinedFileError, asyncpg.FeatureNotSupportedError) as error:
        raise SchemaOutdated(
            f"the server of {display(dsn)} has no pgvector ({error}): install pgvector 0.7 or newer"
        ) from error


async def _run_in_one_transaction(dsn: str, target: str) -> tuple[str | None, str | None]:
    # Not translated yet: a missing file of pgvector would read as a database that does not answer.
    async with _driver_connection(dsn) as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        before = await _read_revision(connection)
        _refuse_unknown(before, dsn)
        await connection.execute(_PREPARE)
        for script in _scripts(before or BASE, target):
            await connection.execute(script.read_text(encoding="utf-8"))
        after = None if target == BASE else target
        if after != before:
            await connection.execute("DELETE FROM schema_revision")
        if after not in (before, None):
            await connection.execute("INSERT INTO schema_revision VALUES ($1)", after)
    return before, after


def _scripts(current: str, target: str) -> Iterator[Path]:
    """The files that lead from one revision to another, up or down."""
    start, end = REVISIONS.index(current), REVISIONS.index(target)
    for revision in REVISIONS[start + 1 : end + 1]:
        yield from sorted((_FOLDER / revision).glob("[0-9]*.sql"))
    for revision in reversed(REVISIONS[end + 1 : start + 1]):
        yield _FOLDER / revision / "down.sql"


async def _read_revision(connection: asyncpg.Connection) -> str | None:
    try:
        if await connection.fetchval(_IS_DEVELOPMENT):
            return DEVELOPMENT
        if not await connection.fetchval("SELECT to_regclass('recollect.schema_revision')"):
            return None
        revision: str | None = await connection.fetchval(
            "SELECT revision FROM recollect.schema_revision"
        )
    except asyncpg.InsufficientPrivilegeError as error:
        raise SchemaOutdated(
            f"the connecting role may not see the schema ({error}): "
            f"let the database's owner run 'GRANT {APP_ROLE} TO …' for it"
        ) from error
    return revision


def _refuse_unknown(revision: str | None, dsn: str) -> None:
    if revision == DEVELOPMENT:
        raise SchemaOutdated(
            f"the database at {display(dsn)} has the schema of a development version, which was "
            "never released and cannot be upgraded: remove it with 'DROP SCHEMA recollect "
            "CASCADE', or an embedded database with its folder, and start again; all "
            "conversations in it are lost"
        )
    if revision is not None and revision not in REVISIONS:
        raise SchemaOutdated(
            f"the database at {display(dsn)} is at revision {revision}, made by a newer Recollect; "
            f"this one knows {HEAD}: upgrade Recollect"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """What a database is like."""

    server_version: str
    major_version: int
    has_pgvector: bool
    revision: str | None
    is_superuser: bool
    """Whether the role that logs in is one, whatever it steps down to."""
    bound_by_policies: bool | None
    """Whether every table's policy binds the role we work as; None before a migration."""


async def inspect(dsn: str) -> DatabaseFacts:
    """Look at a database through an administrator's or the application's connection."""
    revision = await current_revision(dsn)
    async with connected(as_application(dsn) if revision else dsn) as connection:
        is_bound = await connection.fetchval(_BOUND_BY_POLICIES) if revision else None
        return DatabaseFacts(
            server_version=await connection.fetchval("SHOW server_version"),
            major_version=connection.get_server_version().major,
            has_pgvector=await connection.fetchval(_HAS_PGVECTOR),
            revision=revision,
            is_superuser=await connection.fetchval(_IS_SUPERUSER),
            bound_by_policies=is_bound,
        )
