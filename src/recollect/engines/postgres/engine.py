"""The whole engine: a server, its schema brought up to date, connections to it and its stores."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Final

from recollect.engines.owner_keys import OwnerKeys
from recollect.engines.postgres.accounts import (
    PostgresApiKeyStore,
    PostgresEndedVisits,
    PostgresStateStore,
)
from recollect.engines.postgres.activity import PostgresActivityStore
from recollect.engines.postgres.archive import PostgresArchiveNotes, PostgresExpiredRecords
from recollect.engines.postgres.audit import PostgresAuditLog
from recollect.engines.postgres.connection.addresses import APP_ROLE, as_application, normalise
from recollect.engines.postgres.connection.database import STATEMENT_CACHE, Database
from recollect.engines.postgres.conversations.branches import PostgresBranchStore, PostgresTurnStore
from recollect.engines.postgres.conversations.messages import (
    PostgresHistoryStore,
    PostgresMessageStore,
)
from recollect.engines.postgres.conversations.sessions import (
    PostgresExpiredSessions,
    PostgresSessionStore,
)
from recollect.engines.postgres.embedded import running_server
from recollect.engines.postgres.encryption import PostgresEncryptionStore, PostgresKeyCheck
from recollect.engines.postgres.erasure import postgres_erasure_stores
from recollect.engines.postgres.facts.store import PostgresFactStore
from recollect.engines.postgres.jobs import (
    PostgresIndexingStore,
    PostgresJobQueue,
    PostgresLearningQueue,
    PostgresSummaryStore,
)
from recollect.engines.postgres.migrations import connected, ensure_current
from recollect.engines.postgres.profiles import PostgresProfileStore
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.engines.postgres.recall.outside_entries import PostgresOutsideEntries
from recollect.engines.postgres.statistics import PostgresStatistics
from recollect.engines.postgres.tenants import PostgresTenantSettings
from recollect.engines.postgres.transfer import (
    PostgresExportStore,
    PostgresImportStore,
    PostgresOwners,
)
from recollect.ports import Stores
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Telemetry

_CAN_LOG_IN: Final = "SELECT rolcanlogin FROM pg_roles WHERE rolname = $1"


@asynccontextmanager
async def open_embedded(
    home: Path,
    *,
    max_connections: int,
    keys: OwnerKeys | None = None,
    telemetry: Telemetry = UNMEASURED,
) -> AsyncIterator[Database]:
    """Work on the embedded server of a folder, starting it if need be."""
    async with running_server(home) as dsn:
        await ensure_current(dsn)
        await _let_application_log_in(dsn)
        application = as_application(dsn, logs_in=True)
        database = await Database.open(
            application, max_connections=max_connections, keys=keys, telemetry=telemetry
        )
        async with aclosing(database):
            yield database


@asynccontextmanager
async def open_external(
    dsn: str,
    *,
    max_connections: int,
    statement_cache: int = STATEMENT_CACHE,
    telemetry: Telemetry = UNMEASURED,
    keys: OwnerKeys | None = None,
) -> AsyncIterator[Database]:
    """Work on a server of the user's own."""
    dsn = normalise(dsn)
    await ensure_current(dsn)
    database = await Database.open(
        as_application(dsn),
        max_connections=max_connections,
        statement_cache=statement_cache,
        telemetry=telemetry,
        keys=keys,
    )
    async with aclosing(database):
        yield database


async def _let_application_log_in(dsn: str) -> None:
    """Let the role log in by itself: only this machine's user can reach the socket."""
    async with connected(dsn) as connection, connection.transaction():
        # Two processes that change a role at once: PostgreSQL fails one of them.
        await connection.execute("LOCK TABLE recollect.schema_revision IN EXCLUSIVE MODE")
        if not await connection.fetchval(_CAN_LOG_IN, APP_ROLE):
            await connection.execute(f"ALTER ROLE {APP_ROLE} LOGIN")


def postgres_stores(database: Database, clock: Clock, *, kept_in: str | None = None) -> Stores:
    """All stores, working through one pool of connections.

    With `kept_in`, the vectors of entries are in another store of that name.
    """
    outside = None if kept_in is None else PostgresOutsideEntries(database, clock, kept_in=kept_in)
    audit = PostgresAuditLog(database, clock)
    return Stores(
        sessions=PostgresSessionStore(database, clock),
        messages=PostgresMessageStore(database, clock),
        branches=PostgresBranchStore(database, clock),
        turns=PostgresTurnStore(database, clock),
        history=PostgresHistoryStore(database, clock),
        summaries=PostgresSummaryStore(database, clock),
        states=PostgresStateStore(database, clock),
        profiles=PostgresProfileStore(database, clock),
        jobs=PostgresJobQueue(database, clock),
        expired=PostgresExpiredSessions(database, clock),
        expired_records=PostgresExpiredRecords(database, clock),
        archive_notes=PostgresArchiveNotes(database, clock),
        api_keys=PostgresApiKeyStore(database, clock),
        ended_visits=PostgresEndedVisits(database, clock),
        tenant_settings=PostgresTenantSettings(database, clock),
        audit=audit,
        audit_chains=audit,
        facts=PostgresFactStore(database, clock),
        owners=PostgresOwners(database, clock),
        exports=PostgresExportStore(database, clock),
        imports=PostgresImportStore(database, clock),
        erasure=postgres_erasure_stores(database, clock, kept_in=kept_in),
        recall=CachedRecallIndex(database, clock, kept_in=kept_in),
        indexing=PostgresIndexingStore(database, clock),
        learning=PostgresLearningQueue(database, clock),
        outside=outside,
        activity=PostgresActivityStore(database, clock),
        statistics=PostgresStatistics(database, clock),
        encryption=PostgresEncryptionStore(database, clock) if database.keys.is_on else None,
        check_keys=PostgresKeyCheck(database, clock).check,
        is_answering=database.is_answering,
    )
