"""Everything an engine keeps, in one hand."""

from dataclasses import dataclass

from recollect.ports.api_keys import ApiKeyStore
from recollect.ports.audit import AuditLog
from recollect.ports.compaction import SummaryStore
from recollect.ports.expiry import ExpiredSessions
from recollect.ports.history import HistoryStore
from recollect.ports.jobs import JobQueue
from recollect.ports.messages import MessageStore
from recollect.ports.sessions import SessionStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of one engine, working on the same data."""

    sessions: SessionStore
    messages: MessageStore
    history: HistoryStore
    summaries: SummaryStore
    jobs: JobQueue
    expired: ExpiredSessions
    api_keys: ApiKeyStore
    audit: AuditLog
