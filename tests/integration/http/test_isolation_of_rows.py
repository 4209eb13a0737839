"""Row-level security on the role the server really works as, without any of our own filters."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.addresses import as_application
from recollect.engines.postgres.connection.database import Database
from recollect.services.services import Services
from support.examples import a_message
from support.row_snapshots import rows_of, tables_of_owners

ANOTHER: Final = str(uuid4())
SET_OWNER: Final = "SELECT set_config('recollect.owner_id', $1, true)"
INSERTS: Final = {
    "owners": "INSERT INTO owners VALUES ($1, 't', 'u', now())",
    "sessions": "INSERT INTO sessions VALUES ($1, $2, 'x', '{}', '{}', '{}', now(), now(), now())",
    "turns": "INSERT INTO turns VALUES ($1, $2, 9, 'pending', now())",
    "messages": "INSERT INTO messages VALUES ($1, $2, 9, $2, NULL, 'user', 'x', '{}', NULL, now())",
    "summaries": "INSERT INTO summaries VALUES ($1, $2, 1, 1, 'x', '{}', 'x', now())",
    "jobs": "INSERT INTO jobs VALUES ($1, $2, 'x', '{}', 0, now(), now())",
    "api_keys": "INSERT INTO api_keys VALUES ($1, $2, 't', 'u', '{user}', 'n', '', now())",
    "tenant_settings": "INSERT INTO tenant_settings VALUES ($1, $2::uuid::text, '{}', 1, now())",
    "states": "INSERT INTO states VALUES ($1, $2::uuid::text, now())",
    "profiles": "INSERT INTO profiles VALUES ($1, length($2::uuid::text))",
    "profile_values": "INSERT INTO profile_values "
    "VALUES ($1, $2::uuid::text, '1', 1, 1, now(), now())",
    "audit": "INSERT INTO audit VALUES "
    "($1, 9, 't', 'x', $2::uuid::text, '{}', 1, 'x', 'x', 'x', now(), '')",
    "audit_chains": "INSERT INTO audit_chains VALUES ($1, $2::uuid::text)",
    "recall_entries": "INSERT INTO recall_entries VALUES ($1, $2, 1, 1, 1, now(), 1, 1, "
    "NULL, NULL, NULL, NULL, NULL, '{}', '{}', 'x', NULL, '{1}', '{1}')",
    "recall_words": "INSERT INTO recall_words VALUES ($1, 7, hashtext($2::uuid::text), 1, 1)",
    "recall_owners": "INSERT INTO recall_owners VALUES ($1, 1, 1, length($2::uuid::text))",
    "recall_models": "INSERT INTO recall_models VALUES ($1, $2::uuid::text, 1)",
    "recall_removals": "INSERT INTO recall_removals (owner_id, kept_in, session_id, number) "
    "VALUES ($1, 'x', $2, 1)",
    "facts": "INSERT INTO facts VALUES ($1, $2, 1, 'fact', 'high', 'active', 'api', 1, now(), "
    "now(), now(), 0, now(), NULL, NULL, false, $2, NULL, 'x', NULL, NULL, NULL, NULL, '{}', 'x')",
    "fact_changes": "INSERT INTO fact_changes VALUES "
    "($1, $2, 1, 'created', now(), 'api', 'x', 'active')",
    "fact_models": "INSERT INTO fact_models VALUES ($1, $2::uuid::text)",
    "erasures": "INSERT INTO erasures VALUES "
    "($1, $2, 'acme', 'everything', NULL, NULL, NULL, 'x', 'x', now(), 0, 'under_way', '{}', "
    "now() + interval '1 day', NULL, now(), NULL)",
    "archive_notes": "INSERT INTO archive_notes VALUES ($1, $2::uuid::text, now())",
    "ended_visits": "INSERT INTO ended_visits VALUES ($1, $2, now())",
    "receipt_keys": "INSERT INTO receipt_keys VALUES ($1, $2::uuid::text::bytea, now())",
}
TABLES: Final = sorted(INSERTS)
READ_ONLY: Final = {"audit", "audit_chains"}
"""What the role of the application can only read."""
UNCHANGING: Final = READ_ONLY | {"receipt_keys"}
"""What the role may never change."""


@pytest_asyncio.fixture
async def connection(admin_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A plain connection as the application's role, in a transaction that is rolled back."""
    opened = await asyncpg.connect(as_application(admin_dsn, logs_in=True))
    transaction = opened.transaction()
    await transaction.start()
    yield opened
    await transaction.rollback()
    await opened.close()


@pytest_asyncio.fixture
async def filled(services: Services, database: Database, scope: Scope) -> UUID:
    """An owner with at least one row in every table."""
    session, gone = NewSession(session_id=uuid4()), a_message()
    await services.sessions.start(scope, session)
    await services.messages.append(scope, session.session_id, [a_message(), gone])
    await services.messages.delete(scope, session.session_id, gone.message_id)
    async with database.owned_by(scope.owner_id) as owner:
        for table in ("summaries", "recall_entries", "facts", "fact_changes"):
            await owner.execute(INSERTS[table], scope.owner_id, session.session_id)
        for table in (
            "jobs",
            "api_keys",
            "tenant_settings",
            "states",
            "profiles",
            "profile_values",
            "recall_removals",
            "fact_models",
            "erasures",
            "archive_notes",
            "ended_visits",
            "receipt_keys",
        ):
            await owner.execute(INSERTS[table], scope.owner_id, uuid4())
    assert all((await rows_of(database, scope.owner_id)).values())
    return scope.owner_id


