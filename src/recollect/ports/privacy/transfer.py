"""Where everything of an owner is read from for an export, and stored by an import."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from recollect.domain.facts.fact import FactRecord
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.audit import AuditEntry
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import Entry
from recollect.domain.transfer.document import Outcome
from recollect.domain.transfer.merging import SortedMessages
from recollect.domain.transfer.records import MessagePlace, MessageRecord, SessionRecord


class NumberedAuditEntry(NamedTuple):
    """A line of the audit log with its place in it."""

    number: int
    entry: AuditEntry


class OwnerPlace(Protocol):
    """Where an owner is among all of them: a scope is one."""

    @property
    def tenant(self) -> str:
        """The tenant."""

    @property
    def owner_id(self) -> UUID:
        """The owner."""


class OwnerDirectory(Protocol):
    """Knows who has something stored here."""

    async def owners(
        self, *, after: OwnerPlace | None, limit: int, tenant: str | None = None
    ) -> tuple[Scope | TenantScope, ...]:
        """Return owners, of all tenants or of one, in an order of the engine's own.

        Those of a tenant follow each other, and the tenant itself is among them if it has keys or
        settings. A page begins after an owner of the one before; only an empty page is the end.
        Owners who are being erased are left out.
        """


class ExportStore(Protocol):
    """Reads everything of one owner in pages, each from a place on.

    A page may be shorter than its limit where its items are large; only an empty one is the end.
    What is written meanwhile may be in a page or not.
    """

    async def sessions(self, scope: Scope, *, start: UUID, limit: int) -> tuple[SessionRecord, ...]:
        """Return the sessions from that id on, in the order of their ids; no expired ones."""

    async def messages(
        self, scope: Scope, session_ids: Sequence[UUID], *, after: int, limit: int
    ) -> tuple[MessageRecord, ...]:
        """Return messages of all branches of some sessions, by session and number.

        The sessions are in the order of their ids; of the first one, the messages after a number.
        """

    async def recall_entries(
        self, scope: Scope, *, after: MessagePlace, limit: int
    ) -> tuple[Entry, ...]:
        """Return what recall finds after a place, by session and number; not of expired sessions.

        The place of an entry is that of its first message.
        """

    async def audit(
        self, scope: Scope, *, after: int, limit: int
    ) -> tuple[NumberedAuditEntry, ...]:
        """Return the owner's audit log after a line, oldest first; numbers start at 1."""


class ImportStore(Protocol):
    """Stores what another memory had of an owner, with its ids, numbers and times.

    What is there already stays as it is, so that everything may come twice. Ids belong to their
    owner: one that somebody else has is free. Each call is done whole or not at all; none is
    audited.
    """

    async def add_profile(
        self, scope: Scope, items: Sequence[ProfileItem], texts: Mapping[str, str]
    ) -> Outcome:
        """Store values of keys that are not there yet; `texts` is their JSON, by key."""

    async def add_state(self, scope: Scope, state: UserState) -> bool:
        """Set the owner's mode unless there is one; return whether it was set."""

    async def add_facts(self, scope: Scope, records: Sequence[FactRecord]) -> Outcome:
        """Store facts with their histories.

        One is conflicting if an active fact says the same or has its slot of one value. A line of
        history is left out if the statement of its message is in the history already.
        """

    async def add_sessions(self, scope: Scope, sessions: Sequence[SessionRecord]) -> Outcome:
        """Store sessions with their summaries and without messages.

        An expired session of the same id is deleted first, with everything in it; audited.
        """

    async def add_messages(self, scope: Scope, messages: Sequence[MessageRecord]) -> SortedMessages:
        """Store messages of any sessions at their places, and the turns that they tell of.

        `sort_messages` says which ones. Turns are due for indexing afterwards; of those that are
        learnt nothing is learnt again.
        """
