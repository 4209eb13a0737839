"""Handles of the library: one session of a user, and all messages of a user."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Unpack
from uuid import UUID

from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    message_id_for_key,
    parse_role,
)
from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order, Page, PageRequest
from recollect.domain.conversation.session import Session, SessionChanges, user_wide_session_id
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    DEFAULT_RECALLED,
    RecallOverrides,
    Recollection,
    parse_recall_scope,
)
from recollect.domain.text import JsonObject
from recollect.inputs import (
    Asking,
    Details,
    MessageFields,
    RecallFilters,
    new_messages,
    recall_filter,
)
from recollect.services.services import Services


class SessionHandle:
    """One session of one user. Get it from `Memory.session`."""

    def __init__(
        self, services: Services, scope: Scope, session_id: UUID, *, starts_session: bool = False
    ) -> None:
        self._services = services
        self._scope = scope
        self._session_id = session_id
        self._starts_session = starts_session

    @property
    def id(self) -> UUID:
        """The session's id."""
        return self._session_id

    async def add(
        self,
        role: str,
        content: str,
        *,
        created_at: datetime | None = None,
        metadata: JsonObject | None = None,
        message_id: UUID | None = None,
        idempotency_key: str | None = None,
        reply_to: UUID | None = None,
        **details: Unpack[Details],
    ) -> Message:
        """Store a message; with the same id or key again, the stored one is returned.

        A user's message opens a turn, an assistant's completes it: the latest one, or the one
        of the message `reply_to`. `created_at` is when it was said, for what was said elsewhere:
        an aware time; the order stays that of storing.
        """
        message = NewMessage(
            message_id=message_id or self._new_id(idempotency_key),
            role=parse_role(role),
            content=content,
            metadata=metadata or {},
            details=AnswerDetails(**details) if details else NO_DETAILS,
            created_at=created_at,
        )
        (stored,) = await self._append([message], reply_to=reply_to)
        return stored

    async def add_many(
        self, messages: Iterable[MessageFields], *, idempotency_key: str | None = None
    ) -> tuple[Message, ...]:
        """Store up to 10,000 messages at once, all or none, for imports.

        Each is a mapping with `role`, `content` and what else `add` takes but `reply_to`;
        `created_at` may also be ISO 8601. Turns are formed as if they were added one by one.
        The same ids or key again store nothing twice.
        """

        def id_at(position: int) -> UUID:
            key = None if idempotency_key is None else f"{idempotency_key}:{position}"
            return self._new_id(key)

        # Checking 10,000 messages takes longer than other work on this loop should wait.
        return await self._append(await asyncio.to_thread(new_messages, messages, id_at))

    async def add_exchange(
        self,
        question: str,
        answer: str,
        *,
        created_at: datetime | None = None,
        **details: Unpack[Details],
    ) -> tuple[Message, Message]:
        """Store a question and its answer together: both or none, in one step.

        `created_at` is when both were said, for what was said elsewhere.
        """
        user_message = NewMessage(
            message_id=self._new_id(None), role=Role.USER, content=question, created_at=created_at
        )
        reply = NewMessage(
            message_id=self._new_id(None),
            role=Role.ASSISTANT,
            content=answer,
            details=AnswerDetails(**details),
            created_at=created_at,
        )
        first, second = await self._append([user_message, reply])
        return first, second

    async def context(
        self,
        question: str,
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        window: int | None = None,
        databases: tuple[str, ...] | None = None,
        recall_k: int | None = None,
        recall_scope: str | None = None,
    ) -> Context:
        """Put a question into its context: what a model needs to understand it, and no more.

        `model` names the model that will read it, `max_tokens` the most it may be, `window` how
        many messages or turns it looks back, `recall_k` how many earlier exchanges it may recall
        (0: none) and `recall_scope` where from: `user` or `session`. The settings decide where
        they are not given. With `databases`, answers that draw on others are left out.
        """
        return await self._services.contexts.build(
            self._scope,
            self._session_id,
            question,
            model=model,
            max_tokens=max_tokens,
            window=window,
            databases=databases,
            recall=RecallOverrides(
                k=recall_k, scope=None if recall_scope is None else parse_recall_scope(recall_scope)
            ),
        )

    async def recall(
        self, query: str, *, k: int = DEFAULT_RECALLED, **filters: Unpack[RecallFilters]
    ) -> Recollection:
        """Find what was said about something earlier in this session, best first.

        `since` and `until` narrow it to a time, `tables` and `databases` to what the answers drew
        on, `speaker` to one speaker of a log.
        """
        return await self._services.recall.search(
            self._scope, query, k=k, filters=recall_filter(filters, self._session_id)
        )

    async def ask(self, question: str, **asking: Unpack[Asking]) -> Answered:
        """Have a question answered in its context, and remember both.

        Who answers is set by MEMORY_ANSWERER; `options` are for it alone. The question is stored
        first; if it gets no answer, the error is raised and the question kept, out of windows.
        """
        inquiry = Inquiry(text=question, session_id=self._session_id, **asking)
        return await self._services.chat.ask(self._scope, inquiry)

    async def stream(
        self, question: str, **asking: Unpack[Asking]
    ) -> AsyncGenerator[str | Answered, None]:
        """The same as `ask`, in pieces of text as they come; what `ask` returns comes last.

        A caller that stops before the end fails the turn.
        """
        inquiry = Inquiry(text=question, session_id=self._session_id, **asking)
        turn = await self._services.chat.begin(self._scope, inquiry)
        async with aclosing(turn.stream()) as pieces:
            async for piece in pieces:
                yield piece

    async def rewrite(self, question: str, *, language: str | None = None) -> Rewrite:
        """Say a follow-up so that it needs no history; what is not sure comes back unchanged."""
        return await self._services.rewriting.in_session(
            self._scope, self._session_id, question, language=language
        )

    async def last(self, count: int = 10) -> tuple[Message, ...]:
        """Read the last messages, oldest first, as a prompt wants them."""
        return await self._services.messages.last(self._scope, self._session_id, count=count)

    async def messages(
        self,
        *,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
        include_inactive: bool = False,
    ) -> Page[Message]:
        """List the messages in pages, newest first by default, as a display wants them.

        With `include_inactive` also those that regenerating and editing left behind.
        """
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        return await self._services.messages.list(
            self._scope, self._session_id, page, include_inactive=include_inactive
        )

    async def fail(self, turn_number: int) -> None:
        """Say that a question will get no answer; it is kept, but stays out of windows."""
        await self._services.messages.fail_turn(self._scope, self._session_id, turn_number)

    async def delete_message(self, message_id: UUID) -> None:
        """Delete one message."""
        await self._services.messages.delete(self._scope, self._session_id, message_id)

    async def clear(self) -> int:
        """Delete all messages and say how many; the session stays."""
        return await self._services.messages.clear(self._scope, self._session_id)

    async def info(self) -> Session:
        """Read the session's name, counters, times and metadata."""
        return await self._services.sessions.get(self._scope, self._session_id)

    async def change(
        self,
        *,
        name: str | None = None,
        metadata: JsonObject | None = None,
        databases: tuple[str, ...] | None = None,
        tags: tuple[str, ...] | None = None,
    ) -> Session:
        """Rename the session or replace its metadata, databases or tags."""
        changes = SessionChanges(name=name, metadata=metadata, databases=databases, tags=tags)
        return await self._services.sessions.change(self._scope, self._session_id, changes)

    async def delete(self) -> None:
        """Delete the session with everything in it."""
        await self._services.sessions.delete(self._scope, self._session_id)

    def _new_id(self, idempotency_key: str | None) -> UUID:
        if idempotency_key is None:
            return self._services.ids.new_id()
        return message_id_for_key(self._session_id, idempotency_key)

    async def _append(
        self, messages: Sequence[NewMessage], *, reply_to: UUID | None = None
    ) -> tuple[Message, ...]:
        appended = await self._services.messages.append(
            self._scope,
            self._session_id,
            messages,
            reply_to=reply_to,
            starts_session=self._starts_session,
        )
        return appended.messages


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
