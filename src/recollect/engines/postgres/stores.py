"""The PostgreSQL engine's stores."""

from recollect.engines.postgres.api_keys import PostgresApiKeyStore
from recollect.engines.postgres.audit import PostgresAuditLog
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.history import PostgresHistoryStore
from recollect.engines.postgres.messages import PostgresMessageStore
from recollect.engines.postgres.sessions import PostgresSessionStore
from recollect.ports.stores import Stores


def postgres_stores(database: Database) -> Stores:
    """All stores, working through one pool of connections."""
    return Stores(
        sessions=PostgresSessionStore(database),
        messages=PostgresMessageStore(database),
        history=PostgresHistoryStore(database),
        api_keys=PostgresApiKeyStore(database),
        audit=PostgresAuditLog(database),
    )
