"""A clean-up that is killed leaves each session in the database or in the archive."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest

from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.testing import FixedClock
from support.archives import A_DAY, archive_of, archiving_services, folder_archive, talk, texts_of
from support.examples import a_scope

SESSIONS = 40
CLEANUP = """
import asyncio, dataclasses, os, signal, sys
from pathlib import Path
from recollect.archives.folder import FolderObjects
from recollect.engines.postgres.archive import PostgresExpiredRecords
from recollect.memory import Memory
from recollect.settings import load_settings

moment, dsn, folder = sys.argv[1:]
calls = 0

def killed_after(owner, name, number, before):
    method = getattr(owner, name)
    def counted(*given, **named):
        global calls
        calls += 1
        if before and calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*given, **named)
    async def counted_after(*given, **named):
        global calls
        result = await method(*given, **named)
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(owner, name, counted if before else counted_after)

match moment:
    case "while writing":
        killed_after(FolderObjects, "_finish", 20, before=True)
    case "archived":
        killed_after(PostgresExpiredRecords, "delete", 2, before=True)
    case "deleted":
        killed_after(PostgresExpiredRecords, "delete", 2, before=False)

async def main():
    settings = load_settings(
        db_connection_string=dsn, archive=f"folder:{folder}", embedding_model="none"
    )
    async with Memory.open(settings) as memory:
        await memory.services.retention.clean_up()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("moment", "deleted"), [("while writing", 16), ("archived", 16), ("deleted", 32)]
)
async def test_a_clean_up_killed_at_any_moment_loses_nothing_and_goes_on_later(
    own_dsn: str, tmp_path: Path, moment: str, deleted: int
) -> None:
    clock = FixedClock(datetime.now(UTC) - 7 * A_DAY)
    archive, scope = folder_archive(tmp_path), a_scope()
    ids = [uuid4() for _ in range(SESSIONS)]
    async with open_external(own_dsn, max_connections=2) as database:
        stores = postgres_stores(database, clock)
        services = archiving_services(archive, clock=clock, stores=stores)
        for session_id in ids:
            await talk(services, scope, session_id, f"What is {session_id}?", "An id.")

        killed = subprocess.run(  # noqa: ASYNC221  # nothing else is going on
            [sys.executable, "-c", CLEANUP, moment, own_dsn, str(tmp_path)],
            check=False,
            capture_output=True,
        )
        assert killed.returncode == -9, killed.stderr

        left = await stored_ids(own_dsn)
        archived = {item.session_id async for item in archive_of(services).list(scope)}
        assert left | archived == {*ids}, "none is lost"
        assert len(left) == SESSIONS - deleted
        assert (await archive_of(services).verify(None)).broken == []
        clock.move(8 * A_DAY)

        assert await services.retention.clean_up() == SESSIONS - deleted
        assert await stored_ids(own_dsn) == set()
        restored = await archive_of(services).restore(scope)
        assert (restored.sessions.added, restored.messages.added) == (SESSIONS, 2 * SESSIONS)
        assert await texts_of(services, scope, ids[0]) == [f"What is {ids[0]}?", "An id."]


async def test_a_session_that_is_to_be_forgotten_is_never_archived(
    own_dsn: str, tmp_path: Path
) -> None:
    """An erasure ends sessions at -infinity; nothing of them may be written any more."""
    clock = FixedClock(datetime.now(UTC))
    scope, forgotten, expired = a_scope(), uuid4(), uuid4()
    async with open_external(own_dsn, max_connections=2) as database:
        stores = postgres_stores(database, clock)
        services = archiving_services(folder_archive(tmp_path), clock=clock, stores=stores)
        for session_id in (forgotten, expired):
            await talk(services, scope, session_id, "What is my secret?", "It is 7788.")
        admin = await asyncpg.connect(own_dsn)
        await admin.execute(
            "UPDATE recollect.sessions SET expires_at = '-infinity' WHERE session_id = $1",
            forgotten,
        )
        await admin.close()
        clock.move(2 * A_DAY)
        assert await services.retention.clean_up() == 1
        await services.sessions.make_room(scope, [forgotten])
        archived = [item.session_id async for item in archive_of(services).list(None)]
    assert archived == [expired]
    assert await stored_ids(own_dsn) == {forgotten}


async def stored_ids(dsn: str) -> set[UUID]:
    connection = await asyncpg.connect(dsn)
    try:
        return {
            row[0] for row in await connection.fetch("SELECT session_id FROM recollect.sessions")
        }
    finally:
        await connection.close()
