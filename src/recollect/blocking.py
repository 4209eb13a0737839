"""The blocking twin of `recollect.Memory`: the same methods, without async.

Written by tools/generate_blocking.py from memory.py and the handles that it returns.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self, Unpack
from uuid import UUID

from anyio.from_thread import start_blocking_portal

from recollect import memory
from recollect.domain.chat.answers import Answered
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order, Page, SessionSort
from recollect.domain.conversation.session import Session
from recollect.domain.facts.fact import Fact, FactRecord, FactType
from recollect.domain.facts.query import FactSort, FoundFact
from recollect.domain.facts.stored import FactStats
from recollect.domain.facts.transfer import ImportReport
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.scope import UNSET, GivenTenant
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import DEFAULT_RECALLED, Recollection
from recollect.domain.tenants.settings import TenantReport
from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer.document import ExportFormat, TransferReport
from recollect.handles import facts, profile, session
from recollect.inputs import Asking, Details, FactFilters, MessageFields, RecallFilters
from recollect.opening import OpenPortal, opening
from recollect.permissions.local import PermissionFunction
from recollect.ports.telemetry import Telemetry
from recollect.settings import Settings


class SessionHandle:
    """One session of one user. Get it from `Memory.session`."""

    def __init__(self, portal: OpenPortal, inner: session.SessionHandle) -> None:
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
        return self._portal.call(
            partial(
                self._inner.add,
                role,
                content,
                created_at=created_at,
                metadata=metadata,
                message_id=message_id,
                idempotency_key=idempotency_key,
                reply_to=reply_to,
                **details,
            )
        )

    def add_many(
        self, messages: Iterable[MessageFields], *, idempotency_key: str | None = None
    ) -> tuple[Message, ...]:
        """Store up to 10,000 messages at once, all or none, for imports.

        Each is a mapping with `role`, `content` and what else `add` takes but `reply_to`;
        `created_at` may also be ISO 8601. Turns are formed as if they were added one by one.
        The same ids or key again store nothing twice.
        """
        return self._portal.call(
            partial(self._inner.add_many, messages, idempotency_key=idempotency_key)
        )

    def add_exchange(
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
        return self._portal.call(
            partial(self._inner.add_exchange, question, answer, created_at=created_at, **details)
        )

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
        self, query: str, *, k: int = DEFAULT_RECALLED, **filters: Unpack[RecallFilters]
    ) -> Recollection:
        """Find what was said about something earlier in this session, best first.

        `since` and `until` narrow it to a time, `tables` and `databases` to what the answers drew
        on, `speaker` to one speaker of a log.
        """
        return self._portal.call(partial(self._inner.recall, query, k=k, **filters))

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

        A caller that stops before the end fails the turn.
        """
        pieces = self._inner.stream(question, **asking)
        try:
            while True:
                yield self._portal.call(pieces.__anext__)
        except StopAsyncIteration:
            return
        finally:
            self._portal.call(pieces.aclose)

    def rewrite(self, question: str, *, language: str | None = None) -> Rewrite:
        """Say a follow-up so that it needs no history; what is not sure comes back unchanged."""
        return self._portal.call(partial(self._inner.rewrite, question, language=language))

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


