"""Everything an engine promises, in one class."""

from recollect.testing.contracts.api_keys import ApiKeyStoreContract
from recollect.testing.contracts.audit import AuditLogContract
from recollect.testing.contracts.history import HistoryStoreContract
from recollect.testing.contracts.isolation import IsolationContract
from recollect.testing.contracts.message_appending import MessageAppendingContract
from recollect.testing.contracts.message_deleting import MessageDeletingContract
from recollect.testing.contracts.message_reading import MessageReadingContract
from recollect.testing.contracts.message_retrying import MessageRetryingContract
from recollect.testing.contracts.sessions import SessionStoreContract
from recollect.testing.contracts.turns import TurnContract


class EngineContract:
    """All contracts together: subclass it, with a fixture `stores`, to prove an engine."""

    class TestSessions(SessionStoreContract):
        """Starting, finding, changing and deleting."""

    class TestMessageAppending(MessageAppendingContract):
        """Order, numbers and names."""

    class TestMessageRetrying(MessageRetryingContract):
        """The same again stores nothing twice."""

    class TestMessageReading(MessageReadingContract):
        """The last ones, and pages."""

    class TestMessageDeleting(MessageDeletingContract):
        """Counters stay true."""

    class TestTurns(TurnContract):
        """Questions and their replies."""

    class TestHistory(HistoryStoreContract):
        """Across sessions."""

    class TestApiKeys(ApiKeyStoreContract):
        """Kept, found, revoked."""

    class TestAuditLog(AuditLogContract):
        """What was done is told."""

    class TestIsolation(IsolationContract):
        """Nobody else's is reached."""
