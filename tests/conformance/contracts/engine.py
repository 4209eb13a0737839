"""Everything an engine promises, in one class."""

from conformance.contracts.activity import ActivityStoreContract
from conformance.contracts.api_keys import ApiKeyStoreContract
from conformance.contracts.archive import ExpiredRecordsContract
from conformance.contracts.archive_notes import ArchiveNotesContract
from conformance.contracts.audit import AuditLogContract
from conformance.contracts.audit_chains import AuditChainContract
from conformance.contracts.branches import BranchStoreContract
from conformance.contracts.compaction import SummaryStoreContract
from conformance.contracts.ended_visits import EndedVisitsContract
from conformance.contracts.erasure import ErasureContract
from conformance.contracts.expiry import ExpiredSessionsContract
from conformance.contracts.facts import FactStoreContract
from conformance.contracts.facts_embedding import FactEmbeddingContract
from conformance.contracts.facts_reading import FactReadingContract
from conformance.contracts.history import HistoryStoreContract
from conformance.contracts.isolation import IsolationContract
from conformance.contracts.jobs import JobQueueContract
from conformance.contracts.message_appending import MessageAppendingContract
from conformance.contracts.message_deleting import MessageDeletingContract
from conformance.contracts.message_importing import MessageImportingContract
from conformance.contracts.message_reading import MessageReadingContract
from conformance.contracts.message_retrying import MessageRetryingContract
from conformance.contracts.profiles import ProfileStoreContract
from conformance.contracts.queueing import QueueingContract
from conformance.contracts.retention import RetentionContract
from conformance.contracts.session_naming import SessionNamingContract
from conformance.contracts.sessions import SessionStoreContract
from conformance.contracts.states import StateStoreContract
from conformance.contracts.tenants import TenantSettingsStoreContract
from conformance.contracts.transfer import TransferContract
from conformance.contracts.transfer_merging import TransferMergingContract
from conformance.contracts.turns import TurnContract
from conformance.contracts.whole_turns import TurnStoreContract
from conformance.contracts.windows import WindowContract


class EngineContract:
    """All contracts together: subclass it, with a fixture `stores`, to prove an engine."""

    class TestSessions(SessionStoreContract):
        """Starting, finding, changing and deleting."""

    class TestSessionNaming(SessionNamingContract):
        """A name made from a question goes with it."""

    class TestMessageAppending(MessageAppendingContract):
        """Order, numbers and names."""

    class TestMessageImporting(MessageImportingContract):
        """Own times, new sessions, many at once."""

    class TestMessageRetrying(MessageRetryingContract):
        """The same again stores nothing twice."""

    class TestMessageReading(MessageReadingContract):
        """The last ones, and pages."""

    class TestMessageDeleting(MessageDeletingContract):
        """Counters stay true."""

    class TestTurns(TurnContract):
        """Questions and their replies."""

    class TestBranches(BranchStoreContract):
        """One is active, none is lost."""

    class TestWholeTurns(TurnStoreContract):
        """A turn with everything said in it."""

    class TestEndedVisits(EndedVisitsContract):
        """Signing out of the dashboard."""

    class TestStates(StateStoreContract):
        """The mode a user is in."""

    class TestProfiles(ProfileStoreContract):
        """What programs store about a user."""

    class TestActivity(ActivityStoreContract):
        """How much, by day."""

    class TestHistory(HistoryStoreContract):
        """Across sessions."""

    class TestWindows(WindowContract):
        """What a context is made of."""

    class TestSummaries(SummaryStoreContract):
        """One for each session, and no word lost."""

    class TestQueueing(QueueingContract):
        """Compaction is queued when it is due."""

    class TestJobs(JobQueueContract):
        """One worker at a time."""

    class TestRetention(RetentionContract):
        """What has expired is gone at once."""

    class TestExpiredSessions(ExpiredSessionsContract):
        """Cleaned up, and told."""

    class TestExpiredRecords(ExpiredRecordsContract):
        """Read whole, deleted unchanged."""

    class TestArchiveNotes(ArchiveNotesContract):
        """No erasure is done without the archive."""

    class TestApiKeys(ApiKeyStoreContract):
        """Kept, found, revoked."""

    class TestTenantSettings(TenantSettingsStoreContract):
        """Each tenant's apart, and every change told."""

    class TestAuditLog(AuditLogContract):
        """What was done is told."""

    class TestAuditChains(AuditChainContract):
        """What is missing or altered shows."""

    class TestFacts(FactStoreContract):
        """Learnt once, changed as one."""

    class TestFactReading(FactReadingContract):
        """Lists, numbers and deletions."""

    class TestFactEmbedding(FactEmbeddingContract):
        """Found by meaning, embedded by workers."""

    class TestTransfer(TransferContract):
        """Everything out, and in again."""

    class TestTransferMerging(TransferMergingContract):
        """What is there stays."""

    class TestErasure(ErasureContract):
        """All gone, and proven."""

    class TestIsolation(IsolationContract):
        """Nobody else's is reached."""
