import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.engines.postgres import migrations
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import open_external
from recollect.engines.postgres.migrations import (
    HEAD,
    current_revision,
    downgrade,
    ensure_current,
    migrate,
)
from recollect.errors import InvalidInput, SchemaOutdated

Fresh = tuple[str, asyncpg.Connection]


@pytest_asyncio.fixture
async def fresh(admin_dsn: str) -> AsyncIterator[Fresh]:
    """An empty database on the shared server, and a connection to it."""
    name = f"test_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    connection = await asyncpg.connect(dsn)
    yield dsn, connection
    await connection.close()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def objects(connection: asyncpg.Connection) -> set[str]:
    rows = await connection.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('recollect')"
        " UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace('recollect')"
    )
    return {row["relname"] for row in rows} - {"schema_revision", "schema_revision_pkey"}


def test_every_folder_of_a_revision_is_known() -> None:
    folders = sorted(path.name for path in Path(migrations.__file__).parent.glob("[0-9]*"))
    assert (migrations.BASE, *folders) == migrations.REVISIONS


async def test_going_up_down_and_up_again_leaves_the_same_schema(fresh: Fresh) -> None:
    dsn, connection = fresh
    assert await current_revision(dsn) is None
    assert await migrate(dsn) == (None, HEAD)
    first = await objects(connection)
    assert {"sessions", "messages", "current_owner"} <= first
    assert await downgrade(dsn, target="base") == (HEAD, None)
    assert await objects(connection) == set()
    assert await migrate(dsn) == (None, HEAD)
    assert await objects(connection) == first


async def test_migrating_twice_changes_nothing(fresh: Fresh) -> None:
    dsn, _ = fresh
    await migrate(dsn)
    assert await migrate(dsn) == (HEAD, HEAD)


async def test_replicas_that_start_at_once_migrate_one_after_the_other(fresh: Fresh) -> None:
    dsn, connection = fresh
    await asyncio.gather(*(ensure_current(dsn) for _ in range(5)))
    assert await current_revision(dsn) == HEAD
    assert "messages" in await objects(connection)


async def test_a_migration_that_fails_leaves_nothing_behind(fresh: Fresh) -> None:
    dsn, connection = fresh
    await connection.execute(
        "CREATE SCHEMA recollect; CREATE TABLE recollect.audit (in_the_way int)"
    )
    with pytest.raises(Exception, match="audit"):
        await migrate(dsn)
    assert await objects(connection) == {"audit"}
    await connection.execute("DROP TABLE recollect.audit")
    assert await migrate(dsn) == (None, HEAD)


async def test_a_database_of_a_newer_version_is_refused(fresh: Fresh) -> None:
    dsn, connection = fresh
    await migrate(dsn)
    await connection.execute("UPDATE recollect.schema_revision SET revision = '9999'")
    with pytest.raises(SchemaOutdated, match="newer"):
        await ensure_current(dsn)


