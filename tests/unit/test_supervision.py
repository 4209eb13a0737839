"""Background tasks that fail are started again, and tell of it."""

import asyncio
import logging

import pytest

from recollect.concurrency import TaskSupervisor, watch
from recollect.errors import InvalidInput
from recollect.ports.metrics import TASK_FAILURES
from support.logs import records_of
from support.recorded_telemetry import RecordedTelemetry

SECRET = "the zeppelin cost 3 million"


class Flaky:
    """Work that fails so often and then goes on for good."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.began = 0
        self.goes_on = asyncio.Event()

    async def __call__(self) -> None:
        self.began += 1
        if self.began <= self.failures:
            raise ValueError(SECRET)
        self.goes_on.set()
        await asyncio.Event().wait()


async def test_a_task_that_fails_is_started_again_logged_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counters, work = RecordedTelemetry(), Flaky(3)
    supervisor = TaskSupervisor(counters, first_pause=0.001)
    task = asyncio.create_task(supervisor.run("indexing", work))
    await work.goes_on.wait()
    task.cancel()

    failed = [record.__dict__["facts"] for record in records_of(caplog, "task")]
    assert [facts["restart_seconds"] for facts in failed] == [0.001, 0.002, 0.004]
    assert {(facts["task"], facts["error"]) for facts in failed} == {("indexing", "ValueError")}
    assert all(facts["at"].startswith("test_supervision.py:") for facts in failed)
    assert counters.value(TASK_FAILURES, "indexing") == 3
    assert supervisor.failing == ("indexing",), "it has yet to show that it is well"
    assert SECRET not in caplog.text


async def test_a_task_that_is_cancelled_ends_at_once() -> None:
    work, ended = Flaky(0), []
    supervisor = TaskSupervisor()
    task = asyncio.create_task(supervisor.run("jobs", work))
    await work.goes_on.wait()
    task.cancel()
    ended = await asyncio.gather(task, return_exceptions=True)

    assert [type(one) for one in ended] == [asyncio.CancelledError]
    assert (work.began, supervisor.failing) == (1, ())


async def test_a_task_is_cancelled_while_it_waits_to_be_started_again() -> None:
    work = Flaky(9)
    supervisor = TaskSupervisor(first_pause=3600)
    task = asyncio.create_task(supervisor.run("jobs", work))
    while not supervisor.failing:  # noqa: ASYNC110  # it has no event for it
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_task_that_comes_to_its_end_is_not_started_again() -> None:
    began = 0

    async def work() -> None:
        nonlocal began
        began += 1
        if began == 1:
            raise OSError

    supervisor = TaskSupervisor(first_pause=0)
    await supervisor.run("warming", work, is_endless=False)

    assert (began, supervisor.failing) == (2, ())


async def test_a_task_that_awaits_a_cancelled_task_is_started_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    goes_on, began = asyncio.Event(), 0

    async def work() -> None:
        nonlocal began
        began += 1
        if began == 1:
            foreign = asyncio.get_running_loop().create_future()
            foreign.cancel()
            await foreign
        goes_on.set()
        await asyncio.Event().wait()

    supervisor = TaskSupervisor(first_pause=0)
    task = asyncio.create_task(supervisor.run("indexing", work))
    await asyncio.wait({task, asyncio.create_task(goes_on.wait())}, return_when="FIRST_COMPLETED")

    assert not task.done()
    assert (began, supervisor.failing) == (2, ("indexing",))
    (failed,) = [record.__dict__["facts"] for record in records_of(caplog, "task")]
    assert (failed["task"], failed["error"]) == ("indexing", "CancelledError")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_task_that_should_never_end_is_started_again_when_it_does() -> None:
    goes_on, began = asyncio.Event(), 0

    async def work() -> None:
        nonlocal began
        began += 1
        if began == 2:
            goes_on.set()
            await asyncio.Event().wait()

    supervisor = TaskSupervisor(first_pause=0)
    task = asyncio.create_task(supervisor.run("jobs", work))
    await asyncio.wait({task, asyncio.create_task(goes_on.wait())}, return_when="FIRST_COMPLETED")

    assert not task.done()
    assert supervisor.failing == ("jobs",)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("error", "logged"), [(KeyError(SECRET), 1), (InvalidInput("x", SECRET), 0)]
)
async def test_a_watched_background_task_logs_only_unexpected_errors(
    caplog: pytest.LogCaptureFixture, error: Exception, logged: int
) -> None:
    async def work() -> None:
        raise error

    task = asyncio.create_task(work())
    watch(task, "turns.write")
    await asyncio.wait({task})
    await asyncio.sleep(0)

    records = records_of(caplog, "task")
    assert [record.levelno for record in records] == [logging.ERROR] * logged
    assert SECRET not in caplog.text
