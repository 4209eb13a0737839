"""`recollect reindex`, as the program that users start."""

import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.engines.postgres.migrations import migrate
from recollect.ports import Stores
from recollect.system import SystemClock
from support.examples import a_message, a_scope, append, start_session
from support.servers.programs import run_recollect


@pytest_asyncio.fixture
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database of its own, since the command works for all owners."""
    name = f"reindex_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    await migrate(dsn)
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest_asyncio.fixture
async def own_stores(own_dsn: str) -> AsyncIterator[Stores]:
    async with open_external(own_dsn, max_connections=2) as database:
        yield postgres_stores(database, SystemClock())


def reindex(dsn: str, *options: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return run_recollect("reindex", *options, env={"MEMORY_DB_CONNECTION_STRING": dsn, **settings})


@pytest.mark.slow
async def test_reindex_indexes_then_embeds_and_then_finds_nothing_to_do(
    own_dsn: str, own_stores: Stores
) -> None:
    scope = a_scope()
    session = await start_session(own_stores, scope)
    messages = (
        a_message(content="Where do kiwis grow?"),
        a_message("assistant", "In New Zealand."),
    )
    await append(own_stores, scope, session.session_id, *messages)

    by_words = reindex(own_dsn, "--json", MEMORY_EMBEDDING_MODEL="none")
    by_meaning = reindex(own_dsn, "--json", "--per-second", "1000")
    again = reindex(own_dsn)

    assert json.loads(by_words.stdout) == {"indexed_turns": 1, "embedded_entries": 0}
    assert json.loads(by_meaning.stdout) == {"indexed_turns": 0, "embedded_entries": 1}
    assert again.stdout == "0 turns indexed, 0 entries embedded\n"


@pytest.mark.slow
async def test_a_store_of_vectors_that_was_lost_is_filled_again(
    own_dsn: str, own_stores: Stores, tmp_path: Path
) -> None:
    scope = a_scope()
    session = await start_session(own_stores, scope)
    messages = (
        a_message(content="Where do kiwis grow?"),
        a_message("assistant", "In New Zealand."),
    )
    await append(own_stores, scope, session.session_id, *messages)
    settings = {"MEMORY_VECTOR_STORE": "chroma", "MEMORY_HOME": str(tmp_path)}

    filled = reindex(own_dsn, "--json", **settings)
    shutil.rmtree(tmp_path / "chroma")
    again = reindex(own_dsn, "--json", "--reconcile", **settings)

    assert json.loads(filled.stdout) == {
        "removed_vectors": 0,
        "indexed_turns": 1,
        "embedded_entries": 0,
    }, "indexing embeds by itself"
    assert json.loads(again.stdout) == {
        "removed_vectors": 0,
        "missing_vectors": 1,
        "surplus_vectors": 0,
        "indexed_turns": 0,
        "embedded_entries": 1,
    }


def test_where_vectors_are_in_the_database_there_is_nothing_to_compare(own_dsn: str) -> None:
    done = reindex(own_dsn, "--reconcile", MEMORY_EMBEDDING_MODEL="none")
    assert done.returncode != 0
    assert "MEMORY_VECTOR_STORE" in done.stderr
    assert "Traceback" not in done.stderr


async def test_reindex_reports_that_recall_is_off(own_dsn: str) -> None:
    done = reindex(own_dsn, MEMORY_RECALL="off", MEMORY_EMBEDDING_MODEL="none")
    assert done.returncode == 1
    assert done.stderr == "recollect: nothing is indexed here: MEMORY_RECALL is off\n"