class History:
    """One user's messages across all sessions. Get it from `Memory.history`.

    What is added here goes to the user-wide session, which its first message starts.
    """

    def __init__(self, portal: OpenPortal, inner: session.History) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def session_id(self) -> UUID:
        """The id of the user-wide session, with which `Memory.session` opens it."""
        return self._inner.session_id

    def add(
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
        return self._portal.call(
            partial(
                self._inner.add,
                role,
                content,
                created_at=created_at,
                metadata=metadata,
                message_id=message_id,
                idempotency_key=idempotency_key,
                **details,
            )
        )

    def add_many(
        self, messages: Iterable[MessageFields], *, idempotency_key: str | None = None
    ) -> tuple[Message, ...]:
        """Store up to 10,000 messages at once, all or none, as `SessionHandle.add_many` does."""
        return self._portal.call(
            partial(self._inner.add_many, messages, idempotency_key=idempotency_key)
        )

    def last(self, count: int = 10) -> tuple[Message, ...]:
        """Read the newest messages by time, oldest first, as a prompt wants them."""
        return self._portal.call(partial(self._inner.last, count))

    def list(
        self,
        *,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Message]:
        """List the messages in pages by time, newest first by default, as a display wants them."""
        return self._portal.call(
            partial(self._inner.list, limit=limit, order=order, cursor=cursor, offset=offset)
        )

    def count(self) -> int:
        """Count the messages."""
        return self._portal.call(partial(self._inner.count))

    def delete(self, message_id: UUID) -> None:
        """Delete one message, in whichever session it is."""
        self._portal.call(partial(self._inner.delete, message_id))

    def clear(self) -> int:
        """Delete all messages and say how many; the sessions stay."""
        return self._portal.call(partial(self._inner.clear))

    def trim(self, *, keep_last: int) -> int:
        """Delete all but the newest messages by time and say how many went."""
        return self._portal.call(partial(self._inner.trim, keep_last=keep_last))


class Profile:
    """What programs store about one user: JSON values by key. Get it from `Memory.profile`."""

    def __init__(self, portal: OpenPortal, inner: profile.Profile) -> None:
        self._portal = portal
        self._inner = inner

    def set(self, key: str, value: JsonValue, *, version: int | None = None) -> ProfileItem:
        """Set the value of a key, in place of any before it.

        With `version` only if the key has that version, else `VersionConflict`; 0 is the version
        of a key that is not there yet.
        """
        return self._portal.call(partial(self._inner.set, key, value, version=version))

    def merge(self, key: str, value: JsonValue, *, version: int | None = None) -> ProfileItem:
        """Merge a value into that of a key and return the result; a new key is set.

        Objects merge at every depth. Everything else is replaced, also by None, which is a value
        like others and deletes nothing.
        """
        return self._portal.call(partial(self._inner.merge, key, value, version=version))

    def get(self, key: str) -> ProfileItem | None:
        """The value of a key with its version and times; None where there is none."""
        return self._portal.call(partial(self._inner.get, key))

    def list(self) -> tuple[ProfileItem, ...]:
        """All values in order of their keys."""
        return self._portal.call(partial(self._inner.list))

    def delete(self, key: str, *, version: int | None = None) -> None:
        """Delete a key; `NotFound` if it is not there."""
        self._portal.call(partial(self._inner.delete, key, version=version))

    def clear(self) -> int:
        """Delete all keys and say how many there were."""
        return self._portal.call(partial(self._inner.clear))


class Facts:
    """What is known about one user, across all conversations. Get it from `Memory.facts`.

    Nothing here counts as using a fact: what is only listed fades all the same.
    """

    def __init__(self, portal: OpenPortal, inner: facts.Facts) -> None:
        self._portal = portal
        self._inner = inner

    def add(self, content: str, *, type: str = FactType.FACT, priority: str | None = None) -> Fact:
        """Store a fact, one sentence that can be understood alone.

        The type is fact, preference, context, procedure, entity or relationship; the priority
        critical, high, medium or low, by default that of the type. `FactConflict` if an active
        fact says the same, or tells the user's home or another thing of which there is one, too.
        """
        return self._portal.call(partial(self._inner.add, content, type=type, priority=priority))

    def list(
        self,
        *,
        sort: str = FactSort.CREATED,
        order: str = Order.DESC,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        offset: int = 0,
        **filters: Unpack[FactFilters],
    ) -> Page[Fact]:
        """List facts in pages, by default the active ones, the newest first.

        The sort is created, updated, last_accessed or priority.
        """
        return self._portal.call(
            partial(
                self._inner.list,
                sort=sort,
                order=order,
                limit=limit,
                cursor=cursor,
                offset=offset,
                **filters,
            )
        )

    def search(
        self, query: str, *, limit: int = DEFAULT_LIMIT, **filters: Unpack[FactFilters]
    ) -> tuple[FoundFact, ...]:
        """Find active facts by meaning, the nearest first; by their words without a model."""
        return self._portal.call(partial(self._inner.search, query, limit=limit, **filters))

    def get(self, fact_id: UUID | str) -> FactRecord:
        """A fact of any status with its history; `NotFound` if it is not there."""
        return self._portal.call(partial(self._inner.get, fact_id))

    def update(
        self,
        fact_id: UUID | str,
        *,
        content: str | None = None,
        type: str | None = None,
        priority: str | None = None,
        version: int | None = None,
    ) -> Fact:
        """Change what is given of a fact; with `version` only if it has that version.

        `VersionConflict` if it has another one, `FactConflict` if an active fact says the same.
        """
        return self._portal.call(
            partial(
                self._inner.update,
                fact_id,
                content=content,
                type=type,
                priority=priority,
                version=version,
            )
        )

    def forget(self, fact_id: UUID | str, *, erase: bool = False) -> None:
        """Withdraw a fact, which `restore` can bring back; with `erase`, delete it for good."""
        self._portal.call(partial(self._inner.forget, fact_id, erase=erase))

    def restore(self, fact_id: UUID | str) -> Fact:
        """Let a fact hold again that was withdrawn, replaced or has faded.

        `FactConflict` if an active fact says the same or has taken its place.
        """
        return self._portal.call(partial(self._inner.restore, fact_id))

    def export(self) -> Generator[JsonObject, None, None]:
        """All facts of any status with their history, one by one as JSON, oldest first."""
        pieces = self._inner.export()
        try:
            while True:
                yield self._portal.call(pieces.__anext__)
        except StopAsyncIteration:
            return
        finally:
            self._portal.call(pieces.aclose)

    def import_(self, facts: Iterable[JsonObject]) -> ImportReport:
        """Store exported facts, at most 10,000; what is there already is skipped.

        Only `content` is required of each. All are checked before the first is stored.
        """
        return self._portal.call(partial(self._inner.import_, facts))

    def stats(self) -> FactStats:
        """How many facts there are, by type, priority, status and week."""
        return self._portal.call(partial(self._inner.stats))

    def clear(self) -> int:
        """Delete all facts with their history for good, and say how many there were."""
        return self._portal.call(partial(self._inner.clear))


class Memory:
    """The memory of all users. Open it with `with Memory.open() as memory:`.

    Users belong to tenants, named by a text or an integer; without one, to that of the settings.
    `tenant=None` is the system tenant, apart from all others.
    """

    def __init__(self, portal: OpenPortal, inner: memory.Memory) -> None:
        self._portal = portal
        self._inner = inner

    @classmethod
    @opening
    def open(
        cls,
        settings: Settings | None = None,
        *,
        home: Path | str | None = None,
        connection_string: str | None = None,
        permissions: PermissionFunction | None = None,
        telemetry: Telemetry | None = None,
        names_on_demand: bool = False,
    ) -> Iterator[Self]:
        """Open the memory: an embedded PostgreSQL, unless the settings name another database.

        Without arguments the MEMORY_* environment variables decide; `home` is the folder of the
        embedded server, `connection_string` a server of your own. `permissions` is a function
        of tenant and user that returns `{"tables": […], "restricted": […]}`, or awaits it.
        `telemetry` takes the measurements; by default the settings decide which are taken.
        `names_on_demand` loads the pipelines of MEMORY_MASK_NAMES with the first text that is
        masked, for programs that may mask none.
        """
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(
                memory.Memory.open(
                    settings,
                    home=home,
                    connection_string=connection_string,
                    permissions=permissions,
                    telemetry=telemetry,
                    names_on_demand=names_on_demand,
                )
            ) as inner,
            OpenPortal(portal, "open") as opened,
        ):
            yield cls(opened, inner)

    @classmethod
    @opening
    def in_memory(cls, *, permissions: PermissionFunction | None = None) -> Iterator[Self]:
        """Open a memory that is gone when the block ends: for your tests."""
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(
                memory.Memory.in_memory(permissions=permissions)
            ) as inner,
            OpenPortal(portal, "in_memory") as opened,
        ):
            yield cls(opened, inner)

    def session(
        self,
        session_id: str | UUID | None = None,
        *,
        user: str,
        tenant: GivenTenant = UNSET,
        name: str | None = None,
        metadata: JsonObject | None = None,
        authorization: str | None = None,
    ) -> SessionHandle:
        """Resume the user's session of that id, or create it; without an id, a new one.

        Any string will do: a UUID is taken as it is, anything else stands for one session of
        that user. Name and metadata are for a new session; an existing one keeps its own. The
        user's `authorization`, such as 'Bearer …', is for answerers and permission sources that
        go by it.
        """
        return SessionHandle(
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
        tenant: GivenTenant = UNSET,
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
        self, user: str, *, tenant: GivenTenant = UNSET, authorization: str | None = None
    ) -> History:
        """A user's messages across all sessions: to list, count, trim and delete them.

        Messages can be added to it without naming a session.
        """
        return History(
            self._portal, self._inner.history(user, tenant=tenant, authorization=authorization)
        )

    def profile(self, user: str, *, tenant: GivenTenant = UNSET) -> Profile:
        """A user's profile: JSON values by key, to set, merge, read and delete."""
        return Profile(self._portal, self._inner.profile(user, tenant=tenant))

    def facts(
        self, user: str, *, tenant: GivenTenant = UNSET, authorization: str | None = None
    ) -> Facts:
        """What is known about a user across all conversations: to list, add, change and forget."""
        return Facts(
            self._portal, self._inner.facts(user, tenant=tenant, authorization=authorization)
        )

    def export(
        self,
        *,
        user: str,
        tenant: GivenTenant = UNSET,
        format: str = ExportFormat.JSON,
        authorization: str | None = None,
    ) -> Generator[bytes, None, None]:
        """Everything that is stored of a user, in pieces of a file: 'json' or 'zip'.

        A JSON document, or an archive of JSON Lines; `import_from` reads both.
        """
        pieces = self._inner.export(
            user=user, tenant=tenant, format=format, authorization=authorization
        )
        try:
            while True:
                yield self._portal.call(pieces.__anext__)
        except StopAsyncIteration:
            return
        finally:
            self._portal.call(pieces.aclose)

    def import_from(
        self, source: Path | str | BinaryIO, *, user: str, tenant: GivenTenant = UNSET
    ) -> TransferReport:
        """Store what an export has, a path or a binary file, for a user of any name.

        What is there already stays as it is, so that an import can be repeated. `InvalidInput`
        says where a document is broken; what comes before that is stored.
        """
        return self._portal.call(partial(self._inner.import_from, source, user=user, tenant=tenant))

    def erase(
        self,
        *,
        user: str,
        tenant: GivenTenant = UNSET,
        session_id: str | UUID | None = None,
        before: datetime | None = None,
    ) -> JsonObject:
        """Erase everything of a user in every place, and return the signed receipt.

        Or one session, or everything before a time. It waits until all is gone and verified. Where
        a vector store does not answer, it raises `VectorStoreUnavailable`: the erasure goes on in
        the background, and whoever calls it again goes on with it.
        """
        return self._portal.call(
            partial(
                self._inner.erase, user=user, tenant=tenant, session_id=session_id, before=before
            )
        )

    def check_receipt(self, receipt: JsonObject) -> JsonObject:
        """Return the receipt of an erasure if this memory signed it and nobody has altered it.

        `InvalidReceipt` says what is wrong with it.
        """
        return self._portal.call(partial(self._inner.check_receipt, receipt))

    def state(self, *, user: str, tenant: GivenTenant = UNSET) -> UserState | None:
        """The user's mode and since when; None where none was set, which means active."""
        return self._portal.call(partial(self._inner.state, user=user, tenant=tenant))

    def set_state(self, mode: str, *, user: str, tenant: GivenTenant = UNSET) -> UserState:
        """Set the user's mode; while it is 'halted' no question is answered."""
        return self._portal.call(partial(self._inner.set_state, mode, user=user, tenant=tenant))

    def delete_state(self, *, user: str, tenant: GivenTenant = UNSET) -> bool:
        """Forget the user's mode; whether there was one."""
        return self._portal.call(partial(self._inner.delete_state, user=user, tenant=tenant))

    def tenants(self) -> tuple[TenantReport, ...]:
        """All tenants that have settings of their own, by name."""
        return self._portal.call(partial(self._inner.tenants))

    def tenant_settings(self, *, tenant: GivenTenant = UNSET) -> TenantReport:
        """What a tenant has set, and what counts for its users (`effective`)."""
        return self._portal.call(partial(self._inner.tenant_settings, tenant=tenant))

    def set_tenant_settings(
        self, values: JsonObject, *, tenant: GivenTenant = UNSET, version: int | None = None
    ) -> TenantReport:
        """Set some settings of a tenant, such as `{"mask_pii": "mask"}`; None unsets one.

        They are named and spelled as the server's own. It counts at once in this process, within
        five seconds in others. With `version` only if the settings have that version, else
        `VersionConflict`; 0 is that of a tenant that never had any.
        """
        return self._portal.call(
            partial(self._inner.set_tenant_settings, values, tenant=tenant, version=version)
        )

    def delete_tenant_settings(self, *, tenant: GivenTenant = UNSET) -> TenantReport:
        """Unset everything of a tenant: the server's settings count for it again."""
        return self._portal.call(partial(self._inner.delete_tenant_settings, tenant=tenant))

    def recall(
        self,
        query: str,
        *,
        user: str,
        tenant: GivenTenant = UNSET,
        authorization: str | None = None,
        k: int = DEFAULT_RECALLED,
        **filters: Unpack[RecallFilters],
    ) -> Recollection:
        """Find what a user said or was told about something, in any session, best first.

        `since` and `until` narrow it to a time, `tables` and `databases` to what the answers drew
        on, `speaker` to one speaker of a log. `SessionHandle.recall` looks in one session.
        """
        return self._portal.call(
            partial(
                self._inner.recall,
                query,
                user=user,
                tenant=tenant,
                authorization=authorization,
                k=k,
                **filters,
            )
        )

    def rewrite(
        self, question: str, history: Sequence[tuple[str, str]], *, language: str | None = None
    ) -> Rewrite:
        """Say a follow-up so that it needs no history; what is not sure comes back unchanged.

        The history is (role, text) pairs, oldest first. `SessionHandle.rewrite` has its own.
        """
        return self._portal.call(partial(self._inner.rewrite, question, history, language=language))

    def catch_up(self) -> int:
        """Do what waits for the background work, and say how much that was.

        Indexes, learns from and summarises new messages, embeds facts without a vector, removes
        deleted messages from a vector store outside, and carries on erasures. For programs without
        a server or a worker, which do this by themselves.
        """
        return self._portal.call(partial(self._inner.catch_up))

    def is_ready(self) -> bool:
        """Whether the database answers, within a second; raises `DatabaseUnavailable` if not."""
        return self._portal.call(partial(self._inner.is_ready))

    def is_out_of_space(self) -> bool:
        """Whether the database refused to store something within a minute: its disk is full."""
        return self._inner.is_out_of_space()

    def connections(self) -> Mapping[str, int]:
        """How many connections to the database are `busy` and `idle`, and how many are `wanted`."""
        return self._inner.connections()

    def warm(self) -> None:
        """Load what otherwise the first question waits for: models, and their vocabularies."""
        self._portal.call(partial(self._inner.warm))
