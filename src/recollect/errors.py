"""The errors Recollect raises, all below one root.

RecollectError
├── InvalidInput            what the caller gave cannot be taken; nothing was changed
│   ├── InvalidId           an id that is not a UUID
│   ├── InvalidCursor       a paging cursor that this list did not give out
│   ├── QuestionTooLong     a question that leaves no room in its context
│   ├── InvalidRole         a message's role that is unknown, or not allowed by the preset
│   ├── InvalidReceipt      a receipt of an erasure that is not as it was signed
│   ├── NotConfirmed        a deletion of everything that does not say that it is meant
│   └── MissingSessionId    a question that must name its session, and does not
├── NotFound                nothing of that name belongs to this owner
│   ├── SessionNotFound
│   ├── MessageNotFound
│   ├── TurnNotFound
│   ├── ModelNotFound       no language model of that name is served
│   ├── ProfileKeyNotFound  the user's profile has no such key
│   ├── FactNotFound
│   ├── ErasureNotFound
│   ├── ArchivedSessionNotFound
│   ├── TenantNotFound      no tenant of that name that the caller administers
│   ├── ViewsNotFound       the data platform has nothing that could answer the question
│   └── ApiKeyNotFound
├── ArchivedSessionBroken   an object of the archive is not as it was stored
├── StatementRefused        a statement that a model wrote does more than read; it was not run
├── IdAlreadyUsed           the id stands for another message already
├── VersionConflict         what was to be changed has changed meanwhile; nothing was done
├── FactConflict            another fact says the same, or holds what it is about; nothing was done
├── ErasureUnderWay         what was to be stored belongs to somebody who is being erased
├── Unauthenticated         the credentials are missing or not valid
├── Forbidden               the credentials are valid but do not reach this far
├── UserHalted              the user's state is 'halted': no question is answered
├── NotOpened               the memory was used without `with`, or after its block had ended
├── ConfigurationError      the settings contradict each other or miss something
└── Unavailable             something outside does not answer now; trying again may help
    ├── AuditUnavailable        the audit log: nothing is done that it could not record
    ├── DatabaseUnavailable     the database
    │   ├── EmbeddedServerFailed    the embedded PostgreSQL could not be started
    │   └── SchemaOutdated          the database has not been migrated to this version
    ├── IdentityUnavailable     the service that checks credentials
    ├── ModelUnavailable        a language model
    │   └── ReplyUnusable           it answers, but with what cannot be passed on
    ├── PermissionsUnavailable  the source of permissions
    ├── VectorStoreUnavailable  a store of vectors outside the database
    ├── ArchiveUnavailable      the archive of expired sessions
    ├── TooManyExports          a place for another export
    ├── ContentUnreadable       the key that decrypts stored content
    └── MasterKeyMissing        the key that this server would have to encrypt content with

The tree knows no HTTP; `recollect.interfaces.http.errors` maps it to status codes.
"""

from collections.abc import Iterable
from typing import Self
from uuid import UUID


class RecollectError(Exception):
    """Anything Recollect itself reports as wrong."""

    @property
    def explanation(self) -> str:
        """The message for operators, who may read more than callers."""
        return str(self)


class InvalidInput(RecollectError):
    """A value that cannot be taken; nothing was changed."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} {problem}")
        self.field = field
        self.problem = problem

    def inside(self, place: str) -> Self:
        """The same error, of a field inside of another one."""
        self.field = f"{place}.{self.field}"
        self.args = (f"{self.field} {self.problem}",)
        return self


class InvalidId(InvalidInput):
    """An id that is not a UUID where only a UUID will do."""

    def __init__(self, field: str) -> None:
        super().__init__(field, "must be a valid UUID")


class QuestionTooLong(InvalidInput):
    """A question that leaves no room for anything else in its context."""

    def __init__(self, limit: int) -> None:
        super().__init__("question", f"takes more than the {limit:,} tokens of a context")


class InvalidCursor(InvalidInput):
    """A paging cursor that this list did not give out."""

    def __init__(self) -> None:
        super().__init__("cursor", "is not one that this list returned; start again without it")


class InvalidRole(InvalidInput):
    """A role that is none of those a message may have here."""

    def __init__(self, allowed: Iterable[str], *, by: str | None = None) -> None:
        by_whom = "" if by is None else f" (by {by})"
        super().__init__("role", f"must be one of: {', '.join(allowed)}{by_whom}")


class NotConfirmed(InvalidInput):
    """A deletion of everything that does not say that it is meant; nothing was deleted."""

    def __init__(self) -> None:
        super().__init__("confirm", "must be true: this deletes everything that is listed here")


class InvalidReceipt(InvalidInput):
    """A receipt of an erasure that is not as it was signed; the message says what is wrong."""

    def __init__(self, problem: str) -> None:
        super().__init__("receipt", problem)


class MissingSessionId(InvalidInput):
    """A question that must say which session it belongs to, and does not."""

    def __init__(self) -> None:
        super().__init__(
            "session_id", "is required: in the header X-Session-ID, or in /memoryChat's body"
        )


class NotFound(RecollectError):
    """Nothing of that name belongs to this owner, though it may belong to another."""

    kind = "thing"

    def __init__(self, identifier: object) -> None:
        super().__init__(f"no {self.kind} {identifier}")
        self.identifier = identifier


class SessionNotFound(NotFound):
    """The owner has no such session."""

    kind = "session"


class MessageNotFound(NotFound):
    """The owner has no such message."""

    kind = "message"


class TurnNotFound(NotFound):
    """The session has no such turn."""

    kind = "turn"


class ModelNotFound(NotFound):
    """No language model of that name is served."""

    kind = "model"

    def __init__(self) -> None:
        super().__init__("of that name; GET /v1/models lists those there are")


class ProfileKeyNotFound(NotFound):
    """The user's profile has no such key."""

    kind = "profile key"

    def __init__(self) -> None:
        super().__init__("of that name")


