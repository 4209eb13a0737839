"""Summaries in PostgreSQL."""

from uuid import UUID

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.rows import read_messages, summary_from
from recollect.engines.postgres.sql import statement
from recollect.ports.runtime import Clock


class PostgresSummaryStore:
    """Keeps summaries in the table of that name; sessions know how far they reach."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, scope: Scope, session_id: UUID) -> Summary | None:
        """The session's summary, or None."""
        async with self._database.owned_by(scope.owner_id) as connection:
            row = await connection.fetchrow(
                *statement(
                    "get_summary",
                    owner_id=scope.owner_id,
                    session_id=session_id,
                    now=self._clock.now(),
                )
            )
        return None if row is None else summary_from(row)

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        """The summary and the oldest messages after it, oldest first; None without a session."""
        now = self._clock.now()
        async with self._database.owned_by(scope.owner_id) as connection:
            # Summary and messages as of one moment: what is deleted in between is in neither.
            await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            session = await connection.fetchrow(
                *statement("get_session", owner_id=scope.owner_id, session_id=session_id, now=now)
            )
            if session is None:
                return None
            summary = await connection.fetchrow(
                *statement("get_summary", owner_id=scope.owner_id, session_id=session_id, now=now)
            )
            rows = await connection.fetch(
                *statement(
                    "messages_after",
                    owner_id=scope.owner_id,
                    session_id=session_id,
                    after_sequence=session["summarized_through"],
                    limit=limit,
                )
            )
            last = await connection.fetchval(
                *statement("last_sequence", owner_id=scope.owner_id, session_id=session_id)
            )
            turns = sorted({row["turn_number"] for row in rows} - {None})
            unanswered = await connection.fetch(
                *statement(
                    "unanswered_turns",
                    owner_id=scope.owner_id,
                    session_id=session_id,
                    turn_numbers=turns,
                )
            )
        return Uncompacted(
            summary=None if summary is None else summary_from(summary),
            messages=await read_messages(rows),
            last_sequence=last,
            unanswered=frozenset(row["turn_number"] for row in unanswered),
        )

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        """Keep a summary if what it adds to the last one is still all there."""
        (row,) = await self._database.write(
            "put_summary",
            owner_id=scope.owner_id,
            session_id=session_id,
            replaces=replaces,
            added=added,
            first_sequence=summary.first_sequence,
            last_sequence=summary.last_sequence,
            text=summary.text,
            tables=summary.tables,
            method=summary.method,
            created_at=summary.created_at,
            now=self._clock.now(),
        )
        return bool(row["is_kept"])