@pytest.mark.parametrize("code", ["58P01", "0A000"])  # undefined file, feature not supported
async def test_a_server_without_pgvector_is_refused_with_what_to_install(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    dsn, _ = fresh
    failing = f"DO $$ BEGIN RAISE 'could not open extension' USING ERRCODE = '{code}'; END $$"
    monkeypatch.setattr(migrations, "_PREPARE", failing)
    with pytest.raises(SchemaOutdated, match="install pgvector"):
        await migrate(dsn)


@pytest.mark.parametrize("run", [ensure_current, migrate])
async def test_a_database_of_a_development_version_is_refused_with_what_to_do(
    fresh: Fresh, run: Callable[[str], Awaitable[object]]
) -> None:
    dsn, connection = fresh
    await connection.execute("CREATE SCHEMA recollect; CREATE TABLE recollect.alembic_version ()")
    with pytest.raises(SchemaOutdated, match="'DROP SCHEMA recollect CASCADE'"):
        await run(dsn)
    await connection.execute("DROP SCHEMA recollect CASCADE")
    await run(dsn)
    assert await current_revision(dsn) == HEAD


@pytest.mark.parametrize("target", ["0000", "9999", "head", HEAD])
async def test_going_down_to_an_unknown_or_later_revision_is_refused(
    fresh: Fresh, target: str
) -> None:
    dsn, connection = fresh
    with pytest.raises(InvalidInput, match="revision"):
        await downgrade(dsn, target=target)
    assert await objects(connection) == set()


async def test_a_role_without_migration_rights_gets_an_error_that_names_the_command(
    fresh: Fresh,
) -> None:
    dsn, connection = fresh
    role = f"plain_{uuid4().hex}"
    await connection.execute(f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(SchemaOutdated, match="recollect migrate"):
            await ensure_current(dsn.replace("postgres@", f"{role}@"))
    finally:
        await connection.execute(f"DROP ROLE {role}")


async def test_a_server_can_run_as_a_plain_login_once_the_owner_has_migrated(fresh: Fresh) -> None:
    dsn, connection = fresh
    await migrate(dsn)
    role = f"plain_{uuid4().hex}"
    await connection.execute(f"CREATE ROLE {role} LOGIN; GRANT recollect_app TO {role}")
    try:
        plain = dsn.replace("postgresql://postgres@", f"postgresql+psycopg://{role}@")
        async with open_external(plain, max_connections=2) as database:
            assert await database.is_answering()
            async with database.owned_by(uuid4()) as own:
                assert await own.fetchval("SELECT current_user") == "recollect_app"
    finally:
        await connection.execute(f"DROP ROLE {role}")


async def test_every_key_of_every_table_starts_with_the_owner(
    database: Database, admin_dsn: str
) -> None:
    connection = await asyncpg.connect(admin_dsn)
    rows = await connection.fetch(
        """
        SELECT conrelid::regclass::text AS "table", conname AS name,
            (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1])
                AS first_column
        FROM pg_constraint
        WHERE connamespace = 'recollect'::regnamespace AND contype IN ('p', 'u', 'f')
          AND conrelid <> 'recollect.schema_revision'::regclass
        """
    )
    await connection.close()
    assert len(rows) >= 14
    assert {row["first_column"] for row in rows} == {"owner_id"}


async def test_every_table_forces_row_level_security_and_is_not_owned_by_the_application(
    database: Database, admin_dsn: str
) -> None:
    connection = await asyncpg.connect(as_application(admin_dsn, logs_in=True))
    rows = await connection.fetch(
        """
        SELECT relname, relrowsecurity AND relforcerowsecurity AS is_forced,
            pg_get_userbyid(relowner) <> current_user AS is_foreign,
            (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid) AS policies
        FROM pg_class
        WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'r'
          AND relname <> 'schema_revision'
        """
    )
    await connection.close()
    assert {row["relname"] for row in rows} >= {"owners", "sessions", "messages", "jobs", "audit"}
    assert all(row["is_forced"] and row["is_foreign"] and row["policies"] for row in rows)


async def test_the_schema_needs_no_extension_but_vectors(fresh: Fresh) -> None:
    dsn, connection = fresh
    await migrate(dsn)
    extensions = await connection.fetch("SELECT extname FROM pg_extension")
    assert [row["extname"] for row in extensions] == ["plpgsql", "vector"]


async def test_an_owner_who_may_not_create_pgvector_gets_an_error_that_says_what_to_do(
    fresh: Fresh, admin_dsn: str
) -> None:
    dsn, connection = fresh
    role = f"owner_{uuid4().hex}"
    await connection.execute(f"CREATE ROLE {role} LOGIN CREATEROLE")
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} OWNER TO {role}")
    # As PostgreSQL 16 and later leave it when a role has created another.
    await connection.execute(
        f"GRANT recollect_app TO {role} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE"
    )
    owner = dsn.replace("postgres@/", f"{role}@/")
    try:
        with pytest.raises(SchemaOutdated, match=r"administrator .* 'CREATE EXTENSION vector'"):
            await migrate(owner)
        await connection.execute("CREATE EXTENSION vector")
        assert await migrate(owner) == (None, HEAD)
        async with open_external(owner, max_connections=2) as database:
            assert await database.is_answering()
    finally:
        admin = await asyncpg.connect(admin_dsn)
        await connection.execute(f"REASSIGN OWNED BY {role} TO postgres")
        await connection.execute(f"DROP OWNED BY {role}")
        await admin.execute(f"ALTER DATABASE {name} OWNER TO postgres")
        await admin.execute(f"DROP ROLE {role}")
        await admin.close()
