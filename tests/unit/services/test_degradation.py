"""What memory cannot do is counted, logged and told, and nothing else is forgiven."""

import asyncio
import logging

import pytest

from recollect.errors import (
    DatabaseUnavailable,
    Forbidden,
    PermissionsUnavailable,
    RecollectError,
    Unauthenticated,
)
from recollect.ports.metrics import DEGRADED
from recollect.services.chat.degradation import Degradation
from support.logs import logged, records_of
from support.recorded_telemetry import RecordedTelemetry


async def failing(error: RecollectError) -> int:
    raise error


async def working() -> int:
    return 7


async def test_a_failure_of_memory_is_counted_logged_and_warned_about_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counters = RecordedTelemetry()
    attempts = Degradation(counters)
    for _ in range(2):
        error = DatabaseUnavailable("the password of bob is xyzzy")
        assert await attempts.attempt("context", failing(error), warning="Without it.") is None
    assert attempts.warnings == ("Without it.",)
    assert counters.value(DEGRADED, "context") == 2
    assert counters.value(DEGRADED, "reply") == 0
    assert logged(caplog, "memory") == ["memory.failed"] * 2
    record, _ = records_of(caplog, "memory")
    assert record.__dict__["facts"] == {"step": "context", "error": "DatabaseUnavailable"}
    assert record.levelno == logging.WARNING
    assert "xyzzy" not in caplog.text


async def test_a_successful_result_is_returned_without_a_warning() -> None:
    attempts = Degradation(RecordedTelemetry())
    assert await attempts.attempt("context", working(), warning="Without it.") == 7
    assert (attempts.warnings, attempts.is_database_away) == ((), False)


@pytest.mark.parametrize("error", [Forbidden("no"), Unauthenticated("who?")])
async def test_credentials_and_permissions_are_never_forgiven(error: RecollectError) -> None:
    with pytest.raises(type(error)):
        await Degradation(RecordedTelemetry()).attempt("context", failing(error))


async def test_only_the_database_makes_further_steps_useless() -> None:
    attempts = Degradation(RecordedTelemetry())
    await attempts.attempt("context", failing(PermissionsUnavailable("away")))
    assert not attempts.is_database_away
    await attempts.attempt("context", failing(DatabaseUnavailable("away")))
    assert attempts.is_database_away


async def hanging() -> bool:
    raise DatabaseUnavailable("it hangs")


async def answering() -> bool:
    return True


async def test_work_on_a_hanging_database_is_given_up() -> None:
    attempts = Degradation(RecordedTelemetry(), probe=hanging, patient_seconds=0)
    was_cancelled = False

    async def work() -> None:
        nonlocal was_cancelled
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            was_cancelled = True
            raise

    assert await attempts.attempt("context", work(), warning="Without it.") is None
    assert (attempts.warnings, attempts.is_database_away) == (("Without it.",), True)
    assert was_cancelled


async def test_slow_work_is_waited_for_while_the_database_answers() -> None:
    probes = 0
    thinking = asyncio.Event()

    async def probe() -> bool:
        nonlocal probes
        probes += 1
        if probes == 3:
            thinking.set()
        return True

    async def work() -> int:
        await thinking.wait()
        return 7

    attempts = Degradation(RecordedTelemetry(), probe=probe, patient_seconds=0)
    assert await attempts.attempt("context", work()) == 7
    assert (probes >= 3, attempts.is_database_away) == (True, False)


async def test_a_database_that_misses_one_probe_has_a_second_chance() -> None:
    missed = 0
    thinking = asyncio.Event()

    async def probe() -> bool:
        nonlocal missed
        if missed:
            thinking.set()
            return True
        missed += 1
        raise DatabaseUnavailable("no connection within a second")

    async def work() -> int:
        await thinking.wait()
        return 7

    attempts = Degradation(RecordedTelemetry(), probe=probe, patient_seconds=0)
    assert await attempts.attempt("context", work(), warning="Without it.") == 7
    assert attempts.warnings == ()


async def test_work_that_ends_while_the_database_is_found_to_hang_counts() -> None:
    ended = asyncio.Event()

    async def probe() -> bool:
        ended.set()
        await asyncio.sleep(0.01)
        raise DatabaseUnavailable("it hangs")

    async def store() -> int:
        await ended.wait()
        return 7

    async def refuse() -> int:
        await ended.wait()
        raise Forbidden("halted")

    attempts = Degradation(RecordedTelemetry(), probe=probe, patient_seconds=0)
    assert await attempts.attempt("reply", store(), warning="Not stored.") == 7
    assert attempts.warnings == ()
    ended.clear()
    with pytest.raises(Forbidden):
        await attempts.attempt("state", refuse())


async def test_after_a_failure_the_database_is_probed_at_once() -> None:
    attempts = Degradation(RecordedTelemetry(), probe=hanging, patient_seconds=3600)
    await attempts.attempt("state", failing(DatabaseUnavailable("away")))
    assert await attempts.attempt("context", asyncio.Event().wait()) is None


async def test_cancelling_the_caller_cancels_its_work() -> None:
    attempts = Degradation(RecordedTelemetry(), probe=answering)
    began, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    attempt = asyncio.create_task(attempts.attempt("context", work()))
    await began.wait()
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert ended.is_set()


async def test_a_task_goes_on_after_work_on_a_hanging_database_was_given_up() -> None:
    attempts = Degradation(RecordedTelemetry(), probe=hanging, patient_seconds=0)
    assert await attempts.attempt("context", asyncio.Event().wait()) is None
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    assert await attempts.attempt("context", working()) == 7


async def test_an_attempt_within_another_is_given_up_alone() -> None:
    attempts = Degradation(RecordedTelemetry(), probe=answering, patient_seconds=3600)
    inner = Degradation(RecordedTelemetry(), probe=hanging, patient_seconds=0)

    async def work() -> tuple[object, int]:
        return await inner.attempt("facts", asyncio.Event().wait()), await working()

    assert await attempts.attempt("context", work()) == (None, 7)
    assert not attempts.is_database_away


async def test_a_probe_that_fails_otherwise_ends_the_work_with_its_error() -> None:
    async def broken() -> bool:
        raise Forbidden("the role may not ask")

    attempts = Degradation(RecordedTelemetry(), probe=broken, patient_seconds=0)
    with pytest.raises(Forbidden):
        await attempts.attempt("context", asyncio.Event().wait())


async def test_a_probe_that_answers_too_late_cancels_nobody() -> None:
    began = asyncio.Event()

    async def probe() -> bool:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise DatabaseUnavailable("cancelled") from None
        return True

    attempts = Degradation(RecordedTelemetry(), probe=probe, patient_seconds=0)
    assert await attempts.attempt("context", began.wait()) is True
    for _ in range(3):
        await asyncio.sleep(0)
