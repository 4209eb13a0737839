"""Everything an engine keeps, in one hand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recollect.ports.api_keys import ApiKeyStore
from recollect.ports.audit import AuditLog
from recollect.ports.branches import BranchStore
from recollect.ports.compaction import SummaryStore
from recollect.ports.expiry import ExpiredSessions
from recollect.ports.history import HistoryStore
from recollect.ports.indexing import IndexingStore
from recollect.ports.jobs import JobQueue
from recollect.ports.messages import MessageStore
from recollect.ports.outside_entries import OutsideEntries
from recollect.ports.recall_index import RecallIndex
from recollect.ports.sessions import SessionStore
from recollect.ports.states import StateStore
from recollect.ports.turns import TurnStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of one engine, working on the same data."""

    sessions: SessionStore
    messages: MessageStore
    branches: BranchStore
    turns: TurnStore
    history: HistoryStore
    summaries: SummaryStore
    states: StateStore
    jobs: JobQueue
    expired: ExpiredSessions
    api_keys: ApiKeyStore
    audit: AuditLog
    recall: RecallIndex | None = None
    """None for an engine that keeps no index; recall then finds nothing, and says so."""
    indexing: IndexingStore | None = None
    """None for an engine whose messages are not indexed."""
    outside: OutsideEntries | None = None
    """None where the engine's index keeps its vectors itself."""
    is_answering: Callable[[], Awaitable[bool]] | None = None
    """Raises `DatabaseUnavailable` within a second of a database that hangs; None for an engine
    that cannot."""
