"""A user's messages across all sessions."""

from dataclasses import dataclass, replace
from uuid import UUID

from recollect.domain.message import Message
from recollect.domain.paging import Page, PageRequest
from recollect.domain.scope import Scope
from recollect.errors import InvalidInput, MessageNotFound
from recollect.ports.clock import Clock
from recollect.ports.history import HistoryStore
from recollect.services.access import Permissions

_MAX_KEPT = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What an owner can do with everything said so far."""

    store: HistoryStore
    permissions: Permissions
    clock: Clock

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """List the owner's messages across sessions, newest first by default."""
        found = await self.store.list(scope, page)
        return replace(found, items=await self.permissions.shown(scope, found.items))

    async def count(self, scope: Scope) -> int:
        """Count the owner's messages."""
        return await self.store.count(scope)

    async def delete(self, scope: Scope, message_id: UUID) -> None:
        """Delete one message, in whichever session it is."""
        if not await self.store.delete(scope, message_id, now=self.clock.now()):
            raise MessageNotFound(message_id)

    async def clear(self, scope: Scope) -> int:
        """Delete all the owner's messages and say how many; the sessions stay."""
        return await self.store.clear(scope, now=self.clock.now())

    async def trim(self, scope: Scope, *, keep_last: int) -> int:
        """Delete all but the newest messages and say how many went."""
        if not 0 <= keep_last <= _MAX_KEPT:
            raise InvalidInput("keep_last", f"must lie between 0 and {_MAX_KEPT}")
        return await self.store.trim(scope, keep_last=keep_last, now=self.clock.now())
