"""Summaries in PostgreSQL."""

from uuid import UUID

from recollect.domain.context.compaction import Summary, Uncompacted
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.queries import query
from recollect.engines.postgres.rows import read_messages, summary_from
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
                query("get_summary"), scope.owner_id, session_id, self._clock.now()
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
                query("get_session"), scope.owner_id, session_id, now
            )
            if session is None:
                return None
            summary = await connection.fetchrow(
                query("get_summary"), scope.owner_id, session_id, now
            )
            rows = await connection.fetch(
                query("messages_after"),
                scope.owner_id,
                session_id,
                session["summarized_through"],
                limit,
            )
            last = await connection.fetchval(query("last_sequence"), scope.owner_id, session_id)
            turns = sorted({row["turn_number"] for row in rows} - {None})
            unanswered = await connection.fetch(
                query("unanswered_turns"), scope.owner_id, session_id, turns
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
            scope.owner_id,
            session_id,
            replaces,
            added,
            summary.first_sequence,
            summary.last_sequence,
            summary.text,
            summary.tables,
            summary.method,
            summary.created_at,
            self._clock.now(),
        )
        return bool(row["is_kept"])
