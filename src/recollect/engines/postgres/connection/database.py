"""ConnectionPool that work for one owner at a time."""

from collections.abc import Collection, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Final, Self
from uuid import UUID

import asyncpg

from recollect.engines.postgres.connection.error_mapping import translated
from recollect.engines.postgres.connection.pool import ConnectionPool
from recollect.engines.postgres.connection.probe import Probe
from recollect.engines.postgres.connection.transaction import Transaction
from recollect.engines.postgres.sql import statement

_SETTINGS: Final = {
    "application_name": "recollect",
    "lock_timeout": "15s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "60s",
    "jit": "off",  # our statements run for microseconds, compiling them would take milliseconds
    # Every statement goes through an owner's index: neither where an owner has many rows nor
    # where the planner does not know yet how many is it better to read everybody's.
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "plan_cache_mode": "force_generic_plan",  # planning a search takes as long as the search
}
_FIRST_OTHER_TYPE: Final = 10_000  # below are PostgreSQL's own types, the same everywhere
_NOTHING_ASKED: Final = SimpleNamespace(name="a statement that the driver need not prepare again")
_known_types: Final[dict[frozenset[int], Sequence[asyncpg.Record]]] = {}
_CONNECT_SECONDS: Final = 30
_COMMAND_SECONDS: Final = 75
"""PostgreSQL ends a statement after 60 seconds; who has heard nothing by then never will."""


class Connection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no type hints
    """A connection that needs no cleaning between two uses.

    Everything we set is bound to a transaction, so the driver's reset query would only cost a
    round trip: 0.06 ms of a 0.17 ms read. An open transaction is rolled back all the same.
    """

    __slots__ = ()

    def get_reset_query(self) -> str:
        """Nothing to reset."""
        return ""

    async def _introspect_types(
        self,
        oids: Collection[int],
        timeout: float | None,  # noqa: ASYNC109  # the driver's
    ) -> tuple[Sequence[asyncpg.Record], object]:
        """What the types of a statement are: of PostgreSQL's own, asked once in each process.

        The driver would ask on every new connection, about 10 ms for each kind of array.
        """
        wanted = frozenset(oids)
        if wanted in _known_types:
            return _known_types[wanted], _NOTHING_ASKED
        types, statement = await super()._introspect_types(oids, timeout)
        if max(wanted) < _FIRST_OTHER_TYPE:
            _known_types[wanted] = types
        return types, statement


class Database:
    """A pool of connections, working as the application's role, bound by row-level security."""

    def __init__(self, pool: asyncpg.Pool, probe: Probe) -> None:
        self._connections = ConnectionPool(pool)
        self._probe = probe

    @classmethod
    async def open(cls, dsn: str, *, max_connections: int) -> Self:
        """Connect, or say why that is not possible."""
        with translated():
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=max_connections,
                connection_class=Connection,
                server_settings=_SETTINGS,
                timeout=_CONNECT_SECONDS,
                command_timeout=_COMMAND_SECONDS,
            )
        return cls(pool, Probe(dsn))

    async def close(self) -> None:
        """Let running work finish, then close every connection."""
        self._probe.close()
        await self._connections.close()

    def owned_by(self, owner_id: UUID) -> Transaction:
        """A transaction that sees and changes the rows of one owner, and commits at the end."""
        return Transaction(self._connections, f"SET LOCAL recollect.owner_id = '{owner_id!s}'")

    def working(self, *, now: datetime) -> Transaction:
        """A transaction of a worker, who serves all owners: it sees jobs and what has expired."""
        time = now.isoformat()
        settings = f"SET LOCAL recollect.worker = 'on'; SET LOCAL recollect.now = '{time}'"
        return Transaction(self._connections, settings)

    async def read(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement that reads the rows of one owner and sets that owner itself.

        Half the time of a transaction around a plain statement; for the reads of every request.
        See docs/decisions/0004-owner-per-transaction.md.
        """
        with translated():
            return await self._connections.fetch(*statement(name, **parameters))

    async def write(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement that changes rows of one owner, sets that owner itself, and commits."""
        with translated():
            return await self._connections.fetch(*statement(name, **parameters))

    async def work(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement of a worker, who serves all owners, and which says so itself."""
        with translated():
            return await self._connections.fetch(*statement(name, **parameters))

    async def is_answering(self) -> bool:
        """Whether the database answers now, told within a second."""
        with translated():
            await self._probe.ask()
        return True

    def was_full_lately(self) -> bool:
        """Whether PostgreSQL refused to store something within the last minute: no disk space."""
        return self._connections.were_refused_space