class FactNotFound(NotFound):
    """The owner has no such fact."""

    kind = "fact"


class ErasureNotFound(NotFound):
    """The owner has requested no such erasure."""

    kind = "erasure"


class ArchivedSessionNotFound(NotFound):
    """The archive has no such session."""

    kind = "archived session"


class ViewsNotFound(NotFound):
    """The data platform found no view that could answer the question."""

    kind = "views"

    def __init__(self) -> None:
        super().__init__("for this question, or none that you may see")


class TenantNotFound(NotFound):
    """The caller administers no tenant of that name."""

    kind = "tenant"

    def __init__(self) -> None:
        super().__init__("of that name that these credentials administer")


class ApiKeyNotFound(NotFound):
    """The tenant has no such API key."""

    kind = "API key"


class ArchivedSessionBroken(RecollectError):
    """An object of the archive is not as it was stored; nothing of it was restored."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} is broken: {problem}")
        self.name = name
        self.problem = problem


class StatementRefused(RecollectError):
    """A statement that does more than read what may be read; nothing of it was run."""


class IdAlreadyUsed(RecollectError):
    """A message id or idempotency key that stands for another message already."""

    def __init__(self, message_id: UUID) -> None:
        super().__init__(
            f"message id {message_id} was used for a different message; "
            "a retry must repeat the same request, a new message needs a new id or key"
        )
        self.message_id = message_id


class VersionConflict(RecollectError):
    """What was to be changed has another version than the caller has read; nothing was done."""

    def __init__(self, *, expected: int, current: int | None) -> None:
        there = "there is none" if current is None else f"it is at version {current}"
        wanted = "a new one was expected" if expected == 0 else f"version {expected} was expected"
        super().__init__(f"{there}, {wanted}; read it again before you change it")
        self.expected = expected
        self.current = current


class FactConflict(RecollectError):
    """Another active fact says the same, or is about what has one value; nothing was done."""

    def __init__(self, fact_id: UUID, *, slot: str | None = None) -> None:
        problem = "says the same" if slot is None else f"is the user's one {slot}"
        super().__init__(f"the active fact {fact_id} {problem}; change or forget that one")
        self.fact_id = fact_id
        self.slot = slot


class ErasureUnderWay(RecollectError):
    """The owner or the session is being erased; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(
            "this memory is being erased: nothing is stored until that is done; try again then"
        )


class Unauthenticated(RecollectError):
    """The credentials are missing or not valid."""


class Forbidden(RecollectError):
    """The credentials are valid but do not reach this far."""


class UserHalted(RecollectError):
    """The user's state is 'halted'; no model was called and nothing was stored."""

    def __init__(self) -> None:
        super().__init__("the user is halted: no question is answered until the state is changed")


class NotOpened(RecollectError, AttributeError):
    """The memory was used outside of the `with` block that opens it; the message shows how."""


class ConfigurationError(RecollectError):
    """The settings contradict each other or miss something; the message says what to set."""


class Unavailable(RecollectError):
    """Something outside does not answer now; trying again may help."""


class AuditUnavailable(Unavailable):
    """What is done cannot be recorded now, and must not be done without."""

    def __init__(self) -> None:
        super().__init__("the audit log cannot be written now, and nothing is done without it")


class DatabaseUnavailable(Unavailable):
    """The database does not answer now; nothing was acknowledged.

    The message is for everybody. `reason` is the message of the database or its driver, which may
    name hosts and files: for the log and for operators.
    """

    def __init__(self, problem: str, *, reason: str = "") -> None:
        super().__init__(problem)
        self.reason = reason

    @property
    def explanation(self) -> str:
        """The message with the reason."""
        return f"{self}: {self.reason}" if self.reason else str(self)


class EmbeddedServerFailed(DatabaseUnavailable):
    """The embedded PostgreSQL could not be started; the message names its log."""


class SchemaOutdated(DatabaseUnavailable):
    """The database's schema is not the one this version works with."""


class IdentityUnavailable(Unavailable):
    """The keys that validate credentials cannot be fetched now."""


class ModelUnavailable(Unavailable):
    """A language model failed, took too long, or answered with nothing."""


class ReplyUnusable(ModelUnavailable):
    """A language model answered with too much, or with something that is no answer."""


class PermissionsUnavailable(Unavailable):
    """The owner's permissions cannot be read now, so no table may be seen."""


class VectorStoreUnavailable(Unavailable):
    """A vector store outside the database does not answer, or did not do what it should."""


class ArchiveUnavailable(Unavailable):
    """The archive cannot be reached, or does not do what it should; what expires waits for it.

    The message is for everybody. `reason` may name hosts and files: for operators.
    """

    def __init__(self, problem: str, *, reason: str = "") -> None:
        super().__init__(problem)
        self.reason = reason

    @property
    def explanation(self) -> str:
        """The message with the reason."""
        return f"{self}: {self.reason}" if self.reason else str(self)


class TooManyExports(Unavailable):
    """As many exports as one process writes at once are open already."""


class ContentUnreadable(Unavailable):
    """What is stored is encrypted, and cannot be decrypted; ciphertext is never shown as text."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"stored content cannot be read: {reason}")


class MasterKeyMissing(Unavailable):
    """Others encrypt what they store in the database; without the key nothing is stored there."""

    def __init__(self) -> None:
        super().__init__(
            "content in the database is encrypted, and this server has no MEMORY_ENCRYPTION_KEY: "
            "nothing is stored as plain text"
        )
