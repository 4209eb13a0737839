"""An engine that keeps everything in this process, for users' tests; gone when it ends."""

from datetime import UTC, datetime

from recollect.engines.in_memory.conversations import (
    InMemoryBranches,
    InMemorySessions,
    InMemoryTurns,
)
from recollect.engines.in_memory.messages import InMemoryHistory, InMemoryMessages
from recollect.engines.in_memory.recall import InMemoryRecallIndex
from recollect.engines.in_memory.state import InMemoryState
from recollect.engines.in_memory.work import (
    InMemoryApiKeys,
    InMemoryAuditLog,
    InMemoryExpired,
    InMemoryIndexing,
    InMemoryJobs,
    InMemoryStates,
    InMemorySummaries,
)
from recollect.ports.runtime import Clock
from recollect.ports.stores import Stores

__all__ = ["in_memory_stores"]


def in_memory_stores(clock: Clock | None = None) -> Stores:
    """Make empty stores that share nothing with those of any other call.

    They hide the sessions that have expired by the clock, or by the machine's time without
    one. They belong to one event loop: an operation never awaits halfway, so none sees
    another's half-done work.
    """
    state = InMemoryState(clock or _MachineClock())
    return Stores(
        sessions=InMemorySessions(state),
        messages=InMemoryMessages(state),
        branches=InMemoryBranches(state),
        turns=InMemoryTurns(state),
        history=InMemoryHistory(state),
        summaries=InMemorySummaries(state),
        states=InMemoryStates(state),
        jobs=InMemoryJobs(state),
        expired=InMemoryExpired(state),
        api_keys=InMemoryApiKeys(state),
        audit=InMemoryAuditLog(state),
        recall=InMemoryRecallIndex(state),
        indexing=InMemoryIndexing(state),
    )


class _MachineClock:
    """As `recollect.system.SystemClock`, which stands beside the engines: they cannot see it."""

    def now(self) -> datetime:
        return datetime.now(UTC)
