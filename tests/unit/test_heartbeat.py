"""The worker's sign of life, as other processes see it."""

import asyncio
import multiprocessing

from recollect.concurrency import TaskSupervisor
from recollect.interfaces.worker import Heartbeat, WorkerState


class Clock:
    """Shows the time that a test wants."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_worker_without_a_heartbeat_for_a_minute_is_dead_until_the_next_one() -> None:
    clock = Clock()
    pulse = Heartbeat(clock=clock)
    states = []
    for seconds in (0, 59, 2):
        clock.now += seconds
        states.append(pulse.state)
    pulse.beat(is_failing=False)

    assert states == [WorkerState.OK, WorkerState.OK, WorkerState.DEAD]
    assert pulse.state is WorkerState.OK


def test_a_worker_that_has_died_is_dead_at_once() -> None:
    pulse = Heartbeat()
    pulse.stop()

    assert pulse.state is WorkerState.DEAD


async def test_a_failing_part_of_the_worker_is_reported() -> None:
    async def work() -> None:
        raise ValueError

    pulse, supervisor = Heartbeat(), TaskSupervisor(first_pause=3600)
    tasks = [asyncio.create_task(supervisor.run("jobs", work))]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(pulse.follow(supervisor)))
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()

    assert pulse.state is WorkerState.RESTARTING


def test_another_process_sees_the_heartbeat() -> None:
    pulse = Heartbeat()
    pulse.stop()
    process = multiprocessing.get_context("spawn").Process(target=_beat, args=(pulse,))
    process.start()
    process.join()

    assert pulse.state is WorkerState.OK


def _beat(pulse: Heartbeat) -> None:
    pulse.beat(is_failing=False)
