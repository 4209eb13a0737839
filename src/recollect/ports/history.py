"""Everything a user said and was told, across sessions."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recollect.domain.message import Message
from recollect.domain.paging import Page, PageRequest
from recollect.domain.scope import Scope


class HistoryStore(Protocol):
    """One owner's messages by their own times, whichever session they are in.

    Messages of sessions that have expired by the store's clock are not among them. Lists and
    counts tell of active branches; what is deleted is deleted from all of them.
    """

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """The owner's messages by time; those of one time and session by their numbers."""
        ...

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        """All messages of these turns, each given by session and number, in no order.

        A turn that is not there has none.
        """
        ...

    async def count(self, scope: Scope) -> int:
        """How many messages the owner has."""
        ...

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        """Delete one message, in whichever session; whether there was one. Audited."""
        ...

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all the owner's messages and say how many; the sessions stay. Audited."""
        ...

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        """Delete all but the newest messages by time and say how many. Audited."""
        ...
