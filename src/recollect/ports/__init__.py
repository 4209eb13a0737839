"""What the core needs from outside, as protocols."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recollect.ports.accounts import ApiKeyStore, EndedVisits, StateStore
from recollect.ports.conversations import (
    BranchStore,
    HistoryStore,
    MessageStore,
    SessionStore,
    TurnStore,
)
from recollect.ports.facts import FactStore
from recollect.ports.jobs import ExpiredSessions, IndexingStore, JobQueue, SummaryStore, TurnQueue
from recollect.ports.privacy.archive import ArchiveNotes, ExpiredRecords
from recollect.ports.privacy.audit import AuditChains, AuditLog
from recollect.ports.privacy.encryption import EncryptionStore
from recollect.ports.privacy.erasure import ErasureStores
from recollect.ports.privacy.transfer import ExportStore, ImportStore, OwnerDirectory
from recollect.ports.profiles import ProfileStore
from recollect.ports.recall import OutsideEntries, RecallIndex
from recollect.ports.statistics import ActivityStore, StatisticsStore
from recollect.ports.tenants import TenantSettingsStore


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
    profiles: ProfileStore
    jobs: JobQueue
    expired: ExpiredSessions
    expired_records: ExpiredRecords
    archive_notes: ArchiveNotes
    api_keys: ApiKeyStore
    ended_visits: EndedVisits
    tenant_settings: TenantSettingsStore
    audit: AuditLog
    audit_chains: AuditChains
    facts: FactStore
    owners: OwnerDirectory
    exports: ExportStore
    imports: ImportStore
    erasure: ErasureStores
    recall: RecallIndex | None = None
    """None for an engine without an index; recall then finds nothing, with a warning."""
    indexing: IndexingStore | None = None
    """None for an engine whose messages are not indexed."""
    learning: TurnQueue | None = None
    """The indexed turns that wait to be learnt from; None for an engine that hands on none."""
    outside: OutsideEntries | None = None
    """None where the engine's own index holds the vectors."""
    activity: ActivityStore | None = None
    """None for an engine that does not count by day; the dashboard then shows no charts of it."""
    statistics: StatisticsStore | None = None
    """None for an engine that does not tell how much it has."""
    encryption: EncryptionStore | None = None
    """None where content is not encrypted."""
    check_keys: Callable[[], Awaitable[None]] | None = None
    """Raises `ConfigurationError` if content is encrypted by a master key that is not set, or by
    any where none is set; None for an engine that encrypts nothing."""
    is_answering: Callable[[], Awaitable[bool]] | None = None
    """Raises `DatabaseUnavailable` within a second of a database that hangs; None for an engine
    that cannot."""
