"""Background jobs in memory: the queue, summaries and turns to index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import ClassVar
from uuid import UUID

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory.data import InMemoryStore
from recollect.engines.in_memory.stored_conversation import StoredConversation
from recollect.ports.jobs import DueTurn, Job


class InMemoryJobs(InMemoryStore):
    """Implements `recollect.ports.jobs.JobQueue`."""

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        waiting = (job for job in self.data.jobs.values() if job.scheduled_at <= now)
        longest = min(waiting, key=lambda job: (job.scheduled_at, job.job_id), default=None)
        if longest is None:
            return None
        taken = replace(longest, scheduled_at=now + lease, attempts=longest.attempts + 1)
        self.data.jobs[_key(taken)] = taken
        return taken

    async def finish(self, job: Job) -> None:
        if self._is_still(job):
            del self.data.jobs[_key(job)]

    async def postpone(self, job: Job, *, until: datetime) -> None:
        if self._is_still(job):
            self.data.jobs[_key(job)] = replace(self.data.jobs[_key(job)], scheduled_at=until)

    def _is_still(self, job: Job) -> bool:
        """Whether the job is still as its worker took it: not the next one's by now."""
        stored = self.data.jobs.get(_key(job))
        return stored is not None and stored.scheduled_at == job.scheduled_at


def _key(job: Job) -> tuple[UUID, UUID]:
    return job.scope.owner_id, job.job_id


class InMemoryTurnQueue(InMemoryStore):
    """Implements `recollect.ports.jobs.TurnQueue`."""

    _IS_INDEXED: ClassVar[bool]
    """Whether it has the turns that are indexed already."""

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        waiting = [
            (scope, conversation.session.session_id)
            for scope, conversation in self.data.known()
            if self._due(conversation)
        ]
        return tuple(waiting[:limit])

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return ()
        numbers = sorted(self._due(conversation))[:limit]
        turns, due = conversation.turns, set(numbers)
        for number in numbers:  # the question before one may have been passed over
            before = max((turn for turn in turns if turn < number), default=number)
            due.update({before} if turns[before] is TurnStatus.PENDING else ())
        return tuple(_due_turn(conversation, number) for number in sorted(due))

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        conversation = self.data.conversation(scope, session_id)
        for turn in turns:
            if conversation and self._due(conversation).get(turn.turn_number, 0) == turn.change:
                del conversation.due[turn.turn_number]

    async def depth(self) -> int:
        return sum(len(self._due(conversation)) for _, conversation in self.data.known())

    def _due(self, conversation: StoredConversation) -> dict[int, int]:
        """The changes that wait here, by turn."""
        indexed = conversation.indexed
        return {
            number: change
            for number, change in conversation.due.items()
            if (indexed.get(number) == change) == self._IS_INDEXED
        }


class InMemoryIndexing(InMemoryTurnQueue):
    """Implements `recollect.ports.jobs.IndexingStore`."""

    _IS_INDEXED = False

    async def hand_on(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        conversation = self.data.conversation(scope, session_id)
        for turn in turns:
            if conversation and turn.change is not None:
                conversation.indexed[turn.turn_number] = turn.change
                is_unchanged = conversation.due.get(turn.turn_number) == turn.change
                if is_unchanged and conversation.is_learnt(turn.turn_number):
                    del conversation.due[turn.turn_number]


class InMemoryLearning(InMemoryTurnQueue):
    """The turns whose last change is indexed, and which wait to be learnt from."""

    _IS_INDEXED = True


def _due_turn(conversation: StoredConversation, number: int) -> DueTurn:
    messages = (m for m in conversation.active if m.turn_number == number)
    return DueTurn(
        turn_number=number,
        status=conversation.turns[number],
        is_latest=number == max(conversation.turns),
        messages=tuple(sorted(messages, key=lambda message: message.sequence)),
        change=conversation.due.get(number),
    )


class InMemorySummaries(InMemoryStore):
    """Implements `recollect.ports.jobs.SummaryStore`."""

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None:
            return None
        messages = conversation.active
        after = (m for m in messages if m.sequence > conversation.summarized_through)
        return Uncompacted(
            summary=conversation.summary,
            messages=tuple(islice(after, limit)),
            last_sequence=max((message.sequence for message in messages), default=0),
            unanswered=frozenset(
                number
                for number, status in conversation.turns.items()
                if status is not TurnStatus.COMPLETE
            ),
        )

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        conversation = self.data.conversation(scope, session_id)
        if conversation is None or conversation.summarized_through != replaces:
            return False
        active = conversation.active
        if sum(replaces < m.sequence <= summary.last_sequence for m in active) != added:
            return False
        conversation.summarize(summary)
        return True
