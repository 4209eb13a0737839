"""Everything a user said and was told, and messages that name no session."""

from collections.abc import Iterable
from datetime import datetime
from typing import Unpack
from uuid import UUID

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order, Page, PageRequest
from recollect.domain.conversation.session import user_wide_session_id
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.new_messages import Details, MessageFields
from recollect.services.services import Services
from recollect.session_handle import SessionHandle


class History:
    """One user's messages across all sessions. Get it from `Memory.history`.

    What is added here goes to the user-wide session, which its first message starts.
    """

    def __init__(self, services: Services, scope: Scope) -> None:
        self._services = services
        self._scope = scope
        self._user_wide = SessionHandle(
            services, scope, user_wide_session_id(scope.owner_id), starts_session=True
        )

    @property
    def session_id(self) -> UUID:
        """The id of the user-wide session, with which `Memory.session` opens it."""
        return self._user_wide.id

    async def add(
        self,
        role: str,
        content: str,
        *,
        created_at: datetime | None = None,
        metadata: JsonObject | None = None,
        message_id: UUID | None = None,
        idempotency_key: str | None = None,
        **details: Unpack[Details],
    ) -> Message:
        """Store a message without naming a session; with the same id or key again, nothing new."""
        return await self._user_wide.add(
            role,
            content,
            created_at=created_at,
            metadata=metadata,
            message_id=message_id,
            idempotency_key=idempotency_key,
            **details,
        )

    async def add_many(
        self, messages: Iterable[MessageFields], *, idempotency_key: str | None = None
    ) -> tuple[Message, ...]:
        """Store up to 10,000 messages at once, all or none, as `SessionHandle.add_many` does."""
        return await self._user_wide.add_many(messages, idempotency_key=idempotency_key)

    async def last(self, count: int = 10) -> tuple[Message, ...]:
        """Read the newest messages by time, oldest first, as a prompt wants them."""
        page = PageRequest.of(limit=count, order=Order.DESC, cursor=None, offset=0)
        newest = await self._services.history.list(self._scope, page)
        return newest.items[::-1]

    async def list(
        self,
        *,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Message]:
        """List the messages in pages by time, newest first by default, as a display wants them."""
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        return await self._services.history.list(self._scope, page)

    async def count(self) -> int:
        """Count the messages."""
        return await self._services.history.count(self._scope)

    async def delete(self, message_id: UUID) -> None:
        """Delete one message, in whichever session it is."""
        await self._services.history.delete(self._scope, message_id)

    async def clear(self) -> int:
        """Delete all messages and say how many; the sessions stay."""
        return await self._services.history.clear(self._scope)

    async def trim(self, *, keep_last: int) -> int:
        """Delete all but the newest messages by time and say how many went."""
        return await self._services.history.trim(self._scope, keep_last=keep_last)
