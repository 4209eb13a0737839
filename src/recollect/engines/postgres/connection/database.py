"""A pool of connections that work for one owner at a time."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, Final, Self
from uuid import UUID

import asyncpg

from recollect.domain.identity.scope import Scope
from recollect.engines.owner_keys import DataKey, OwnerKeys, check_keys
from recollect.engines.postgres.connection.addresses import APP_ROLE, SEARCH_PATH
from recollect.engines.postgres.connection.content import (
    CONTENT_PARAMETERS,
    content_columns,
    is_stored_encrypted,
    marked_values,
    plain_rows,
    stored_parameters,
)
from recollect.engines.postgres.connection.error_mapping import translated
from recollect.engines.postgres.connection.owner_keys import Fetch, KeyRows, wrapped_key
from recollect.engines.postgres.connection.pool import ConnectionPool
from recollect.engines.postgres.connection.probe import Probe
from recollect.engines.postgres.sql import statement
from recollect.errors import ConfigurationError, ContentUnreadable, ErasureUnderWay
from recollect.ports.privacy.encryption import OwnerCipher
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Span, SpanKind, Telemetry

STATEMENT_CACHE: Final = 100
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
_CONNECT_SECONDS: Final = 30
_COMMAND_SECONDS: Final = 75  # PostgreSQL itself ends a statement after 60
_NO_MASTER_KEY: Final = "MEMORY_ENCRYPTION_KEY is not set"
_AS_WORKER: Final = "SELECT set_config('recollect.worker', 'on', true)"


async def _plain(
    rows: list[asyncpg.Record],
    owner_id: object,
    keys: OwnerKeys,
    fetch: Fetch,
    *,
    new_key: DataKey | None = None,
) -> list[asyncpg.Record]:
    """Rows with plain text; what cannot be decrypted is never returned as if it were text.

    A key that the transaction itself has created is given: looked for, it would be cached, and
    used for further writes even if the transaction is undone.
    """
    columns = content_columns(rows) if rows else ()
    marked = marked_values(rows, columns) if columns else []
    if not marked:
        return rows
    if not any(map(is_stored_encrypted, marked)):
        return await plain_rows(rows, columns, None)
    key = new_key
    if key is None and isinstance(owner_id, UUID):
        key = await keys.find(owner_id, KeyRows(fetch))
    if key is None:
        problem = "the key of its owner is not there" if keys.is_on else _NO_MASTER_KEY
        raise ContentUnreadable(f"it is encrypted, and {problem}")
    return await plain_rows(rows, columns, key.cipher)


class Transaction:
    """A transaction of one owner, in which statements are called by their names."""

    def __init__(
        self,
        connection: asyncpg.Connection,
        owner_id: UUID,
        keys: OwnerKeys,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        self.connection = connection
        self._owner_id = owner_id
        self._keys = keys
        self._telemetry = telemetry
        self._new_key: DataKey | None = None

    async def rows(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement for the owner and return all its rows, with plain text."""
        if name in CONTENT_PARAMETERS:
            self._keys.refuse_plain()
            cipher = await self.cipher() if self._keys.is_on else None
            parameters = {**await stored_parameters(name, parameters, cipher)}
        rows = await self.stored_rows(name, **parameters)
        fetch, new_key = self.connection.fetch, self._new_key
        return await _plain(rows, self._owner_id, self._keys, fetch, new_key=new_key)

    async def stored_rows(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement with parameters as they are stored, and return rows as they are."""
        with _span(self._telemetry, name):
            rows: list[asyncpg.Record] = await self.connection.fetch(
                *statement(name, owner_id=self._owner_id, **parameters)
            )
        return rows

    async def cipher(self) -> OwnerCipher:
        """The owner's cipher; a new key is stored together with all else."""
        if self._new_key is None:
            rows = KeyRows(self.connection.fetch)
            key, is_new = await self._keys.find_or_create(self._owner_id, rows)
            if not is_new:
                return key.cipher
            self._new_key = key
        return self._new_key.cipher

    async def discard_unused_key(self) -> None:
        """Delete the key that this transaction has created if there is no such owner.

        So a write to a session that is not there leaves nothing.
        """
        if self._new_key is not None:
            await self.stored_rows("discard_unused_key")

    async def value(self, name: str, /, **parameters: object) -> Any:  # noqa: ANN401  # a column's
        """Run a statement and return the first value of its first row; None without a row."""
        rows = await self.rows(name, **parameters)
        return rows[0][0] if rows else None

    async def refuse_erased(self, session_id: UUID) -> None:
        """Raise `ErasureUnderWay` if a session is not found because it, or its owner, is erased."""
        if await self.rows("is_being_erased", session_id=session_id):
            raise ErasureUnderWay


class Database:
    """A pool of connections, working as the application's role, bound by row-level security."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        probe: Probe,
        keys: OwnerKeys | None = None,
        *,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        self.telemetry = telemetry
        self._connections = ConnectionPool(pool)
        self._probe = probe
        self.keys = keys or OwnerKeys()

    @classmethod
    async def open(
        cls,
        dsn: str,
        *,
        max_connections: int,
        statement_cache: int = STATEMENT_CACHE,
        keys: OwnerKeys | None = None,
        telemetry: Telemetry = UNMEASURED,
    ) -> Self:
        """Connect, or say why that is not possible.

        Every connection caches that many prepared statements. With `keys`, content is encrypted;
        `ConfigurationError` if they do not decrypt what is there.
        """
        with translated():
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=max_connections,
                statement_cache_size=statement_cache,
                server_settings=_SETTINGS,
                timeout=_CONNECT_SECONDS,
                command_timeout=_COMMAND_SECONDS,
                reset=_leave_as_it_is,
            )
            try:
                await _check_role(pool)
                await _check_keys(pool, keys or OwnerKeys())
            except BaseException:
                pool.terminate()
                raise
        return cls(pool, Probe(dsn), keys, telemetry=telemetry)

    async def aclose(self) -> None:
        """Let running work finish, then close every connection."""
        self._probe.close()
        await self._connections.close()

    def owned_by(self, owner_id: UUID) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """A transaction that sees and changes the rows of one owner, and commits at the end."""
        return self._transaction(f"SET LOCAL recollect.owner_id = '{owner_id!s}'")

    @asynccontextmanager
    async def transaction(self, owner_id: UUID) -> AsyncIterator[Transaction]:
        """The same for statements that are called by their names."""
        await self.keys.look_for_keys(self._has_owner_keys)
        async with self.owned_by(owner_id) as connection:
            transaction = Transaction(connection, owner_id, self.keys, self.telemetry)
            yield transaction
            await transaction.discard_unused_key()

    def working(self, *, now: datetime) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """A transaction of a worker, who serves all owners: it sees jobs and what has expired."""
        return self._transaction(
            f"SET LOCAL recollect.worker = 'on'; SET LOCAL recollect.now = '{now.isoformat()}'"
        )

    @asynccontextmanager
    async def _transaction(self, settings: str) -> AsyncIterator[asyncpg.Connection]:
        """Begin and bind in one round trip; commit at the end, or undo everything.

        The simple protocol binds no parameters: the settings are written from a UUID or a time,
        whose texts hold only digits, letters and punctuation of their own.
        """
        with translated():
            connection = await self._connections.take()
            try:
                await connection.execute(f"BEGIN; {settings}")
                yield connection
                await connection.execute("COMMIT")
            except BaseException as error:
                await self._connections.recover(connection, error, rolls_back=True)
                raise
            await self._connections.give_back(connection)

    async def read(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement that reads the rows of one owner and sets that owner itself.

        Half the time of a transaction around a plain statement; for the reads of every request.
        See docs/decisions/0004-owner-per-transaction.md.
        """
        owner_id, fetch = parameters.get("owner_id"), self._connections.fetch
        with translated():
            with _span(self.telemetry, name):
                rows = await fetch(*statement(name, **parameters))
            return await _plain(rows, owner_id, self.keys, fetch)

    work = read  # a statement of a worker, who serves all owners, which says so itself

    async def write(self, name: str, /, **parameters: object) -> list[asyncpg.Record]:
        """Run a statement that changes rows, sets their owner itself, and commits."""
        if name not in CONTENT_PARAMETERS:
            return await self.read(name, **parameters)
        owner_id = parameters.pop("owner_id")
        assert isinstance(owner_id, UUID)  # noqa: S101  # content has an owner
        await self.keys.look_for_keys(self._has_owner_keys)
        self.keys.refuse_plain()
        key = None
        if self.keys.is_on:
            with translated():
                rows = KeyRows(self._connections.fetch)
                key = await self.keys.find_for_writing(owner_id, rows)
            if key is None:  # a new one is stored together with what it encrypts
                return await self.run(name, owner_id=owner_id, **parameters)
        stored = await stored_parameters(name, parameters, None if key is None else key.cipher)
        return await self.read(name, owner_id=owner_id, **stored)

    async def run(
        self, name: str, /, *, owner_id: UUID, **parameters: object
    ) -> list[asyncpg.Record]:
        """Run a statement in a transaction of its own, bound to the owner."""
        async with self.transaction(owner_id) as transaction:
            return await transaction.rows(name, **parameters)

    async def run_for_all(
        self, name: str, /, *, at: datetime, **parameters: object
    ) -> list[asyncpg.Record]:
        """Run a worker's statement in a transaction of its own, on rows of all owners."""
        async with self.working(now=at) as connection:
            rows: list[asyncpg.Record] = await connection.fetch(*statement(name, **parameters))
        return rows

    @asynccontextmanager
    async def work_in_transaction(self, *, now: datetime) -> AsyncIterator[Fetch]:
        """A worker's transaction, in which statements are called by their names."""
        async with self.working(now=now) as connection:

            async def run(name: str, /, **parameters: object) -> list[asyncpg.Record]:
                rows: list[asyncpg.Record] = await connection.fetch(*statement(name, **parameters))
                return rows

            yield run

    async def count(self, name: str, /, *, at: datetime, **parameters: object) -> int:
        """Run a worker's statement that counts, or changes and counts, rows of all owners."""
        ((number,),) = await self.run_for_all(name, at=at, **parameters)
        return int(number)

    def connections(self) -> dict[str, int]:
        """How many connections are busy and idle, and how many users wait for one."""
        return self._connections.use()

    async def data_key(self, owner_id: UUID, *, for_writing: bool = False) -> DataKey | None:
        """The owner's data key; None where there is none, or nothing is encrypted."""
        if not self.keys.is_on:
            return None
        rows = KeyRows(self._connections.fetch)
        with translated():
            if for_writing:
                return (await self.keys.find_or_create(owner_id, rows))[0]
            return await self.keys.find(owner_id, rows)

    async def _has_owner_keys(self) -> bool:
        return bool(await self.work("any_owner_key"))

    async def is_answering(self) -> bool:
        """Whether the database answers now, told within a second."""
        with translated():
            await self._probe.ask()
        return True

    def was_full_lately(self) -> bool:
        """Whether PostgreSQL refused to store something within the last minute: no disk space."""
        return self._connections.were_refused_space


class PostgresStore:
    """What every store works with."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def _session(self, scope: Scope, session_id: UUID) -> dict[str, Any]:
        """The parameters of statements about a session, unless it has expired by now."""
        return {"owner_id": scope.owner_id, "session_id": session_id, "now": self._clock.now()}

    async def _refuse_erased(self, scope: Scope, session_id: UUID) -> None:
        """Say so where a session is not found because it, or its owner, is being erased."""
        owner_id = scope.owner_id
        if await self._database.read("is_being_erased", owner_id=owner_id, session_id=session_id):
            raise ErasureUnderWay


def _span(telemetry: Telemetry, name: str) -> Span:
    span = telemetry.span(name, kind=SpanKind.CLIENT)
    span.set("db.system.name", "postgresql")
    span.set("db.operation.name", name)
    return span


async def _leave_as_it_is(_: asyncpg.Connection) -> None:
    """Reset nothing: everything we set is bound to a transaction, which the pool has ended."""


async def _check_role(pool: asyncpg.Pool) -> None:
    """Refuse to work as another role: a pooler may have dropped what the connection starts with."""
    role, has_tables = await pool.fetchrow(
        "SELECT current_user, to_regclass('sessions') IS NOT NULL"
    )
    if role != APP_ROLE or not has_tables:
        raise ConfigurationError(
            f"connections of MEMORY_DB_CONNECTION_STRING start as the role {role}; they must start "
            f"as {APP_ROLE} with the search_path '{SEARCH_PATH}'. Behind a pooler such as "
            "PgBouncer these are set by ALTER ROLE: see docs/how-to/use-pgbouncer.md"
        )


async def _check_keys(pool: asyncpg.Pool, keys: OwnerKeys) -> None:
    """Refuse to work where content is encrypted by a master key that is not given."""
    async with pool.acquire() as connection:
        await check_master_keys(connection, keys)


async def check_master_keys(connection: asyncpg.Connection, keys: OwnerKeys) -> None:
    """Raise a `ConfigurationError` if a data key in the database cannot be unwrapped."""
    try:
        async with connection.transaction():
            await connection.execute(_AS_WORKER)
            samples = await connection.fetch(*statement("sample_owner_keys"))
    except asyncpg.UndefinedTableError:
        raise ConfigurationError(
            "the table recollect_keys.owner_keys is missing: restore it from a backup, without its "
            "rows if the keys are to be gone; see docs/how-to/encryption.md"
        ) from None
    check_keys(keys.wrapper, [(row["owner_id"], wrapped_key(row)) for row in samples])
