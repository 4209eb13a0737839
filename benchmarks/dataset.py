"""Databases with a known number of stored messages, to measure on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final, Self
from uuid import UUID, uuid5

import asyncpg
import orjson

from recollect.domain.identity.scope import Scope

QUESTION: Final = "Show me the total sales by region and by quarter for the year "
ANSWER: Final = "North 2.5M, South 1.8M, East 0.9M and West 3.1M, after returns. " * 4
DETAILS: Final = {
    "sql_query": "SELECT region, quarter, SUM(amount) FROM sales GROUP BY region, quarter",
    "tables_used": ["sales"],
    "model": "stub",
}
LONG_SESSION: Final = 10_000
"""Messages in the one long session that a large database has."""

_LOADED_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SESSIONS: Final = UUID("3d0d5b0e-8d7b-4b0f-a3a5-5f1f0b6b7a55")
_TENANT: Final = "benchmark"
_SESSIONS_PER_OWNER: Final = 4
_SHORTEST, _LONGEST = 20, 200
_LARGE: Final = 10 * LONG_SESSION


class NotOurData(Exception):
    """A folder holds messages that this program has not loaded."""


@cache
def sql(name: str) -> str:
    """The text of a statement in `sql/`, read once."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A loaded session and whose it is."""

    scope: Scope
    session_id: UUID
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """So many messages in sessions of 20 to 200, most of them short; the same on every run."""

    size: int
    sessions: tuple[StoredSession, ...]
    long_session: StoredSession | None

    @classmethod
    def of(cls, size: int) -> Self:
        """Plan the sessions of a database; a large one has a long session too."""
        has_long = size >= _LARGE
        lengths = _lengths(size - LONG_SESSION if has_long else size)
        long_session = _session(len(lengths), LONG_SESSION) if has_long else None
        sessions = tuple(_session(number, length) for number, length in enumerate(lengths))
        return cls(size=size, sessions=sessions, long_session=long_session)

    @property
    def all_sessions(self) -> Sequence[StoredSession]:
        """Every session, the long one last."""
        return (*self.sessions, self.long_session) if self.long_session else self.sessions

    async def ensure_loaded(self, connection: asyncpg.Connection) -> None:
        """Load an empty database; take one that an earlier run has loaded as it is."""
        await self.undo_writes(connection)
        count = await connection.fetchval("SELECT count(*) FROM recollect.messages")
        if count == 0:
            await self._load(connection)
        elif count != self.size:
            raise NotOurData(f"the database holds {count:,} messages instead of {self.size:,}")

    async def undo_writes(self, connection: asyncpg.Connection) -> None:
        """Delete what measurements wrote, so that the size stays what it says."""
        async with connection.transaction():
            await connection.execute(sql("drop_written_turns"), _LOADED_AT)
            await connection.execute(sql("reset_written_sessions"), _LOADED_AT)

    async def _load(self, connection: asyncpg.Connection) -> None:
        """Fill the tables as the administrator, references unchecked: they hold by making."""
        async with connection.transaction():
            await connection.execute("SET LOCAL session_replication_role = replica")
            await self._copy_owners(connection)
            await self._copy_sessions(connection)
            await connection.execute(sql("load_turns"))
            details = orjson.dumps(DETAILS).decode()
            await connection.execute(sql("load_messages"), QUESTION, ANSWER, details)
        await connection.execute("VACUUM (ANALYZE)")
        await connection.execute("CHECKPOINT")

    async def _copy_owners(self, connection: asyncpg.Connection) -> None:
        scopes = {session.scope.owner_id: session.scope for session in self.all_sessions}
        await connection.copy_records_to_table(
            "owners",
            schema_name="recollect",
            columns=("owner_id", "tenant_id", "user_id", "created_at"),
            records=[(id_, scope.tenant, scope.user, _LOADED_AT) for id_, scope in scopes.items()],
        )

    async def _copy_sessions(self, connection: asyncpg.Connection) -> None:
        columns = ("owner_id", "session_id", "name", "metadata", "databases", "tags")
        times = ("created_at", "updated_at", "last_accessed_at")
        counters = ("message_count", "last_sequence", "turn_count", "last_turn", "current_turn")
        await connection.copy_records_to_table(
            "sessions",
            schema_name="recollect",
            columns=(*columns, *times, *counters),
            records=[_session_row(session) for session in self.all_sessions],
        )


def _lengths(size: int) -> list[int]:
    """Even lengths that add up to the size; the last session takes what is left over."""
    lengths: list[int] = []
    left = size
    while left >= 2 * _SHORTEST:
        spread = (len(lengths) * 0.6180339887) % 1  # evenly spread, and no chance in it
        wanted = _SHORTEST + round((_LONGEST - _SHORTEST) * spread**8 / 2) * 2
        lengths.append(min(wanted, left - _SHORTEST))
        left -= lengths[-1]
    return [*lengths, left]


def _session(number: int, length: int) -> StoredSession:
    scope = Scope(tenant=_TENANT, user=f"user-{number // _SESSIONS_PER_OWNER}")
    return StoredSession(
        scope=scope, session_id=uuid5(_SESSIONS, f"session-{number}"), length=length
    )


def _session_row(session: StoredSession) -> tuple[object, ...]:
    turns = session.length // 2
    texts: tuple[object, ...] = ("A loaded session", "{}", [], [])
    counters = (session.length, session.length, turns, turns, turns)
    return (session.scope.owner_id, session.session_id, *texts, *[_LOADED_AT] * 3, *counters)
