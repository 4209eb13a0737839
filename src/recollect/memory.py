"""The library's front door: opens an engine and joins everything to it."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self, Unpack
from uuid import UUID

from recollect.domain.conversation.paging import (
    DEFAULT_LIMIT,
    Order,
    Page,
    PageRequest,
    SessionSort,
)
from recollect.domain.conversation.session import NewSession, Session, session_id_from
from recollect.domain.erasure.receipt import with_names
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.scope import (
    DEFAULT_TENANT,
    SYSTEM_TENANT,
    UNSET,
    GivenTenant,
    Scope,
    TenantScope,
    Unset,
    tenant_name,
)
from recollect.domain.recall.entry import DEFAULT_RECALLED, Recollection
from recollect.domain.tenants.settings import TenantReport
from recollect.domain.text import JsonObject, parse_choice
from recollect.domain.transfer.document import ExportFormat, TransferReport
from recollect.handles.facts import Facts
from recollect.handles.profile import Profile
from recollect.handles.session import History, SessionHandle
from recollect.inputs import RecallFilters, history_message, opened_document, recall_filter
from recollect.opening import async_opening
from recollect.permissions.local import PermissionFunction
from recollect.ports.telemetry import Telemetry
from recollect.services.services import Services
from recollect.settings import Settings, load_settings

if TYPE_CHECKING:
    from recollect.answerers.denodo import DenodoClient


class Memory:
    """The memory of all users. Open it with `async with Memory.open() as memory:`.

    Users belong to tenants, named by a text or an integer; without one, to that of the settings.
    `tenant=None` is the system tenant, apart from all others.
    """

    def __init__(
        self,
        services: Services,
        *,
        tenant: str | int = DEFAULT_TENANT,
        is_answering: Callable[[], Awaitable[bool]] | None = None,
        was_full_lately: Callable[[], bool] = lambda: False,
        denodo: "DenodoClient | None" = None,
        connections: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self.services = services
        self.denodo = denodo
        self._tenant = tenant_name(tenant)
        self._is_answering = is_answering
        self._was_full_lately = was_full_lately
        self._connections = connections

    @classmethod
    @async_opening
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        home: Path | str | None = None,
        connection_string: str | None = None,
        permissions: PermissionFunction | None = None,
        telemetry: Telemetry | None = None,
        names_on_demand: bool = False,
    ) -> AsyncIterator[Self]:
        """Open the memory: an embedded PostgreSQL, unless the settings name another database.

        Without arguments the MEMORY_* environment variables decide; `home` is the folder of the
        embedded server, `connection_string` a server of your own. `permissions` is a function
        of tenant and user that returns `{"tables": […], "restricted": […]}`, or awaits it.
        `telemetry` takes the measurements; by default the settings decide which are taken.
        `names_on_demand` loads the pipelines of MEMORY_MASK_NAMES with the first text that is
        masked, for programs that may mask none.
        """
        # Engines and models are loaded when a memory is opened: importing recollect stays quick.
        from recollect.adapters import open_adapters  # noqa: PLC0415
        from recollect.composition import build_services  # noqa: PLC0415
        from recollect.instrumentation import open_telemetry, share_pseudonyms  # noqa: PLC0415
        from recollect.storage import open_engine  # noqa: PLC0415
        from recollect.system import SystemClock  # noqa: PLC0415

        chosen = {"home": home, "db_connection_string": connection_string}
        given = {name: value for name, value in chosen.items() if value is not None}
        settings = settings or load_settings(**given)
        opened = open_telemetry(settings) if telemetry is None else nullcontext(telemetry)
        async with (
            opened as measuring,
            open_engine(settings, SystemClock(), measuring) as engine,
            open_adapters(
                settings,
                permissions,
                engine.ciphers,
                telemetry=measuring,
                names_on_demand=names_on_demand,
            ) as adapters,
        ):
            needs, stores = adapters.dependencies, engine.stores
            services = build_services(stores, needs, settings.policies())
            if settings.pseudonym_key is None:
                await share_pseudonyms(measuring, services.erasing)
            try:
                yield cls(
                    services,
                    tenant=settings.tenant,
                    is_answering=stores.is_answering,
                    was_full_lately=engine.was_full_lately,
                    denodo=adapters.denodo,
                    connections=engine.connections,
                )
            finally:
                await services.close()

    @classmethod
    @async_opening
    async def in_memory(
        cls, *, permissions: PermissionFunction | None = None
    ) -> AsyncIterator[Self]:
        """Open a memory that is gone when the block ends: for your tests."""
        from recollect.adapters import open_offline  # noqa: PLC0415  # as above
        from recollect.composition import build_services  # noqa: PLC0415
        from recollect.engines.in_memory import in_memory_stores  # noqa: PLC0415

        async with open_offline(permissions) as needs:
            services = build_services(in_memory_stores(), needs)
            try:
                yield cls(services)
            finally:
                await services.close()

    async def session(
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
        scope = self._scope(user, tenant, authorization)
        text = "" if session_id is None else str(session_id).strip()
        chosen = session_id_from(text, scope.owner_id) if text else self.services.ids.new_id()
        known_as = {} if text.lower() in {"", str(chosen)} else {"external_id": text}
        session = NewSession(
            session_id=chosen, name=name, metadata={**known_as, **(metadata or {})}
        )
        await self.services.sessions.start(scope, session)
        return SessionHandle(self.services, scope, chosen)

    async def sessions(
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
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        scope = self._scope(user, tenant, authorization)
        return await self.services.sessions.list(scope, page, sort=SessionSort.parse(sort))

    def history(
        self, user: str, *, tenant: GivenTenant = UNSET, authorization: str | None = None
    ) -> History:
        """A user's messages across all sessions: to list, count, trim and delete them.

        Messages can be added to it without naming a session.
        """
        return History(self.services, self._scope(user, tenant, authorization))

    def profile(self, user: str, *, tenant: GivenTenant = UNSET) -> Profile:
        """A user's profile: JSON values by key, to set, merge, read and delete."""
        return Profile(self.services, self._scope(user, tenant))

    def facts(
        self, user: str, *, tenant: GivenTenant = UNSET, authorization: str | None = None
    ) -> Facts:
        """What is known about a user across all conversations: to list, add, change and forget."""
        return Facts(self.services, self._scope(user, tenant, authorization))

    async def export(
        self,
        *,
        user: str,
        tenant: GivenTenant = UNSET,
        format: str = ExportFormat.JSON,  # noqa: A002  # what everybody calls it
        authorization: str | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """Everything that is stored of a user, in pieces of a file: 'json' or 'zip'.

        A JSON document, or an archive of JSON Lines; `import_from` reads both.
        """
        chosen = parse_choice(ExportFormat, format, "format")
        scope = self._scope(user, tenant, authorization)
        async for piece in self.services.owner_export.pieces(scope, chosen):
            yield piece

    async def import_from(
        self, source: Path | str | BinaryIO, *, user: str, tenant: GivenTenant = UNSET
    ) -> TransferReport:
        """Store what an export has, a path or a binary file, for a user of any name.

        What is there already stays as it is, so that an import can be repeated. `InvalidInput`
        says where a document is broken; what comes before that is stored.
        """
        scope = self._scope(user, tenant)
        with opened_document(source) as file:
            return await self.services.owner_import.take_in(scope, file)

    async def erase(
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
        scope = self._scope(user, tenant)
        chosen = None if session_id is None else session_id_from(str(session_id), scope.owner_id)
        erasing = self.services.erasing
        begun = await erasing.begin(scope, session_id=chosen, before=before)
        return with_names(await erasing.complete(begun), scope)

    async def check_receipt(self, receipt: JsonObject) -> JsonObject:
        """Return the receipt of an erasure if this memory signed it and nobody has altered it.

        `InvalidReceipt` says what is wrong with it.
        """
        return await self.services.erasing.check(receipt)

    async def state(self, *, user: str, tenant: GivenTenant = UNSET) -> UserState | None:
        """The user's mode and since when; None where none was set, which means active."""
        return await self.services.states.get(self._scope(user, tenant))

    async def set_state(self, mode: str, *, user: str, tenant: GivenTenant = UNSET) -> UserState:
        """Set the user's mode; while it is 'halted' no question is answered."""
        return await self.services.states.put(self._scope(user, tenant), mode)

    async def delete_state(self, *, user: str, tenant: GivenTenant = UNSET) -> bool:
        """Forget the user's mode; whether there was one."""
        return await self.services.states.delete(self._scope(user, tenant))

    async def tenants(self) -> tuple[TenantReport, ...]:
        """All tenants that have settings of their own, by name."""
        return tuple([report async for report in self.services.tenant_settings.list()])

    async def tenant_settings(self, *, tenant: GivenTenant = UNSET) -> TenantReport:
        """What a tenant has set, and what counts for its users (`effective`)."""
        return await self.services.tenant_settings.get(self._tenant_scope(tenant))

    async def set_tenant_settings(
        self, values: JsonObject, *, tenant: GivenTenant = UNSET, version: int | None = None
    ) -> TenantReport:
        """Set some settings of a tenant, such as `{"mask_pii": "mask"}`; None unsets one.

        They are named and spelled as the server's own. It counts at once in this process, within
        five seconds in others. With `version` only if the settings have that version, else
        `VersionConflict`; 0 is that of a tenant that never had any.
        """
        scope = self._tenant_scope(tenant)
        return await self.services.tenant_settings.change(scope, values, version=version)

    async def delete_tenant_settings(self, *, tenant: GivenTenant = UNSET) -> TenantReport:
        """Unset everything of a tenant: the server's settings count for it again."""
        return await self.services.tenant_settings.delete(self._tenant_scope(tenant))

    async def recall(
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
        scope = self._scope(user, tenant, authorization)
        return await self.services.recall.search(scope, query, k=k, filters=recall_filter(filters))

    async def rewrite(
        self,
        question: str,
        history: Sequence[tuple[str, str]],
        *,
        language: str | None = None,
    ) -> Rewrite:
        """Say a follow-up so that it needs no history; what is not sure comes back unchanged.

        The history is (role, text) pairs, oldest first. `SessionHandle.rewrite` has its own.
        """
        messages = [history_message(role, content) for role, content in history]
        return await self.services.rewriting.after(messages, question, language=language)

    async def catch_up(self) -> int:
        """Do what waits for the background work, and say how much that was.

        Indexes, learns from and summarises new messages, embeds facts without a vector, removes
        deleted messages from a vector store outside, and carries on erasures. For programs without
        a server or a worker, which do this by themselves.
        """
        done = 0
        services = self.services
        for queue in (services.indexing, services.turn_learning, services.fact_reembedding):
            while queue and (some := await queue.do_some()):
                done += some
        while await self.services.work.do_one():
            done += 1
        if self.services.removals is not None:
            done += await self.services.removals.do_all()
        while await self.services.erasing.do_some():
            done += 1
        await self.services.cache_eviction.do_some()
        return done

    async def is_ready(self) -> bool:
        """Whether the database answers, within a second; raises `DatabaseUnavailable` if not."""
        return True if self._is_answering is None else await self._is_answering()

    def is_out_of_space(self) -> bool:
        """Whether the database refused to store something within a minute: its disk is full."""
        return self._was_full_lately()

    def connections(self) -> Mapping[str, int]:
        """How many connections to the database are `busy` and `idle`, and how many are `wanted`."""
        return self._connections()

    async def warm(self) -> None:
        """Load what otherwise the first question waits for: models, and their vocabularies."""
        await self.services.rewriting.prepare()
        await self.services.contexts.prepare()
        if self.services.recall.embedder is not None:
            await self.services.recall.embedder.warm()
        if self.services.recall.reranking is not None:
            await self.services.recall.reranking.warm()

    def _scope(self, user: str, tenant: GivenTenant, authorization: str | None = None) -> Scope:
        name = self._name(tenant)
        return Scope(tenant=name, user=user, actor="library", authorization=authorization)

    def _tenant_scope(self, tenant: GivenTenant) -> TenantScope:
        return TenantScope(tenant=self._name(tenant), actor="library")

    def _name(self, tenant: GivenTenant) -> str:
        if isinstance(tenant, Unset):
            return self._tenant
        return SYSTEM_TENANT if tenant is None else tenant_name(tenant)
