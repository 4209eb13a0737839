"""The PostgreSQL engine's stores."""

from recollect.engines.postgres.api_keys import PostgresApiKeyStore
from recollect.engines.postgres.audit import PostgresAuditLog
from recollect.engines.postgres.branches import PostgresBranchStore
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.expiry import PostgresExpiredSessions
from recollect.engines.postgres.history import PostgresHistoryStore
from recollect.engines.postgres.indexing import PostgresIndexingStore
from recollect.engines.postgres.jobs import PostgresJobQueue
from recollect.engines.postgres.messages import PostgresMessageStore
from recollect.engines.postgres.outside_entries import PostgresOutsideEntries
from recollect.engines.postgres.recall import PostgresRecallIndex
from recollect.engines.postgres.sessions import PostgresSessionStore
from recollect.engines.postgres.states import PostgresStateStore
from recollect.engines.postgres.summaries import PostgresSummaryStore
from recollect.engines.postgres.turns import PostgresTurnStore
from recollect.ports.clock import Clock
from recollect.ports.stores import Stores


def postgres_stores(database: Database, clock: Clock, *, kept_in: str | None = None) -> Stores:
    """All stores, working through one pool of connections.

    With `kept_in`, the vectors of entries are in another store of that name.
    """
    outside = None if kept_in is None else PostgresOutsideEntries(database, clock, kept_in=kept_in)
    return Stores(
        sessions=PostgresSessionStore(database, clock),
        messages=PostgresMessageStore(database, clock),
        branches=PostgresBranchStore(database, clock),
        turns=PostgresTurnStore(database, clock),
        history=PostgresHistoryStore(database, clock),
        summaries=PostgresSummaryStore(database, clock),
        states=PostgresStateStore(database),
        jobs=PostgresJobQueue(database),
        expired=PostgresExpiredSessions(database),
        api_keys=PostgresApiKeyStore(database),
        audit=PostgresAuditLog(database),
        recall=PostgresRecallIndex(database, clock, kept_in=kept_in),
        indexing=PostgresIndexingStore(database, clock),
        outside=outside,
        is_answering=database.is_answering,
    )
