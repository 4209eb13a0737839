"""Another model: everything is embedded again while searches are served, whatever happens."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from conformance.contracts.recall_shared import CLOSE, index_of
from recollect.ports import Stores
from recollect.ports.recall import IndexSize
from recollect.services.recall.indexing import Reindexing
from support.doubles.chat_endpoint import serving
from support.doubles.embedding_endpoint import WordsDouble
from support.examples import a_scope
from support.recall.model_change import DIMENSIONS, NEW, OLD, Searcher, left_behind, load

EXCHANGES = 3_000
FASTEST = 2_000
"""So many a second leave time to kill the process halfway."""


async def reindex(dsn: str, home: Path, endpoint: str, *options: str) -> Process:
    """`recollect reindex` with the new model, as a process of its own."""
    settings = {
        "MEMORY_HOME": str(home),
        "MEMORY_DB_CONNECTION_STRING": dsn,
        "MEMORY_EMBEDDING_BASE_URL": endpoint,
        "MEMORY_EMBEDDING_MODEL": "new",
        "MEMORY_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "recollect", "reindex", "--json", *options),
        stdout=PIPE,
        stderr=DEVNULL,
        env={**os.environ, **settings},
    )


@asynccontextmanager
async def searching(*searchers: Searcher) -> AsyncIterator[None]:
    """Search with all of them meanwhile; what goes wrong in a search is raised."""
    done = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for searcher in searchers:
            group.create_task(searcher.search_until(done))
        yield
        done.set()


@pytest.mark.slow
async def test_a_new_model_takes_over_while_searches_go_on_and_its_process_is_killed(
    own_dsn: str, own_stores: Stores, tmp_path: Path
) -> None:
    scope, index = a_scope(), index_of(own_stores)
    await load(own_dsn, scope, EXCHANGES)
    old, new = Searcher.on(own_stores, scope, OLD), Searcher.on(own_stores, scope, NEW)
    assert set(await new.search()) == {None}

    async with serving(WordsDouble()) as endpoint, searching(old, new):
        killed = await reindex(own_dsn, tmp_path, endpoint.url, "--per-second", str(FASTEST))
        while await index.count_outdated(model=NEW.model) > EXCHANGES * 0.7:
            assert killed.returncode is None, "it ended by itself"
            await asyncio.sleep(0.01)
        killed.kill()
        await killed.wait()
        left, given = await left_behind(own_dsn, scope, NEW.model), endpoint.texts
        assert 0 < left < EXCHANGES * 0.7
        resumed = await reindex(own_dsn, tmp_path, endpoint.url)
        told, _ = await resumed.communicate()

    assert json.loads(told) == {"indexed_turns": 0, "embedded_entries": left}
    assert endpoint.texts - given == left, "nothing was embedded again that was already"
    size = await index.size(scope, model=NEW.model)
    assert size == IndexSize(entries=EXCHANGES, embedded=EXCHANGES)
    assert min(old.by_meaning, new.by_meaning) > 0, "both models were searched with"
    assert (await new.search())[0] == pytest.approx(1, abs=CLOSE)
    assert set(await old.search()) == {None}


async def test_several_workers_share_the_embedding_of_entries(
    own_dsn: str, own_stores: Stores
) -> None:
    scope, index = a_scope(), index_of(own_stores)
    await load(own_dsn, scope, EXCHANGES)
    workers = [Reindexing(index=index, embedder=NEW) for _ in range(2)]
    embedded = await asyncio.gather(*(worker.do_all() for worker in workers))
    assert await workers[0].waiting() == 0
    assert EXCHANGES <= sum(embedded) < EXCHANGES * 2, "they do not all embed everything"
