"""Counts that many open pages share, and what the overview tells of the server."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from recollect.interfaces.dashboard.recent import Key, RecentResults
from recollect.interfaces.dashboard.server_figures import Counted, Times, counted_in
from recollect.ports.metrics import (
    CLEANUP_DELETED,
    CLEANUP_SUCCESS,
    OPERATION_SECONDS,
    SHOWN,
    STAGE_SECONDS,
    TURNS,
)
from recollect.telemetry.metrics import MetricStore
from recollect.telemetry.quantiles import quantile
from recollect.telemetry.segments import SMALL_BLOCK_BYTES, new_block


class _Counting:
    """A result that says how often it was read."""

    def __init__(self) -> None:
        self.reads = 0
        self.fails = False

    async def read(self) -> int:
        self.reads += 1
        await asyncio.sleep(0)
        if self.fails:
            raise ConnectionError
        return self.reads


async def test_many_who_ask_at_once_and_soon_after_cost_one_reading() -> None:
    now, source = [0.0], _Counting()
    recent = RecentResults(seconds=3, clock=lambda: now[0])
    key = Key("facts", uuid4(), "key 1")
    assert await asyncio.gather(*(recent.get(key, source.read) for _ in range(20))) == [1] * 20
    now[0] = 2.9
    assert await recent.get(key, source.read) == 1
    assert await recent.get(key._replace(actor="key 2"), source.read) == 2, "each is recorded"
    now[0] = 3.1
    assert await recent.get(key, source.read) == 3


async def test_a_change_is_seen_at_once() -> None:
    source = _Counting()
    recent = RecentResults(seconds=3, clock=lambda: 0.0)
    key, other = Key("facts", uuid4()), Key("facts", uuid4())
    assert (await recent.get(key, source.read), await recent.get(other, source.read)) == (1, 2)
    assert key.owner_id is not None
    recent.forget(key.owner_id)
    assert (await recent.get(key, source.read), await recent.get(other, source.read)) == (3, 2)
    assert (await recent.renewed(key, source.read), await recent.get(key, source.read)) == (4, 4)


async def test_what_fails_or_is_given_up_by_one_is_there_for_the_next() -> None:
    source = _Counting()
    recent = RecentResults(seconds=3, clock=lambda: 0.0)
    source.fails = True
    with pytest.raises(ConnectionError):
        await recent.get(Key("facts"), source.read)
    source.fails = False
    leaving = asyncio.create_task(recent.get(Key("facts"), source.read))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await recent.get(Key("facts"), source.read) == 2


def test_the_figures_are_those_of_all_processes() -> None:
    blocks = [new_block(SMALL_BLOCK_BYTES) for _ in range(2)]
    server, worker = (MetricStore(blocks, own=number, only=SHOWN) for number in range(2))
    for _ in range(10):
        server.observe(OPERATION_SECONDS, 0.02, ("context.read",))
        server.observe(STAGE_SECONDS, 0.0009, ("window",))
    server.count(TURNS, ("chat", "used", "answered"))
    worker.observe(CLEANUP_SUCCESS, 1_000, ())
    worker.count(CLEANUP_DELETED, ("sessions",), 4)
    figures = counted_in(server)
    assert figures == Counted(
        contexts=Times(count=10, median=17.5, p95=24.25),
        stages={"the last messages": Times(count=10, median=0.75, p95=0.975)},
        cleaned_at=datetime(1970, 1, 1, 0, 16, 40, tzinfo=UTC),
        deleted={"conversations": 4},
    )
    assert {one.metric for one in server.series()} <= set(SHOWN), "nobody else asks"


def test_a_quantile_lies_within_its_bucket_and_beyond_the_last_at_its_begin() -> None:
    totals = {1.0: 0.0, 2.0: 4.0, float("inf"): 8.0}
    assert quantile(totals, 0.25) == 1.5
    assert quantile(totals, 0.9) == 2.0
    assert quantile({1.0: 0.0, float("inf"): 0.0}, 0.5) is None
