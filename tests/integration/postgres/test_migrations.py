import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from alembic.config import Config
from alembic.script import ScriptDirectory

from conformance.contracts.branch_client import Talk
from recollect.engines.postgres import migrations
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.connection.migrate import (
    HEAD,
    current_revision,
    downgrade,
    ensure_current,
    migrate,
)
from recollect.engines.postgres.engine import open_external
from recollect.engines.postgres.stores import postgres_stores
from recollect.errors import SchemaOutdated
from recollect.system import SystemClock

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
    return {row["relname"] for row in rows} - {"alembic_version", "alembic_version_pkc"}


def test_the_latest_revision_is_the_one_we_ask_for() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


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


async def test_going_back_before_branches_keeps_the_active_one_alone(fresh: Fresh) -> None:
    dsn, connection = fresh
    await migrate(dsn)
    async with open_external(dsn, max_connections=2) as database:
        talk = await Talk.start(postgres_stores(database, SystemClock()))
        await talk.say("one")
        await talk.say("one, edited")
    await downgrade(dsn, target="0004")
    rows = await connection.fetch("SELECT content FROM recollect.messages ORDER BY sequence")
    assert [row["content"] for row in rows] == ["one, edited", "re: one, edited"]
    assert await connection.fetchval("SELECT count(*) FROM recollect.turns") == 1


_NAMES: Final = [
    ("Show sales", "Show sales", True),
    ("Show sales", "  Show\u00a0\n sales ", True),
    ("数据 在哪", "数据\u3000在哪", True),
    ("x" * 500, "x" * 3000, True),
    ("y" * 499, "y" * 499 + " and more", True),
    ("Show", "Show sales", False),
    ("数据", "销售", False),
    ("Given", "Show sales", False),
    (None, "Show sales", False),
]
_SESSION_OF_0008: Final = """
    WITH owner AS (
        INSERT INTO owners VALUES ($1, 'acme', 'alice', now())
    ), session AS (
        INSERT INTO sessions (
            owner_id, session_id, name, metadata, databases, tags, created_at, updated_at,
            last_accessed_at
        ) VALUES ($1, $1, $2, '{}', '{}', '{}', now(), now(), now())
    ), turn AS (
        INSERT INTO turns (owner_id, session_id, turn_number, status, started_at)
        VALUES ($1, $1, 4, 'pending', now())
    )
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content, metadata, created_at
    ) VALUES ($1, $1, 7, $1, 4, 'user', $3, '{}', now())
"""


async def test_names_made_from_questions_before_are_known_as_such(fresh: Fresh) -> None:
    dsn, connection = fresh
    await migrate(dsn, target="0008")
    await connection.execute("SET search_path = recollect")
    sessions = {uuid4(): case for case in _NAMES}
    for session_id, (name, asked, _) in sessions.items():
        await connection.execute(_SESSION_OF_0008, session_id, name, asked)
    await migrate(dsn)
    rows = await connection.fetch("SELECT session_id, name, name_turn FROM sessions")
    assert {row["session_id"]: (row["name"], row["name_turn"]) for row in rows} == {
        session_id: (name, 4 if is_its_question else None)
        for session_id, (name, _, is_its_question) in sessions.items()
    }


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
    await connection.execute("UPDATE recollect.alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaOutdated, match="newer"):
        await ensure_current(dsn)


async def test_a_role_without_rights_to_migrate_is_told_who_has_them(fresh: Fresh) -> None:
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
          AND conrelid <> 'recollect.alembic_version'::regclass
        """
    )
    await connection.close()
    assert len(rows) >= 14
    assert {row["first_column"] for row in rows} == {"owner_id"}


async def test_every_table_forces_its_policy_and_belongs_to_somebody_else(
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
          AND relname <> 'alembic_version'
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


async def test_an_owner_who_may_not_add_pgvector_hears_what_to_do(
    fresh: Fresh, admin_dsn: str
) -> None:
    dsn, connection = fresh
    role = f"owner_{uuid4().hex}"
    await connection.execute(f"CREATE ROLE {role} LOGIN CREATEROLE")
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} OWNER TO {role}")
    await connection.execute(f"GRANT recollect_app TO {role} WITH ADMIN OPTION")
    owner = dsn.replace("postgres@/", f"{role}@/")
    try:
        with pytest.raises(SchemaOutdated, match=r"administrator .* 'CREATE EXTENSION vector'"):
            await migrate(owner)
        await connection.execute("CREATE EXTENSION vector")
        assert await migrate(owner) == ("0002", HEAD)
    finally:
        admin = await asyncpg.connect(admin_dsn)
        await connection.execute(f"REASSIGN OWNED BY {role} TO postgres")
        await connection.execute(f"DROP OWNED BY {role}")
        await admin.execute(f"ALTER DATABASE {name} OWNER TO postgres")
        await admin.execute(f"DROP ROLE {role}")
        await admin.close()
