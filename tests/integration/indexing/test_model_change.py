"""Another model: everything is embedded again while searches are served, whatever happens."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.contracts.recall_shared import CLOSE, index_of
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.ports import Stores
from recollect.ports.recall import RecallIndex
from recollect.services.recall.indexing import Reindexing
from support.doubles.chat_endpoint import serving
from support.doubles.embedding_endpoint import WordsDouble
from support.examples import a_scope
from support.recall.model_change import DIMENSIONS, NEW, OLD, Searcher, left_behind, load
from support.servers.programs import Program, start_program
from support.timeouts import PATIENCE

EXCHANGES = 1_200
FEW_EXCHANGES = 300
"""More than a worker embeds before it stores vectors and waits, so as to embed fifty a second."""
FASTEST = 2_000
"""So many a second leave time to kill the process halfway."""


@dataclass(frozen=True, slots=True)
class Started:
    """A program that runs, and the file that it prints to."""

    program: Program
    output: Path

    async def kill(self) -> None:
        """End it with no chance to clean up."""
        self.program.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.program.wait, PATIENCE)

    async def printed(self) -> str:
        """What it has printed, once it has ended."""
        await asyncio.to_thread(self.program.wait, PATIENCE)
        return self.output.read_text()


def start(dsn: str, home: Path, *command: str, **settings: str) -> Started:
    """The program, as a process of its own."""
    env = {**os.environ, "MEMORY_HOME": str(home), "MEMORY_DB_CONNECTION_STRING": dsn, **settings}
    path = home / "printed"
    with path.open("wb") as output:
        program = start_program("recollect", *command, env=env, streams=(None, output, None))
    return Started(program, path)


def reindex(dsn: str, home: Path, endpoint: str, *options: str) -> Started:
    """`recollect reindex` with the new model of an endpoint."""
    return start(
        *(dsn, home, "reindex", "--json", *options),
        MEMORY_EMBEDDING_BASE_URL=endpoint,
        MEMORY_EMBEDDING_MODEL="new",
        MEMORY_EMBEDDING_DIMENSIONS=str(DIMENSIONS),
    )


async def kill_halfway(started: Started, index: RecallIndex, *, model: str, left: int) -> None:
    """Kill a process when it has this many entries left to embed, or fewer."""
    while await index.count_outdated(model=model) > left:
        assert started.program.poll() is None, "it ended by itself"
        await asyncio.sleep(0.01)
    await started.kill()


@asynccontextmanager
async def searching(*searchers: Searcher) -> AsyncIterator[None]:
    """Search with all of them meanwhile; what goes wrong in a search is raised."""
    done = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for searcher in searchers:
            group.create_task(searcher.search_until(done))
        yield
        done.set()


@pytest.mark.slow(seconds=8)
async def test_a_new_model_takes_over_while_searches_go_on_and_its_process_is_killed(
    own_dsn: str, own_stores: Stores, tmp_path: Path
) -> None:
    scope, index = a_scope(), index_of(own_stores)
    await load(own_dsn, scope, EXCHANGES)
    old, new = Searcher.on(own_stores, scope, OLD), Searcher.on(own_stores, scope, NEW)
    assert set(await new.search()) == {None}

    async with serving(WordsDouble()) as endpoint, searching(old, new):
        killed = reindex(own_dsn, tmp_path, endpoint.url, "--per-second", str(FASTEST))
        await kill_halfway(killed, index, model=NEW.model, left=int(EXCHANGES * 0.7))
        left, given = await left_behind(own_dsn, scope, NEW.model), endpoint.texts
        assert 0 < left <= EXCHANGES * 0.7
        resumed = reindex(own_dsn, tmp_path, endpoint.url)
        told = await resumed.printed()

    assert json.loads(told) == {"indexed_turns": 0, "embedded_entries": left}
    assert endpoint.texts - given == left, "nothing was embedded again that was already"
    assert await left_behind(own_dsn, scope, NEW.model) == 0
    assert await index.count_outdated(model="another") == EXCHANGES, "none was lost"
    assert min(old.by_meaning, new.by_meaning) > 0, "both models were searched with"
    assert (await new.search())[0] == pytest.approx(1, abs=CLOSE)
    assert set(await old.search()) == {None}


@pytest.mark.slow(seconds=8)
async def test_the_embedder_of_the_package_takes_over_from_a_worker_that_was_killed(
    own_dsn: str, own_stores: Stores, tmp_path: Path
) -> None:
    scope, index = a_scope(), index_of(own_stores)
    await load(own_dsn, scope, FEW_EXCHANGES)
    async with open_embedder(EmbeddingChoice()) as shipped:
        assert shipped is not None
        old, new = Searcher.on(own_stores, scope, OLD), Searcher.on(own_stores, scope, shipped)
        async with searching(old, new):
            killed = start(own_dsn, tmp_path, "worker")
            await kill_halfway(killed, index, model=shipped.model, left=FEW_EXCHANGES - 10)
            left = await left_behind(own_dsn, scope, shipped.model)
            assert 0 < left < FEW_EXCHANGES
            resumed = start(own_dsn, tmp_path, "reindex", "--json")
            told = await resumed.printed()
        assert json.loads(told) == {"indexed_turns": 0, "embedded_entries": left}
        assert await index.count_outdated(model=shipped.model) == 0
        assert await index.count_outdated(model="another") == FEW_EXCHANGES, "none was lost"
        assert None not in await new.search()
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
