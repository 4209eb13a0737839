"""The role the server works as can read and write rows, and nothing more."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import Database


@pytest_asyncio.fixture
async def connection(admin_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A plain connection as the application's role."""
    opened = await asyncpg.connect(as_application(admin_dsn, logs_in=True))
    yield opened
    await opened.close()


async def test_the_pool_works_as_the_application_role(database: Database) -> None:
    names = await database._connections.fetch("SELECT current_user, session_user")

    assert [*map(tuple, names)] == [("recollect_app", "recollect_app")]


async def test_the_application_role_has_no_privileged_attributes_or_memberships(
    connection: asyncpg.Connection,
) -> None:
    role = await connection.fetchrow(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication "
        "FROM pg_roles WHERE rolname = current_user"
    )
    memberships = await connection.fetch(
        "SELECT roleid FROM pg_auth_members WHERE member = 'recollect_app'::regrole"
    )

    assert not any(role.values())
    assert memberships == []


async def test_the_role_owns_nothing(connection: asyncpg.Connection) -> None:
    owned = await connection.fetchval(
        "SELECT count(*) FROM pg_class WHERE relowner = 'recollect_app'::regrole"
    )

    assert owned == 0


async def test_every_table_forces_row_level_security(connection: asyncpg.Connection) -> None:
    rows = await connection.fetch(
        "SELECT relname, relrowsecurity AND relforcerowsecurity AS is_forced FROM pg_class "
        "WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p')"
    )
    unforced = {row["relname"] for row in rows if not row["is_forced"]}

    assert len(rows) > 1
    assert unforced == {"schema_revision"}


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE messages",
        "DROP POLICY owner_only ON messages",
        "TRUNCATE messages",
        "ALTER TABLE messages DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE messages NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE messages ADD COLUMN x int",
        "CREATE POLICY everybody ON messages USING (true)",
        "CREATE TABLE recollect.mine (x int)",
        "DROP FUNCTION recollect.current_owner() CASCADE",
        "ALTER ROLE recollect_app SUPERUSER",
        "ALTER ROLE recollect_app BYPASSRLS",
        "CREATE ROLE mine SUPERUSER",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "UPDATE schema_revision SET revision = 'x'",
        "COPY messages TO PROGRAM 'cat'",
        "SELECT pg_read_file('/etc/passwd')",
    ],
)
async def test_the_application_role_may_not_change_schema_roles_or_policies(
    statement: str, connection: asyncpg.Connection
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement)


@pytest.mark.parametrize("statement", ["RESET ROLE", "RESET SESSION AUTHORIZATION", "DISCARD ALL"])
async def test_resetting_the_role_stays_at_the_application_role(
    statement: str, connection: asyncpg.Connection
) -> None:
    await connection.execute(statement)

    assert await connection.fetchval("SELECT current_user") == "recollect_app"


async def test_switching_row_security_off_is_an_error_and_no_way_around(
    connection: asyncpg.Connection,
) -> None:
    await connection.execute("SET row_security = off")

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await connection.fetch("SELECT * FROM messages")
