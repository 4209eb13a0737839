"""Background work: jobs, turns to be indexed and learnt from, summaries."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Final
from uuid import UUID

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.conversation import Conversation
from recollect.engines.dynamodb.conversations.session_items import DUE, PENDING
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import SORT, WORK_DUE, job_key, key_of, name_of, owner_of
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.engines.dynamodb.work.job_items import JOBS, job_from
from recollect.ports.jobs import DueTurn, Job

_TAKEN_FROM: Final = 20
_DUE_AT_ONCE: Final = 1000
_MOST_COUNTED: Final = 10_000


class DynamoJobs(DynamoStore):
    """Implements `recollect.ports.jobs.JobQueue`."""

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        waiting = await self.table.waiting(JOBS, until=time_text(now), limit=_TAKEN_FROM)
        items = await self.table.get_many(waiting)
        jobs = [items[name_of(key)] for key in waiting if name_of(key) in items]
        jobs.sort(key=lambda item: (str(item[WORK_DUE]), str(item["jobId"])))
        for item in jobs:
            if str(item[WORK_DUE]) <= time_text(now) and await self._take(item, now + lease):
                return job_from(
                    {
                        **item,
                        "attempts": int(item["attempts"]) + 1,
                        WORK_DUE: time_text(now + lease),
                    }
                )
        return None

    async def _take(self, item: Item, until: datetime) -> bool:
        """Take a job unless somebody else did since it was read."""
        try:
            await self.table.update(
                item,
                f"SET {WORK_DUE} = :until ADD attempts :one",
                {":until": time_text(until), ":one": 1, ":read": item[WORK_DUE]},
                condition=f"{WORK_DUE} = :read",
            )
        except ConditionFailed:
            return False
        return True

    async def finish(self, job: Job) -> None:
        key = key_of(job.scope.owner_id, job_key(job.job_id))
        read = {":read": time_text(job.scheduled_at)}
        try:
            await self.table.delete_if(key, f"{WORK_DUE} = :read", read)
        except ConditionFailed:
            return  # it is another worker's by now

    async def postpone(self, job: Job, *, until: datetime) -> None:
        try:
            await self.table.update(
                key_of(job.scope.owner_id, job_key(job.job_id)),
                f"SET {WORK_DUE} = :until",
                {":until": time_text(until), ":read": time_text(job.scheduled_at)},
                condition=f"{WORK_DUE} = :read",
            )
        except ConditionFailed:
            return  # it is another worker's by now


class DynamoTurnQueue(DynamoStore):
    """Implements `recollect.ports.jobs.TurnQueue`."""

    _IS_INDEXED: ClassVar[bool]
    """Whether it has the turns that are indexed already."""

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        waiting = await self._waiting(_DUE_AT_ONCE)
        pairs = [(one.scope, one.session_id) for one in waiting if self._due(one)]
        return tuple(random.sample(pairs, min(limit, len(pairs))))

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        one = await self.data.visible(scope, session_id)
        if one is None:
            return ()
        numbers = sorted(self._due(one))[:limit]
        turns, chosen = one.turns, set(numbers)
        for number in numbers:  # the question before one may have been passed over
            before = max((turn for turn in turns if turn < number), default=number)
            chosen.update({before} if turns[before] is TurnStatus.PENDING else ())
        messages = [m for m in await self.data.of_turns(one, chosen) if m.is_active]
        latest = max(turns, default=0)
        return tuple(
            DueTurn(
                turn_number=number,
                status=turns[number],
                is_latest=number == latest,
                messages=tuple(m for m in messages if m.turn_number == number),
                change=one.due.get(number),
            )
            for number in sorted(chosen)
        )

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        async def change(one: Conversation, _: Transaction) -> None:
            waiting = self._due(one)
            for turn in turns:
                if waiting.get(turn.turn_number, 0) == turn.change:
                    one.due.pop(turn.turn_number)
                    one.indexed.pop(turn.turn_number, None)

        await self.data.change(scope, session_id, change)

    async def depth(self) -> int:
        return sum(len(self._due(one)) for one in await self._waiting(_MOST_COUNTED))

    async def _waiting(self, limit: int) -> list[Conversation]:
        """Conversations of all owners that wait for something in the background."""
        found: list[Conversation] = []
        for kind in (DUE, PENDING):
            keys = await self.table.waiting(kind, limit=limit)
            by_owner: dict[UUID, list[UUID]] = {}
            for key in keys:
                session_id = UUID(str(key[SORT]).partition("#")[0])
                by_owner.setdefault(owner_of(key), []).append(session_id)
            for owner_id, ids in by_owner.items():
                found += (await self.sealed_data.many(owner_id, ids)).values()
        now = self.clock.now()
        return [one for one in found if one.is_visible(now)]

    def _due(self, one: Conversation) -> dict[int, int]:
        """The changes that wait here, by turn."""
        return {
            number: change
            for number, change in one.due.items()
            if (one.indexed.get(number) == change) == self._IS_INDEXED
        }


class DynamoIndexing(DynamoTurnQueue):
    """Implements `recollect.ports.jobs.IndexingStore`."""

    _IS_INDEXED = False

    async def hand_on(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        async def change(one: Conversation, _: Transaction) -> None:
            for turn in turns:
                if turn.change is None or one.due.get(turn.turn_number) != turn.change:
                    continue
                if one.is_learnt(turn.turn_number):
                    del one.due[turn.turn_number]
                    one.indexed.pop(turn.turn_number, None)
                else:
                    one.indexed[turn.turn_number] = turn.change

        await self.data.change(scope, session_id, change)


class DynamoLearning(DynamoTurnQueue):
    """The turns whose last change is indexed, and which wait to be learnt from."""

    _IS_INDEXED = True


class DynamoSummaries(DynamoStore):
    """Implements `recollect.ports.jobs.SummaryStore`."""

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        one = await self.data.visible(scope, session_id)
        if one is None:
            return None
        found: list[Message] = []
        async for message in self.data.messages(one, after=one.summarized_through, limit=limit):
            if message.is_active:
                found.append(message)
            if len(found) == limit:
                break
        return Uncompacted(
            summary=one.summary,
            messages=tuple(found),
            last_sequence=one.last_active,
            unanswered=frozenset(
                turn for turn, status in one.turns.items() if status is not TurnStatus.COMPLETE
            ),
        )

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        async def change(one: Conversation, _: Transaction) -> bool:
            through = summary.last_sequence
            is_as_read = one.summarized_through == replaces
            is_whole = one.count_active(after=replaces, through=through) == added
            if is_as_read and is_whole:
                one.summarize(summary)
            return is_as_read and is_whole

        return bool(await self.data.change(scope, session_id, change))
