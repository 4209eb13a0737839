"""The queue of background work, and what it reads and writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.domain.job import Job


class JobQueue(Protocol):
    """Hands each job to one worker at a time; a job survives until it is finished.

    Jobs are added by the stores, together with the write that makes them necessary.
    """

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        """The job that has waited longest, now this worker's for the time of the lease.

        A worker that dies leaves the job to the next one when the lease is over.
        """
        ...

    async def finish(self, job: Job) -> None:
        """The job is done; it goes, unless it was scheduled again meanwhile."""
        ...

    async def postpone(self, job: Job, *, until: datetime) -> None:
        """The job failed; it waits for another try."""
        ...

    async def depth(self, *, now: datetime) -> int:
        """How many jobs wait to be taken."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTurn:
    """A turn that has changed since it was indexed, as it is now."""

    turn_number: int
    status: TurnStatus
    is_latest: bool
    """Whether it is the last turn of its session."""
    messages: tuple[Message, ...]
    """All of the turn's messages, in their order."""
    change: int | None
    """Which change it waits since; None where only a later turn makes it worth another look."""


class IndexingStore(Protocol):
    """Knows which turns have changed since they were indexed.

    Every write to a turn leaves it due, together with the write itself: an append, a failure,
    the loss of a message. It stays due until somebody says of that very change that it is done,
    so whoever dies halfway leaves it to the next one.
    """

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Some sessions of any owner with turns that are due; a worker's question.

        Which ones is left to chance where there are more, so that workers seldom meet.
        """
        ...

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        """The session's oldest turns that are due, and questions that newer turns passed over."""
        ...

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """These changes are indexed; a turn that has changed again meanwhile stays due."""
        ...

    async def depth(self) -> int:
        """How many turns of all owners are due."""
        ...


class SummaryStore(Protocol):
    """Keeps at most one summary for each session; the messages themselves always stay."""

    async def get(self, scope: Scope, session_id: UUID) -> Summary | None:
        """The session's summary, or None."""
        ...

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        """The summary and the oldest messages after it, oldest first; None without a session."""
        ...

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        """Keep a summary that adds so many messages to what was summarised through `replaces`.

        Only if it was summarised so far and no further, and all those messages are still there:
        of two workers at the same range one is told True, the other False, and nobody tells of a
        message that was deleted meanwhile.
        """
        ...


class ExpiredSessions(Protocol):
    """Finds and deletes the expired sessions of all owners, whom nobody else can see any more."""

    async def count(self, *, now: datetime) -> int:
        """How many sessions have expired."""
        ...

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and say how many; audited.

        0 also while another replica is at it: one at a time.
        """
        ...
