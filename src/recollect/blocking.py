"""The blocking twin of `recollect.Memory`: the same methods, without async.

Written by tools/generate_blocking.py from memory.py and conversation.py; change those.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Self, Unpack
from uuid import UUID

from anyio.from_thread import BlockingPortal, start_blocking_portal

from recollect import conversation, memory
from recollect.conversation import Asking, Details, Narrowed
from recollect.domain.context import Context
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.inquiry import Answered
from recollect.domain.message import Message
from recollect.domain.paging import DEFAULT_LIMIT, Order, Page, SessionSort
from recollect.domain.recall.policy import DEFAULT_RECALLED
from recollect.domain.recall.recalled import Recollection
from recollect.domain.session import Session
from recollect.domain.state import UserState
from recollect.domain.text import JsonObject
from recollect.permissions.function import PermissionFunction
from recollect.settings import Settings


class Conversation:
    """One session of one user. Get it from `Memory.session`."""

    def __init__(self, portal: BlockingPortal, inner: conversation.Conversation) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def id(self) -> UUID:
        """The session's id."""
        return self._inner.id

    def add(
        self,
        role: str,
        content: str,
        *,
        metadata: JsonObject | None = None,
        message_id: UUID | None = None,
        idempotency_key: str | None = None,
        reply_to: UUID | None = None,
        **details: Unpack[Details],
    ) -> Message:
        """Store a message; with the same id or key again, the stored one is returned.

        A user's message opens a turn, an assistant's completes it: the latest one, or the one
        of the message `reply_to`.
        """
        return self._portal.call(
            partial(
                self._inner.add,
                role,
                content,
                metadata=metadata,
                message_id=message_id,
                idempotency_key=idempotency_key,
                reply_to=reply_to,
                **details,
            )
        )

    def add_exchange(
        self, question: str, answer: str, **details: Unpack[Details]
    ) -> tuple[Message, Message]:
        """Store a question and its answer together: both or none, in one step."""
        return self._portal.call(partial(self._inner.add_exchange, question, answer, **details))

    def context(
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
        return self._portal.call(
            partial(
                self._inner.context,
                question,
                model=model,
                max_tokens=max_tokens,
                window=window,
                databases=databases,
                recall_k=recall_k,
                recall_scope=recall_scope,
            )
        )

    def recall(
        self, query: str, *, k: int = DEFAULT_RECALLED, **narrowed: Unpack[Narrowed]
    ) -> Recollection:
        """Find what was said about something earlier in this session, best first.

        `since` and `until` narrow it to a time, `tables` and `databases` to what the answers drew
        on, `speaker` to one speaker of a log.
        """
        return self._portal.call(partial(self._inner.recall, query, k=k, **narrowed))

    def ask(self, question: str, **asking: Unpack[Asking]) -> Answered:
        """Have a question answered in its context, and remember both.

        Who answers is set by MEMORY_ANSWERER; `options` are for it alone. The question is stored
        first; if it gets no answer, the error is raised and the question kept, out of windows.
        """
        return self._portal.call(partial(self._inner.ask, question, **asking))

    def stream(
        self, question: str, **asking: Unpack[Asking]
    ) -> Generator[str | Answered, None, None]:
        """The same as `ask`, in pieces of text as they come; what `ask` returns comes last.

        Whoever stops listening before the end has the turn failed.
        """
        pieces = self._inner.stream(question, **asking)
        try:
            while True:
                yield self._portal.call(pieces.__anext__)
        except StopAsyncIteration:
            return
        finally:
            self._portal.call(pieces.aclose)

    def rewrite(
        self, question: str, *, model: str | None = None, language: str | None = None
    ) -> Rewrite:
        """Say a follow-up so that it needs no history; a standalone one comes back unchanged."""
        return self._portal.call(
            partial(self._inner.rewrite, question, model=model, language=language)
        )

    def last(self, count: int = 10) -> tuple[Message, ...]:
        """Read the last messages, oldest first, as a prompt wants them."""
        return self._portal.call(partial(self._inner.last, count))

    def messages(
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
        return self._portal.call(
            partial(
                self._inner.messages,
                limit=limit,
                order=order,
                cursor=cursor,
                offset=offset,
                include_inactive=include_inactive,
            )
        )

    def fail(self, turn_number: int) -> None:
        """Say that a question will get no answer; it is kept, but stays out of windows."""
        self._portal.call(partial(self._inner.fail, turn_number))

    def delete_message(self, message_id: UUID) -> None:
        """Delete one message."""
        self._portal.call(partial(self._inner.delete_message, message_id))

    def clear(self) -> int:
        """Delete all messages and say how many; the session stays."""
        return self._portal.call(partial(self._inner.clear))

    def info(self) -> Session:
        """Read the session's name, counters, times and metadata."""
        return self._portal.call(partial(self._inner.info))

    def change(
        self,
        *,
        name: str | None = None,
        metadata: JsonObject | None = None,
        databases: tuple[str, ...] | None = None,
        tags: tuple[str, ...] | None = None,
    ) -> Session:
        """Rename the session or replace its metadata, databases or tags."""
        return self._portal.call(
            partial(
                self._inner.change, name=name, metadata=metadata, databases=databases, tags=tags
            )
        )

    def delete(self) -> None:
        """Delete the session with everything in it."""
        self._portal.call(partial(self._inner.delete))


class Memory:
    """The memory of all users. Open it with `with Memory.open() as memory:`."""

    def __init__(self, portal: BlockingPortal, inner: memory.Memory) -> None:
        self._portal = portal
        self._inner = inner

    @classmethod
    @contextmanager
    def open(
        cls,
        settings: Settings | None = None,
        *,
        home: Path | str | None = None,
        connection_string: str | None = None,
        permissions: PermissionFunction | None = None,
    ) -> Iterator[Self]:
        """Open the memory in PostgreSQL: an embedded one, unless the settings name another.

        Without arguments the MEMORY_* environment variables decide; `home` is the folder of the
        embedded server, `connection_string` a server of your own. `permissions` is a function
        of tenant and user that returns `{"tables": […], "restricted": […]}`, or awaits it.
        """
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(
                memory.Memory.open(
                    settings,
                    home=home,
                    connection_string=connection_string,
                    permissions=permissions,
                )
            ) as inner,
        ):
            yield cls(portal, inner)

    @classmethod
    @contextmanager
    def in_memory(cls, *, permissions: PermissionFunction | None = None) -> Iterator[Self]:
        """Open a memory that is gone when the block ends: for your tests."""
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(
                memory.Memory.in_memory(permissions=permissions)
            ) as inner,
        ):
            yield cls(portal, inner)

    def session(
        self,
        session_id: str | UUID | None = None,
        *,
        user: str,
        tenant: str | None = None,
        name: str | None = None,
        metadata: JsonObject | None = None,
        authorization: str | None = None,
    ) -> Conversation:
        """Resume the user's session of that id, or create it; without an id, a new one.

        Any string will do: a UUID is taken as it is, anything else stands for one session of
        that user. Name and metadata are for a new session; an existing one keeps its own. The
        user's `authorization`, such as 'Bearer …', is for answerers and permission sources that
        go by it.
        """
        return Conversation(
            self._portal,
            self._portal.call(
                partial(
                    self._inner.session,
                    session_id,
                    user=user,
                    tenant=tenant,
                    name=name,
                    metadata=metadata,
                    authorization=authorization,
                )
            ),
        )

    def sessions(
        self,
        *,
        user: str,
        tenant: str | None = None,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        sort: str = SessionSort.UPDATED,
        cursor: str | None = None,
        offset: int = 0,
        authorization: str | None = None,
    ) -> Page[Session]:
        """List a user's sessions in pages, the last changed one first by default.

        With `sort` 'last_accessed' the one that was used last, by reading or writing, comes first.
        """
        return self._portal.call(
            partial(
                self._inner.sessions,
                user=user,
                tenant=tenant,
                limit=limit,
                order=order,
                sort=sort,
                cursor=cursor,
                offset=offset,
                authorization=authorization,
            )
        )

    def history(
        self,
        *,
        user: str,
        tenant: str | None = None,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
        authorization: str | None = None,
    ) -> Page[Message]:
        """List a user's messages across all sessions in pages, newest first by default."""
        return self._portal.call(
            partial(
                self._inner.history,
                user=user,
                tenant=tenant,
                limit=limit,
                order=order,
                cursor=cursor,
                offset=offset,
                authorization=authorization,
            )
        )

    def count_history(self, *, user: str, tenant: str | None = None) -> int:
        """Count a user's messages."""
        return self._portal.call(partial(self._inner.count_history, user=user, tenant=tenant))

    def clear_history(self, *, user: str, tenant: str | None = None) -> int:
        """Delete all of a user's messages and say how many; the sessions stay."""
        return self._portal.call(partial(self._inner.clear_history, user=user, tenant=tenant))

    def trim_history(self, *, user: str, keep_last: int, tenant: str | None = None) -> int:
        """Delete all but a user's newest messages and say how many went."""
        return self._portal.call(
            partial(self._inner.trim_history, user=user, keep_last=keep_last, tenant=tenant)
        )

    def delete_message(self, message_id: UUID, *, user: str, tenant: str | None = None) -> None:
        """Delete one of a user's messages, in whichever session it is."""
        self._portal.call(partial(self._inner.delete_message, message_id, user=user, tenant=tenant))

    def state(self, *, user: str, tenant: str | None = None) -> UserState | None:
        """The user's mode and since when; None where none was set, which means active."""
        return self._portal.call(partial(self._inner.state, user=user, tenant=tenant))

    def set_state(self, mode: str, *, user: str, tenant: str | None = None) -> UserState:
        """Set the user's mode; while it is 'halted' no question is answered."""
        return self._portal.call(partial(self._inner.set_state, mode, user=user, tenant=tenant))

    def delete_state(self, *, user: str, tenant: str | None = None) -> bool:
        """Forget the user's mode; whether there was one."""
        return self._portal.call(partial(self._inner.delete_state, user=user, tenant=tenant))

    def recall(
        self,
        query: str,
        *,
        user: str,
        tenant: str | None = None,
        authorization: str | None = None,
        k: int = DEFAULT_RECALLED,
        **narrowed: Unpack[Narrowed],
    ) -> Recollection:
        """Find what a user said or was told about something, in any session, best first.

        `since` and `until` narrow it to a time, `tables` and `databases` to what the answers drew
        on, `speaker` to one speaker of a log. `Conversation.recall` looks in one session.
        """
        return self._portal.call(
            partial(
                self._inner.recall,
                query,
                user=user,
                tenant=tenant,
                authorization=authorization,
                k=k,
                **narrowed,
            )
        )

    def rewrite(
        self,
        question: str,
        history: Sequence[tuple[str, str]],
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """Say a follow-up so that it needs no history; a standalone question comes back unchanged.

        The history is (role, text) pairs, oldest first. `Conversation.rewrite` has its own.
        """
        return self._portal.call(
            partial(self._inner.rewrite, question, history, model=model, language=language)
        )

    def catch_up(self) -> int:
        """Do what waits for the background work, and say how much that was.

        Indexes and summarises what was said, and takes what was deleted out of a store of vectors
        outside. For programs without a server or a worker, which do this by themselves.
        """
        return self._portal.call(partial(self._inner.catch_up))

    def is_ready(self) -> bool:
        """Whether the database answers; raises `DatabaseUnavailable` with the reason if not."""
        return self._portal.call(partial(self._inner.is_ready))

    def warm(self) -> None:
        """Load what otherwise the first question waits for: rules, and the embedding model."""
        self._portal.call(partial(self._inner.warm))