async def test_the_list_of_tables_here_is_complete(database: Database) -> None:
    assert await tables_of_owners(database) == TABLES


@pytest.mark.parametrize("table", TABLES)
async def test_a_select_without_an_owner_returns_no_row(
    table: str, connection: asyncpg.Connection, filled: UUID
) -> None:
    assert await connection.fetch(f"SELECT * FROM {table}") == []  # noqa: S608  # from a constant


@pytest.mark.parametrize("table", TABLES)
async def test_a_select_for_another_owner_returns_no_row(
    table: str, connection: asyncpg.Connection, filled: UUID
) -> None:
    await connection.execute(SET_OWNER, str(uuid4()))
    statement = f"SELECT * FROM {table}"  # noqa: S608  # from a constant

    assert await connection.fetch(statement) == []
    assert await connection.fetch(f"{statement} WHERE owner_id = $1", filled) == []

    await connection.execute(SET_OWNER, str(filled))
    assert {row["owner_id"] for row in await connection.fetch(statement)} == {filled}


@pytest.mark.parametrize("owner", ["", ANOTHER], ids=["no owner", "another owner"])
@pytest.mark.parametrize("table", TABLES)
async def test_a_row_cannot_be_inserted_for_another_owner(
    table: str, owner: str, connection: asyncpg.Connection, filled: UUID
) -> None:
    await connection.execute(SET_OWNER, owner)
    arguments = [filled] if table == "owners" else [filled, uuid4()]
    reason = "permission denied" if table in READ_ONLY else "row-level security"

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match=reason):
        await connection.execute(INSERTS[table], *arguments)


@pytest.mark.parametrize("owner", ["", ANOTHER], ids=["no owner", "another owner"])
@pytest.mark.parametrize("table", sorted(set(TABLES) - UNCHANGING))
async def test_rows_of_another_owner_are_neither_updated_nor_deleted(
    table: str, owner: str, connection: asyncpg.Connection, database: Database, filled: UUID
) -> None:
    before = await rows_of(database, filled)
    await connection.execute(SET_OWNER, owner)

    updated = await connection.execute(f"UPDATE {table} SET owner_id = owner_id")  # noqa: S608
    deleted = await connection.execute(f"DELETE FROM {table}")  # noqa: S608  # from a constant

    assert (updated, deleted) == ("UPDATE 0", "DELETE 0")
    assert await rows_of(database, filled) == before


@pytest.mark.parametrize("table", sorted(set(TABLES) - UNCHANGING))
async def test_a_row_cannot_be_given_to_another_owner(
    table: str, connection: asyncpg.Connection, filled: UUID
) -> None:
    await connection.execute(SET_OWNER, str(filled))

    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await connection.execute(f"UPDATE {table} SET owner_id = $1", uuid4())  # noqa: S608


@pytest.mark.parametrize("setting", ["owner_id", "worker", "audited_tenant"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {table} SET owner_id = owner_id",
        "DELETE FROM {table}",
        "TRUNCATE {table}",
        "INSERT INTO {table} SELECT * FROM {table}",
        "ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        "DROP TABLE {table}",
    ],
)
@pytest.mark.parametrize("table", sorted(READ_ONLY))
async def test_the_audit_log_cannot_be_rewritten_whoever_the_application_works_for(
    table: str, statement: str, setting: str, connection: asyncpg.Connection, filled: UUID
) -> None:
    values = {"owner_id": str(filled), "worker": "on", "audited_tenant": "tenant"}
    await connection.execute(
        "SELECT set_config('recollect.' || $1, $2, true)", setting, values[setting]
    )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute(statement.format(table=table))


async def test_the_owner_is_forgotten_with_the_transaction(
    database: Database, filled: UUID
) -> None:
    for _ in range(3):
        async with database.owned_by(filled) as used:
            assert await used.fetchval("SELECT count(*) FROM messages") == 1
            process = used.get_server_pid()
        assert await next_user_of(database) == (process, 0)


async def test_a_read_that_sets_its_owner_leaves_none_behind(
    database: Database, services: Services, filled: UUID, scope: Scope
) -> None:
    process, _ = await next_user_of(database)
    listed = await services.sessions.list(scope, PageRequest())
    assert len(await services.messages.last(scope, listed.items[0].session_id, count=5)) == 1

    assert await next_user_of(database) == (process, 0)


async def test_a_write_that_sets_its_owner_leaves_none_behind(
    database: Database, services: Services, filled: UUID, scope: Scope
) -> None:
    process, _ = await next_user_of(database)
    listed = await services.sessions.list(scope, PageRequest())
    await services.messages.append(scope, listed.items[0].session_id, [a_message()])

    assert await next_user_of(database) == (process, 0)


async def next_user_of(database: Database) -> tuple[int, int]:
    """Which connection comes next, and how many messages one who names no owner sees on it."""
    found = await database._connections.fetch(
        "SELECT pg_backend_pid(), (SELECT count(*) FROM messages)"
    )
    process, count = found[0]
    return process, count
