"""Who holds the event loop is told, without a word of what was said."""

import asyncio
import ctypes
import logging
import threading
import time
from collections.abc import Coroutine, Mapping
from typing import Any

import pytest

from recollect.domain.text import check_json
from recollect.models.tokens import Encoding, _count_with
from recollect.ports.metrics import LOOP_HELD
from recollect.telemetry.loop_watchdog import (
    BACKGROUND,
    LOOP_HELD_EVENT,
    LOOP_HOLDING,
    THREAD,
    LoopWatchdog,
    current_route,
)
from support.recorded_telemetry import RecordedTelemetry

LIMIT = 0.05
SECRET = "The password is swordfish."


def hold(values: int = 1_000_000) -> None:
    """Work on values in our own code: a million take half a second of a processor, or more."""
    check_json([SECRET] * values, "metadata")


async def watched(*work: Coroutine[Any, Any, None]) -> RecordedTelemetry:
    counters = RecordedTelemetry()
    with LoopWatchdog(limit_seconds=LIMIT, telemetry=counters).watching():
        for task in [asyncio.create_task(one) for one in work]:
            await task
        await asyncio.sleep(3 * LIMIT)
    return counters


def facts_of(
    caplog: pytest.LogCaptureFixture, event: str = LOOP_HELD_EVENT
) -> list[Mapping[str, Any]]:
    return [r.__dict__["facts"] for r in caplog.records if r.getMessage() == event]


async def held_by(route: str) -> None:
    current_route.set(lambda: route)
    await asyncio.sleep(0)
    hold()


async def test_a_held_loop_is_logged_with_the_route_and_the_function(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await watched(held_by("/chat"))
    facts = next(facts for facts in facts_of(caplog) if facts["route"] == "/chat")
    assert facts["stage"] == "domain.text"
    assert facts["function"].startswith("recollect.domain.text.")
    assert facts["milliseconds"] > 1000 * LIMIT
    assert facts["processor_milliseconds"] > 0


async def test_every_block_of_the_loop_is_counted_by_route_and_stage() -> None:
    counters = await watched(held_by("/chat"))
    assert counters.value(LOOP_HELD, "/chat", "domain.text") == 1
    assert counters.value(LOOP_HELD, "/memoryChat", "domain.text") == 0


async def test_a_task_that_a_request_starts_belongs_to_its_route(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def parent() -> None:
        current_route.set(lambda: "/memoryChat")
        async with asyncio.TaskGroup() as group:
            group.create_task(child())

    async def child() -> None:
        hold()

    await watched(parent())
    assert "/memoryChat" in [facts["route"] for facts in facts_of(caplog)]


async def test_blocks_outside_requests_are_attributed_to_the_background(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def work() -> None:
        hold()

    await watched(work())
    held = [facts for facts in facts_of(caplog) if facts["stage"] == "domain.text"]
    assert [facts["route"] for facts in held] == [BACKGROUND]


async def test_a_task_that_waits_on_the_loop_is_blamed_though_it_does_not_work(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def wait() -> None:
        current_route.set(lambda: "/chat")
        time.sleep(1)  # noqa: ASYNC251  # what a blocking driver does

    blamed: list[Mapping[str, Any]] = []
    for _ in range(3):  # on a busy machine the watchdog itself may not get its turn in time
        counters = await watched(wait())
        records = [r for r in caplog.records if r.levelno == logging.WARNING]
        facts = [r.__dict__["facts"] for r in records if r.getMessage() == LOOP_HELD_EVENT]
        blamed = [one for one in facts if one["route"] == "/chat"]
        if blamed:
            break
    assert blamed
    assert counters.value(LOOP_HELD, "/chat", blamed[-1]["stage"]) >= 1


async def test_many_short_steps_are_not_logged_as_a_block(caplog: pytest.LogCaptureFixture) -> None:
    async def step() -> None:
        current_route.set(lambda: "/chat")
        for _ in range(40):
            hold(100)
            await asyncio.sleep(0)

    await watched(step())
    assert "/chat" not in [facts["route"] for facts in facts_of(caplog)]


async def test_a_hold_that_does_not_end_is_logged_while_it_lasts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen_meanwhile: list[int] = []

    async def long() -> None:
        current_route.set(lambda: "/chat")
        end = time.monotonic() + 30
        while not facts_of(caplog, LOOP_HOLDING) and time.monotonic() < end:
            hold(1_000)
        seen_meanwhile.append(len(facts_of(caplog, LOOP_HOLDING)))

    await watched(long())
    assert seen_meanwhile == [1]
    assert "/chat" in [facts["route"] for facts in facts_of(caplog)]


async def test_no_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await watched(held_by("/chat"))
    assert facts_of(caplog)
    assert all("swordfish" not in str(record.__dict__) for record in caplog.records)


async def test_a_loop_that_is_watched_no_more_is_left_as_it_was() -> None:
    loop = asyncio.get_running_loop()
    factory = loop.get_task_factory()
    await watched(asyncio.sleep(0))
    assert loop.get_task_factory() is factory


async def test_a_thread_that_holds_the_interpreter_lock_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Each call of the tokenizer lets no other thread run before it is done.
    texts = ["-" * (200_000 + number) for number in range(10)]

    async def work() -> None:
        await asyncio.to_thread(list, map(_count_with(Encoding.CL100K), texts))

    with caplog.at_level(logging.INFO):
        await watched(work())
    assert THREAD in [facts["route"] for facts in facts_of(caplog)]


async def test_a_request_during_which_the_loop_could_not_work_is_not_blamed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # A function called through PyDLL keeps Python's interpreter lock while it sleeps.
    holding = threading.Thread(target=ctypes.PyDLL(None).usleep, args=(int(6 * LIMIT * 1e6),))

    async def ask() -> None:
        current_route.set(lambda: "/healthz")
        holding.start()
        while holding.is_alive():
            pass

    with caplog.at_level(logging.INFO):
        counters = await watched(ask())
    held = [record for record in caplog.records if record.getMessage() == LOOP_HELD_EVENT]
    assert "/healthz" not in {record.__dict__["facts"]["route"] for record in held}
    assert (THREAD, "INFO") in {(r.__dict__["facts"]["route"], r.levelname) for r in held}
    assert counters.value(LOOP_HELD, "/healthz", "unknown") == 0
