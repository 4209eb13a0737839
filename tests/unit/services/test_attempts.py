"""What memory cannot do is counted, logged and told, and nothing else is forgiven."""

import logging

import pytest

from recollect.errors import (
    DatabaseUnavailable,
    Forbidden,
    PermissionsUnavailable,
    RecollectError,
    Unauthenticated,
)
from recollect.services.attempts import MEMORY_FAILURES, Attempts
from recollect.telemetry.counters import ProcessCounters


async def failing(error: RecollectError) -> int:
    raise error


async def working() -> int:
    return 7


async def test_a_failure_of_memory_is_counted_logged_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counters = ProcessCounters()
    attempts = Attempts(counters)
    for _ in range(2):
        error = DatabaseUnavailable("the password of bob is xyzzy")
        assert await attempts.attempt("context", failing(error), warning="Without it.") is None
    assert attempts.warnings == ("Without it.",)
    assert counters.value(MEMORY_FAILURES, labels=("context",)) == 2
    assert counters.value(MEMORY_FAILURES, labels=("reply",)) == 0
    assert [record.getMessage() for record in caplog.records] == ["memory.failed"] * 2
    assert caplog.records[0].facts == {"step": "context", "error": "DatabaseUnavailable"}  # type: ignore[attr-defined]
    assert caplog.records[0].levelno == logging.WARNING
    assert "xyzzy" not in caplog.text


async def test_what_works_is_returned_and_nothing_is_told() -> None:
    attempts = Attempts(ProcessCounters())
    assert await attempts.attempt("context", working(), warning="Without it.") == 7
    assert (attempts.warnings, attempts.is_database_away) == ((), False)


@pytest.mark.parametrize("error", [Forbidden("no"), Unauthenticated("who?")])
async def test_credentials_and_permissions_are_never_forgiven(error: RecollectError) -> None:
    with pytest.raises(type(error)):
        await Attempts(ProcessCounters()).attempt("context", failing(error))


async def test_only_the_database_makes_further_steps_useless() -> None:
    attempts = Attempts(ProcessCounters())
    await attempts.attempt("context", failing(PermissionsUnavailable("away")))
    assert not attempts.is_database_away
    await attempts.attempt("context", failing(DatabaseUnavailable("away")))
    assert attempts.is_database_away
