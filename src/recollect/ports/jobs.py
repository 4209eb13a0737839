"""The queue of background work, and what it reads and writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Protocol
from uuid import UUID, uuid5

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope


class JobKind(StrEnum):
    """What there is to do."""

    COMPACT = "compact"
    """Summarise the older messages of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work for one owner; it holds ids and never text."""

    job_id: UUID
    kind: JobKind
    scope: Scope
    session_id: UUID
    attempts: int
    scheduled_at: datetime


@lru_cache(maxsize=4096)  # each message asks for that of its session
def job_id_for(kind: JobKind, session_id: UUID) -> UUID:
    """Return the one id of a kind of work on a session, so that it never waits twice."""
    return uuid5(session_id, kind)


class JobQueue(Protocol):
    """Hands each job to one worker at a time; a job survives until it is finished.

    Jobs are added by the stores, together with the write that makes them necessary.
    """

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        """Take the job that has waited longest, for the time of the lease; None without one.

        A worker that dies leaves the job to the next one when the lease is over.
        """

    async def finish(self, job: Job) -> None:
        """Delete a job that is done, unless it was scheduled again meanwhile."""

    async def postpone(self, job: Job, *, until: datetime) -> None:
        """Let a job that failed wait for another try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTurn:
    """A turn that has changed since it was worked on, as it is now."""

    turn_number: int
    status: TurnStatus
    is_latest: bool
    """Whether it is the last turn of its session."""
    messages: tuple[Message, ...]
    """All of the turn's messages, in their order."""
    change: int | None
    """The change since when it is due; None where only a later turn makes it worth another look."""


class TurnQueue(Protocol):
    """Knows which turns have changed since they were worked on.

    A turn stays due until that very change is reported as done, so a worker that dies halfway
    leaves it to the next one.
    """

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Return some sessions of any owner with turns that are due; for workers.

        Where there are more, the choice is random, so that workers seldom meet.
        """

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        """Return the oldest turns that are due, and questions that newer turns passed over."""

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """Record that nothing is left to do; a turn that has changed meanwhile stays due."""

    async def depth(self) -> int:
        """Return how many turns of all owners are due."""


class IndexingStore(TurnQueue, Protocol):
    """The turns that have changed since they were indexed.

    Every write to a turn leaves it due, in the transaction of the write: an append, a failure,
    the loss of a message.
    """

    async def hand_on(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """Record that these changes are indexed, and let the turns wait to be learnt from.

        A turn that has changed meanwhile stays due for indexing.
        """


class SummaryStore(Protocol):
    """Stores at most one summary for each session; the messages themselves always stay."""

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        """Return the summary and the oldest messages after it, oldest first, or None."""

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        """Store a summary that adds `added` messages to what was summarised through `replaces`.

        Only if it was summarised so far and no further, and all those messages are still there:
        of two workers at the same range one gets True, the other False, and no summary tells of
        a message that was deleted meanwhile.
        """


class ExpiredSessions(Protocol):
    """Finds and deletes the expired sessions of all owners, which nobody can see any more."""

    async def count(self, *, now: datetime) -> int:
        """Return how many sessions have expired."""

    async def delete(self, *, now: datetime, limit: int) -> int:
        """Delete some expired sessions with everything in them, and return how many; audited.

        0 also while another replica is at it: one at a time.
        """
