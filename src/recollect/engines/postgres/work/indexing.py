"""Turns that wait to be indexed, in PostgreSQL."""

import random
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final
from uuid import UUID

from asyncpg import Record

from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.rows import message_from, reading_effort
from recollect.engines.postgres.sql import statement
from recollect.offloading import off_loop
from recollect.ports.runtime import Clock
from recollect.ports.work import DueTurn

_CHOICE: Final = 4  # sessions looked at for each that is wanted, so that workers seldom meet
_CHANCE: Final = random.Random()  # noqa: S311  # keeps workers apart, keeps no secrets


class PostgresIndexingStore:
    """Reads the column `index_due` of turns, which every write to a turn sets."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def sessions(self, *, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Some sessions of any owner with turns that are due."""
        rows = await self._database.work(
            "sessions_to_index", limit=limit * _CHOICE, now=self._clock.now()
        )
        chosen = _CHANCE.sample(rows, min(limit, len(rows)))
        return tuple((_scope(row), row["session_id"]) for row in chosen)

    async def due(self, scope: Scope, session_id: UUID, *, limit: int) -> tuple[DueTurn, ...]:
        """The session's oldest turns that are due, and questions that newer turns passed over."""
        rows = await self._database.read(
            "turns_to_index",
            owner_id=scope.owner_id,
            session_id=session_id,
            limit=limit,
            now=self._clock.now(),
        )
        said = [row for row in rows if row["message_id"] is not None]
        return await off_loop(partial(_due_turns, rows), characters=reading_effort(said))

    async def done(self, scope: Scope, session_id: UUID, turns: Sequence[DueTurn]) -> None:
        """These changes are indexed; a turn that has changed again meanwhile stays due."""
        changed = [turn for turn in turns if turn.change is not None]
        await self._database.write(
            "finish_indexing",
            owner_id=scope.owner_id,
            session_id=session_id,
            turn_numbers=[turn.turn_number for turn in changed],
            changes=[turn.change for turn in changed],
        )

    async def depth(self) -> int:
        """How many turns of all owners are due."""
        async with self._database.working(now=self._clock.now()) as connection:
            count: int = await connection.fetchval(*statement("count_to_index"))
        return count


def _scope(row: Record) -> Scope:
    return Scope.stored(tenant=row["tenant_id"], user=row["user_id"], actor="worker")


def _due_turns(rows: Sequence[Record]) -> tuple[DueTurn, ...]:
    turns = groupby(rows, key=lambda row: row["due_turn"])
    return tuple(_due_turn(list(turn)) for _, turn in turns)


def _due_turn(rows: Sequence[Record]) -> DueTurn:
    first = rows[0]
    return DueTurn(
        turn_number=first["due_turn"],
        status=TurnStatus(first["status"]),
        is_latest=first["is_latest"],
        messages=tuple(message_from(row) for row in rows if row["message_id"] is not None),
        change=first["index_due"],
    )
