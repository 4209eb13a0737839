"""Where erasures are stored, and the places that they reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable
from uuid import UUID

from recollect.domain.erasure.erasure import Counts, Erasure
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.ports.recall import EntryKey


class RecentErasure(NamedTuple):
    """An erasure that began or ended lately, and whose it is."""

    erasure_id: UUID
    owner_id: UUID
    changed_at: datetime


class ErasureStore(Protocol):
    """Stores erasures; they outlive their owners and name nobody.

    While everything of an owner is erased, whatever stores something new for them raises
    `ErasureUnderWay`; so does what writes to a session that is being erased.
    """

    async def begin(self, scope: Scope | TenantScope, erasure: Erasure) -> Erasure | None:
        """Begin a requested erasure, or return the one of the same that is under way.

        From then on readers find nothing of what it erases; what was before a time goes piece by
        piece. None if there is no such session. `ErasureUnderWay` if a part is to be erased of
        an owner of whom everything is.
        """

    async def get(self, owner_id: UUID, erasure_id: UUID) -> Erasure | None:
        """Return an erasure of the owner, also when nothing else is left of them."""

    async def due(
        self, *, now: datetime, limit: int, part_of: UUID | None = None, tenant: str | None = None
    ) -> tuple[Erasure, ...]:
        """Return erasures of all owners to be carried on, the longest waiting first.

        Those of all tenants or of one, or the parts of one erasure.
        """

    async def count(self, erasure: Erasure, place: str, counts: Counts) -> None:
        """Add to what is erased, in a place other than the database."""

    async def postpone(self, erasure: Erasure, *, until: datetime, waits_for: str | None) -> None:
        """Let an erasure wait until it is tried again."""

    async def finish(self, erasure: Erasure, receipt: JsonObject, *, now: datetime) -> bool:
        """Store the receipt, delete the owner's own row and write the audit entry, as one.

        False, and nothing is done, if a row of what was to be erased is still there. Again, it
        changes nothing.
        """

    async def forget_store(self, kept_in: str) -> int:
        """Delete what has to go from a store outside that is no more; how much that was."""

    async def lately(self, *, since: datetime) -> tuple[RecentErasure, ...]:
        """Return the erasures of all owners that began or ended since then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantProgress:
    """How far the erasure of a whole tenant has come."""

    parts: int
    """Users whose erasure has begun."""
    done: int
    """Users whose erasure is done."""
    left: int
    """Users who are still to be erased, begun or not."""
    expected: int
    """Messages of those whose erasure has begun."""
    sampled: int
    """Phrases that were looked for."""
    counts: Mapping[str, Counts]
    """What is erased of all of them, by place and kind."""


class TenantErasures(Protocol):
    """The users of a tenant whose memory is erased as a whole."""

    async def users(self, erasure: Erasure, *, after: UUID | None, limit: int) -> tuple[Scope, ...]:
        """Return users of the tenant by their owner ids whose erasure has not begun.

        Not those who came after it was requested.
        """

    async def progress(self, erasure: Erasure) -> TenantProgress:
        """Return how far the erasures of its users have come."""


class ErasedPhrases(Protocol):
    """Phrases of what is to be erased, and the search for them; both only in the owner's rows."""

    async def sample(self, erasure: Erasure, *, limit: int) -> tuple[str, ...]:
        """Return some phrases of messages to be erased that no message which stays has."""

    async def found(self, erasure: Erasure, phrases: Sequence[str]) -> int:
        """Return how many of the phrases are in any text that is still stored of the owner."""


class ReceiptKeys(Protocol):
    """Stores the key that signs receipts where none is set."""

    async def key(self, new: bytes, *, now: datetime) -> bytes:
        """Return the stored key; the new one if there was none, which is stored then."""


class Erasable(Protocol):
    """A place with data of owners: the database, a vector store, caches, an archive.

    Everything may be called again after a crash, and by two workers at once. A place that does not
    answer raises an `Unavailable`: the erasure waits, and is never done without it.
    """

    @property
    def name(self) -> str:
        """What receipts call the place."""

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        """Erase about so many things, record how many, and return whether there may be more."""

    async def remaining(self, erasure: Erasure) -> Counts:
        """Look for what was to be erased, and return how much is left by kind, zeros too."""


class OwnerRemovals(Protocol):
    """What has still to go from the other store, of one owner."""

    @property
    def kept_in(self) -> str:
        """The name of the other store."""

    async def of_owner(
        self, owner_id: UUID, *, session_id: UUID | None = None, limit: int
    ) -> tuple[tuple[int, EntryKey], ...]:
        """Return removals, oldest first, by number: of one session if it is given."""

    async def last(self, owner_id: UUID) -> int:
        """Return the number of the newest removal; 0 without any."""

    async def forget(self, owner_id: UUID, *, through: int) -> None:
        """Delete the removals up to that number: the store has nothing of them any more."""

    async def done(self, owner_id: UUID, numbers: Sequence[int]) -> None:
        """Delete these removals: the store has nothing of them any more."""


@runtime_checkable
class OwnerCache(Protocol):
    """Something in the process that may still hold what was read for an owner."""

    def forget(self, owner_id: UUID) -> None:
        """Drop what is held of the owner; of a cache that knows no owners, everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureStores:
    """What an engine has for erasures."""

    erasures: ErasureStore
    database: Erasable
    tenants: TenantErasures
    phrases: ErasedPhrases
    receipt_keys: ReceiptKeys
    removals: OwnerRemovals | None = None
    """None where no store outside has vectors."""
    data_keys: Erasable | None = None
    """The keys that content is encrypted with, the last to go; None where it is not encrypted."""
