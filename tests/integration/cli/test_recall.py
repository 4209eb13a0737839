"""`recollect recall`, as the program that users start."""

import json
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Entry, IndexedEntry
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores
from support.examples import a_message, append, start_session
from support.servers.programs import run_recollect


def recall(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "none"}
    return run_recollect("recall", *words, env=env)


async def test_recall_prints_results_as_text_and_as_json(
    shared_home: Path, database: Database, stores: Stores
) -> None:
    scope = Scope(tenant=f"tenant-{uuid4()}", user="anna", actor="test")
    session = await start_session(stores, scope)
    said = await append(
        stores,
        scope,
        session.session_id,
        a_message(content="Where do kiwis grow?"),
        a_message("assistant", "In New Zealand."),
    )
    entry = Entry(
        session_id=session.session_id,
        turn_number=1,
        sequence=1,
        message_ids=tuple(message.message_id for message in said),
        text="Question: Where do kiwis grow? Result summary: In New Zealand.",
        said_at=said[0].created_at,
    )
    assert stores.recall is not None
    indexed = IndexedEntry(entry=entry, terms={"kiwi": 1, "grow": 1})
    await stores.recall.replace(scope, session.session_id, [1], [indexed])
    owner = ("--tenant", scope.tenant, "--user", scope.user)

    for_programs = recall(shared_home, "kiwis", *owner, "--json", "--since", "2000-01-01")
    for_people = recall(shared_home, "kiwis", *owner)
    nothing = recall(shared_home, "kiwis", *owner, "--until", "2000-01-01")

    told = json.loads(for_programs.stdout)
    assert [item["text"] for item in told["items"]] == [entry.text]
    assert told["items"][0]["message_ids"] == [str(known) for known in entry.message_ids]
    assert len(told["warnings"]) == 1
    assert "kiwis" in for_people.stdout
    assert "no embedding model" in for_people.stderr
    assert nothing.stdout == "nothing of the kind was said\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("kiwis", "--since", "yesterday"), "recollect: --since must be a time"),
        (("kiwis", "--since", "2026-02-01", "--until", "2026-01-01"), "recollect: since must lie"),
        ((" ",), "recollect: query must not be blank"),
    ],
)
def test_an_invalid_query_is_reported_in_one_line(
    shared_home: Path, database: Database, words: tuple[str, ...], problem: str
) -> None:
    done = recall(shared_home, *words)

    assert done.returncode == 1
    assert done.stderr.startswith(problem)
