"""The PostgreSQL engine's stores."""

from recollect.engines.postgres.api_keys import PostgresApiKeyStore
from recollect.engines.postgres.audit import PostgresAuditLog
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.expiry import PostgresExpiredSessions
from recollect.engines.postgres.history import PostgresHistoryStore
from recollect.engines.postgres.jobs import PostgresJobQueue
from recollect.engines.postgres.messages import PostgresMessageStore
from recollect.engines.postgres.sessions import PostgresSessionStore
from recollect.engines.postgres.summaries import PostgresSummaryStore
from recollect.ports.clock import Clock
from recollect.ports.stores import Stores


def postgres_stores(database: Database, clock: Clock) -> Stores:
    """All stores, working through one pool of connections."""
    return Stores(
        sessions=PostgresSessionStore(database, clock),
        messages=PostgresMessageStore(database, clock),
        history=PostgresHistoryStore(database, clock),
        summaries=PostgresSummaryStore(database, clock),
        jobs=PostgresJobQueue(database),
        expired=PostgresExpiredSessions(database),
        api_keys=PostgresApiKeyStore(database),
        audit=PostgresAuditLog(database),
    )
