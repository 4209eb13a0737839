"""The background work goes on, whatever one part of it meets."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable
from recollect.interfaces.worker import Heartbeat, WorkerState, work_forever
from recollect.models.tokens import token_counter_for
from recollect.ports.jobs import DueTurn, IndexingStore
from recollect.ports.metrics import TASK_FAILURES
from recollect.services.services import ServiceDependencies
from recollect.system import RandomIds, SystemClock
from support.examples import a_message, a_scope, append, start_session
from support.recorded_telemetry import RecordedTelemetry


class Troubled:
    """Knows what waits to be indexed, but for a few times that it raises something instead."""

    def __init__(self, inner: IndexingStore, *errors: Exception) -> None:
        self._inner = inner
        self.errors = list(errors)

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        if self.errors:
            raise self.errors.pop(0)
        return await self._inner.sessions(limit=limit)

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        return await self._inner.due(scope, session_id, limit=limit)

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        await self._inner.done(scope, session_id, turns)

    async def hand_on(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        await self._inner.hand_on(scope, session_id, turns)

    async def depth(self) -> int:
        return await self._inner.depth()


@pytest.mark.parametrize(
    ("error", "failures", "state"),
    [
        (RuntimeError("the zeppelin"), 1, WorkerState.RESTARTING),
        (DatabaseUnavailable("the database does not answer"), 0, WorkerState.OK),
    ],
    ids=["unexpected", "away"],
)
async def test_indexing_goes_on_after_an_unexpected_error_and_after_a_database_outage(
    caplog: pytest.LogCaptureFixture, error: Exception, failures: int, state: WorkerState
) -> None:
    counters, pulse, scope = RecordedTelemetry(), Heartbeat(), a_scope()
    stores = in_memory_stores()
    assert stores.indexing is not None
    troubled = Troubled(stores.indexing, error)
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, telemetry=counters
    )
    services = build_services(replace(stores, indexing=troubled), around)
    session = await start_session(stores, scope)
    await append(stores, scope, session.session_id, a_message(), a_message("assistant"))

    working = work_forever(services, cleanup_every=timedelta(days=1), pulse=pulse)
    task = asyncio.create_task(working)
    async with asyncio.timeout(60):
        while troubled.errors or await troubled.depth():  # noqa: ASYNC110  # another task works
            await asyncio.sleep(0.01)
        while pulse.state is not state:  # noqa: ASYNC110  # it beats once a second
            await asyncio.sleep(0.01)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert counters.value(TASK_FAILURES, "indexing") == failures
    failed = [record for record in caplog.records if record.getMessage() == "task.failed"]
    assert len(failed) == failures
    assert "zeppelin" not in caplog.text
