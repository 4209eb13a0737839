"""The PostgreSQL engine's stores."""

from recollect.engines.postgres.accounts import (
    PostgresApiKeyStore,
    PostgresAuditLog,
    PostgresStateStore,
)
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.conversations.branches import PostgresBranchStore, PostgresTurnStore
from recollect.engines.postgres.conversations.history import PostgresHistoryStore
from recollect.engines.postgres.conversations.messages import PostgresMessageStore
from recollect.engines.postgres.conversations.sessions import PostgresSessionStore
from recollect.engines.postgres.recall.entry_cache import CachedRecallIndex
from recollect.engines.postgres.recall.index import PostgresRecallIndex
from recollect.engines.postgres.recall.outside_entries import PostgresOutsideEntries
from recollect.engines.postgres.work.indexing import PostgresIndexingStore
from recollect.engines.postgres.work.jobs import PostgresExpiredSessions, PostgresJobQueue
from recollect.engines.postgres.work.summaries import PostgresSummaryStore
from recollect.ports.runtime import Clock
from recollect.ports.stores import Stores


def postgres_stores(database: Database, clock: Clock, *, kept_in: str | None = None) -> Stores:
    """All stores, working through one pool of connections.

    With `kept_in`, the vectors of entries are in another store of that name.
    """
    index = PostgresRecallIndex(database, clock, kept_in=kept_in)
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
        recall=CachedRecallIndex(index, database, clock),
        indexing=PostgresIndexingStore(database, clock),
        outside=outside,
        is_answering=database.is_answering,
    )
