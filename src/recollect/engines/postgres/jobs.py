"""Background jobs in PostgreSQL: the queue, summaries and turns to index."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Final
from uuid import UUID

import orjson
from asyncpg import Record

from recollect.concurrency import off_loop
from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import PostgresStore
from recollect.engines.postgres.rows import (
    message_from,
    read_messages,
    reading_effort,
    summary_from,
    worker_scope,
)
from recollect.ports.jobs import DueTurn, Job, JobKind

_KINDS: Final = [str(kind) for kind in JobKind]
_CHOICE: Final = 4  # sessions looked at for each that is wanted, so that workers seldom meet
_CHANCE: Final = random.Random()  # noqa: S311  # keeps workers apart, keeps no secrets


class PostgresJobQueue(PostgresStore):
    """Keeps jobs in the table `jobs`; a worker takes them for all owners."""

    async def take(self, *, now: datetime, lease: timedelta) -> Job | None:
        rows = await self._database.work("take_job", now=now, lease_until=now + lease, kinds=_KINDS)
        return _job_from(rows[0]) if rows else None

    async def finish(self, job: Job) -> None:
        await self._database.write("finish_job", **_key_of(job))

    async def postpone(self, job: Job, *, until: datetime) -> None:
        await self._database.run("postpone_job", **_key_of(job), until=until)


def _key_of(job: Job) -> dict[str, Any]:
    return {
        "owner_id": job.scope.owner_id,
        "job_id": job.job_id,
        "scheduled_at": job.scheduled_at,
    }


def _job_from(row: Record) -> Job:
    payload = orjson.loads(row["payload"])
    return Job(
        job_id=row["job_id"],
        kind=JobKind(row["kind"]),
        scope=worker_scope(payload["tenant"], payload["user"]),
        session_id=UUID(payload["session_id"]),
        attempts=row["attempts"],
        scheduled_at=row["scheduled_at"],
    )


class PostgresSummaryStore(PostgresStore):
    """Keeps summaries in the table `summaries`; sessions know how far they reach."""

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        session, now = {"session_id": session_id}, self._clock.now()
        async with self._database.transaction(scope.owner_id) as transaction:
            # Summary and messages as of one moment: what is deleted in between is in neither.
            isolation = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
            await transaction.connection.execute(isolation)
            sessions = await transaction.rows("get_session", **session, now=now)
            if not sessions:
                return None
            summary = await transaction.rows("get_summary", **session, now=now)
            after = sessions[0]["summarized_through"]
            rows = await transaction.rows(
                "messages_after", **session, after_sequence=after, limit=limit
            )
            last = await transaction.value("last_sequence", **session)
            turns = sorted({row["turn_number"] for row in rows} - {None})
            unanswered = await transaction.rows("unanswered_turns", **session, turn_numbers=turns)
        return Uncompacted(
            summary=summary_from(summary[0]) if summary else None,
            messages=await read_messages(rows),
            last_sequence=last,
            unanswered=frozenset(row["turn_number"] for row in unanswered),
        )

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        (row,) = await self._database.write(
            "put_summary",
            **self._session(scope, session_id),
            replaces=replaces,
            added=added,
            first_sequence=summary.first_sequence,
            last_sequence=summary.last_sequence,
            text=summary.text,
            tables=summary.tables,
            method=summary.method,
            created_at=summary.created_at,
        )
        return bool(row["is_kept"])


class PostgresTurnQueue(PostgresStore):
    """Reads the column `index_due` of turns, which every write to a turn sets."""

    _IS_INDEXED: ClassVar[bool]
    """Whether it has the turns that are indexed already."""

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        rows = await self._database.work(
            "sessions_due",
            is_indexed=self._IS_INDEXED,
            limit=limit * _CHOICE,
            now=self._clock.now(),
        )
        chosen = _CHANCE.sample(rows, min(limit, len(rows)))
        return tuple(
            (worker_scope(row["tenant_id"], row["user_id"]), row["session_id"]) for row in chosen
        )

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        session = self._session(scope, session_id)
        rows = await self._database.read(
            "turns_due", **session, is_indexed=self._IS_INDEXED, limit=limit
        )
        messages = [row for row in rows if row["message_id"] is not None]
        turns = [list(turn) for _, turn in groupby(rows, key=itemgetter("due_turn"))]
        characters = reading_effort(messages)
        return await off_loop(lambda: tuple(map(_due_turn, turns)), characters=characters)

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        await self._finish(scope, session_id, turns, stays_due=False)

    async def _finish(
        self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn], *, stays_due: bool
    ) -> None:
        changed = [turn for turn in turns if turn.change is not None]
        await self._database.write(
            "finish_due",
            owner_id=scope.owner_id,
            session_id=session_id,
            turn_numbers=[turn.turn_number for turn in changed],
            changes=[turn.change for turn in changed],
            is_indexed=self._IS_INDEXED,
            stays_due=stays_due,
        )

    async def depth(self) -> int:
        is_indexed, now = self._IS_INDEXED, self._clock.now()
        return await self._database.count("count_due", at=now, is_indexed=is_indexed)


class PostgresIndexingStore(PostgresTurnQueue):
    """The turns that have changed since they were indexed."""

    _IS_INDEXED = False

    async def hand_on(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        await self._finish(scope, session_id, turns, stays_due=True)


class PostgresLearningQueue(PostgresTurnQueue):
    """The turns whose last change is indexed, and which wait to be learnt from."""

    _IS_INDEXED = True


def _due_turn(rows: Sequence[Record]) -> DueTurn:
    first = rows[0]
    return DueTurn(
        turn_number=first["due_turn"],
        status=TurnStatus(first["status"]),
        is_latest=first["is_latest"],
        messages=tuple(message_from(row) for row in rows if row["message_id"] is not None),
        change=first["index_due"],
    )
