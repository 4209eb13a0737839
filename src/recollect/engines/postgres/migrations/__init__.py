"""The schema: its revisions in plain SQL, run by Alembic, and what a database is like."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import asyncpg

from recollect.engines.postgres.connection.database import APP_ROLE, as_application, display
from recollect.engines.postgres.connection.error_mapping import translated
from recollect.errors import SchemaOutdated

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import AdaptedConnection

MIN_SERVER_VERSION: Final = 15
HEAD: Final = "0001"
"""The latest revision; a test compares it with the files in `versions`."""

_DEVELOPMENT: Final = frozenset(f"{number:04}" for number in range(2, 11))
"""Revisions before the first release, made one; the next revision is 0011."""
_FOLDER: Final = Path(__file__).parent
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
  AND relation.relname <> 'alembic_version'
GROUP BY role.oid, role.rolsuper, role.rolbypassrls
"""

logger = logging.getLogger(__name__)


async def migrate(dsn: str, *, target: str = "head") -> tuple[str | None, str | None]:
    """Upgrade to a revision, one replica at a time; the revisions before and after."""
    return await _run(dsn, target, is_upgrade=True)


async def downgrade(dsn: str, *, target: str) -> tuple[str | None, str | None]:
    """Go back to an earlier revision, or to 'base': an empty schema; data goes with its tables."""
    return await _run(dsn, target, is_upgrade=False)


async def current_revision(dsn: str) -> str | None:
    """The revision the database is at, or None if it has never been migrated."""
    with translated():
        connection = await _connect(dsn)
        try:
            return await _read_revision(connection)
        finally:
            await connection.close()


async def _connect(dsn: str) -> asyncpg.Connection:
    """Connect without prepared statements, which a pooler may not carry."""
    return await asyncpg.connect(dsn, statement_cache_size=0)


async def ensure_current(dsn: str) -> None:
    """Upgrade if that is needed; refuse to work on a schema that cannot be brought to ours."""
    if await current_revision(dsn) != HEAD:
        await migrate(dsn)


async def _run(dsn: str, target: str, *, is_upgrade: bool) -> tuple[str | None, str | None]:
    with translated():
        before, after = await _run_explained(dsn, target, is_upgrade=is_upgrade)
    logger.info("schema.migrated", extra={"facts": {"before": before, "after": after}})
    return before, after


async def _run_explained(
    dsn: str, target: str, *, is_upgrade: bool
) -> tuple[str | None, str | None]:
    """Migrate, or say what an administrator has to do before that is possible."""
    try:
        return await _run_locked(dsn, target, is_upgrade=is_upgrade)
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


async def _run_locked(dsn: str, target: str, *, is_upgrade: bool) -> tuple[str | None, str | None]:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
        before = await _read_revision(connection)
        _refuse_unknown(before, dsn)
        await connection.execute("CREATE SCHEMA IF NOT EXISTS recollect")
        await _run_alembic(dsn, target, is_upgrade=is_upgrade)
        return before, await _read_revision(connection)
    finally:
        await connection.close()


async def _read_revision(connection: asyncpg.Connection) -> str | None:
    try:
        revision: str | None = await connection.fetchval(
            "SELECT version_num FROM recollect.alembic_version"
        )
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        return None
    except asyncpg.InsufficientPrivilegeError as error:
        raise SchemaOutdated(
            f"the connecting role may not see the schema ({error}): "
            f"let the database's owner run 'GRANT {APP_ROLE} TO …' for it"
        ) from error
    return revision


def _refuse_unknown(revision: str | None, dsn: str) -> None:
    if revision in _DEVELOPMENT:
        raise SchemaOutdated(
            f"the database at {display(dsn)} has the schema of a development version (revision "
            f"{revision}), which was never released and cannot be upgraded: remove it with 'DROP "
            "SCHEMA recollect CASCADE', or an embedded database with its folder, and start again; "
            "all conversations in it are lost"
        )
    if revision is not None and revision > HEAD:
        raise SchemaOutdated(
            f"the database at {display(dsn)} is at revision {revision}, made by a newer Recollect; "
            f"this one knows {HEAD}: upgrade Recollect"
        )


async def _run_alembic(dsn: str, target: str, *, is_upgrade: bool) -> None:
    """Run Alembic; imported here, for it takes half a second and is needed once a version."""
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy import Connection  # noqa: PLC0415
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    def work(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
        config.attributes["connection"] = connection
        (command.upgrade if is_upgrade else command.downgrade)(config, target)

    engine = create_async_engine(
        "postgresql+asyncpg://",
        poolclass=NullPool,
        async_creator=lambda: asyncpg.connect(dsn, server_settings={"search_path": "recollect"}),
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(work)
            await connection.commit()
    finally:
        await engine.dispose()


def run_script(name: str) -> None:
    """Run all statements of a file of this folder in the migration's transaction.

    The driver takes a whole script at once, so the files stay plain SQL with nothing to split.
    """
    from alembic import op  # noqa: PLC0415  # as above

    script = (_FOLDER / name).read_text(encoding="utf-8")
    adapted = cast("AdaptedConnection", op.get_bind().connection.dbapi_connection)
    adapted.run_async(lambda connection: connection.execute(script))


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """What a database is like."""

    server_version: str
    major_version: int
    has_pgvector: bool
    revision: str | None
    bound_by_policies: bool | None
    """Whether every table's policy binds the role we work as; None before a migration."""


async def inspect(dsn: str) -> DatabaseFacts:
    """Look at a database through an administrator's or the application's connection."""
    revision = await current_revision(dsn)
    with translated():
        connection = await _connect(as_application(dsn) if revision else dsn)
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
