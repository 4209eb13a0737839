"""The library's front door: opens an engine and joins everything to it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self
from uuid import UUID

from recollect.conversation import Conversation
from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.message import Message, parse_role
from recollect.domain.paging import DEFAULT_LIMIT, Order, Page, PageRequest
from recollect.domain.scope import DEFAULT_TENANT, Scope
from recollect.domain.session import NewSession, Session, session_id_from
from recollect.domain.text import JsonObject
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.postgres.database import Database
from recollect.engines.postgres.engine import open_embedded, open_external
from recollect.engines.postgres.stores import postgres_stores
from recollect.models.openai_compatible import OpenAICompatibleChat
from recollect.models.tokens import token_counter_for
from recollect.services.services import Services, Surroundings
from recollect.settings import Settings, load_settings
from recollect.system import RandomIds, SystemClock


class Memory:
    """The memory of all users. Open it with `async with Memory.open() as memory:`."""

    def __init__(
        self,
        services: Services,
        *,
        tenant: str = DEFAULT_TENANT,
        is_answering: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.services = services
        self._tenant = tenant
        self._is_answering = is_answering

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        *,
        home: Path | str | None = None,
        connection_string: str | None = None,
    ) -> AsyncIterator[Self]:
        """Open the memory in PostgreSQL: an embedded one, unless the settings name another.

        Without arguments the MEMORY_* environment variables decide; `home` is the folder of the
        embedded server, `connection_string` a server of your own.
        """
        chosen = {"home": home, "db_connection_string": connection_string}
        given = {name: value for name, value in chosen.items() if value is not None}
        settings = settings or load_settings(**given)
        async with _open_database(settings) as database, _surroundings(settings) as around:
            stores = postgres_stores(database, around.clock)
            services = Services.on(stores, around, settings.policies())
            yield cls(services, tenant=settings.tenant, is_answering=database.is_answering)

    @classmethod
    @asynccontextmanager
    async def in_memory(cls) -> AsyncIterator[Self]:
        """Open a memory that is gone when the block ends: for your tests."""
        around = Surroundings(clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for)
        yield cls(Services.on(in_memory_stores(), around))

    async def session(
        self,
        session_id: str | UUID | None = None,
        *,
        user: str,
        tenant: str | None = None,
        name: str | None = None,
        metadata: JsonObject | None = None,
    ) -> Conversation:
        """Resume the user's session of that id, or create it; without an id, a new one.

        Any string will do: a UUID is taken as it is, anything else stands for one session of
        that user. Name and metadata are for a new session; an existing one keeps its own.
        """
        scope = self._scope(user, tenant)
        text = "" if session_id is None else str(session_id).strip()
        chosen = session_id_from(text, scope.owner_id) if text else self.services.ids.new_id()
        known_as = {} if text.lower() in {"", str(chosen)} else {"external_id": text}
        session = NewSession(
            session_id=chosen, name=name, metadata={**known_as, **(metadata or {})}
        )
        await self.services.sessions.start(scope, session)
        return Conversation(self.services, scope, chosen)

    async def sessions(
        self,
        *,
        user: str,
        tenant: str | None = None,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Session]:
        """List a user's sessions in pages, the last changed one first by default."""
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        return await self.services.sessions.list(self._scope(user, tenant), page)

    async def history(
        self,
        *,
        user: str,
        tenant: str | None = None,
        limit: int = DEFAULT_LIMIT,
        order: str = Order.DESC,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Message]:
        """List a user's messages across all sessions in pages, newest first by default."""
        page = PageRequest.of(limit=limit, order=order, cursor=cursor, offset=offset)
        return await self.services.history.list(self._scope(user, tenant), page)

    async def count_history(self, *, user: str, tenant: str | None = None) -> int:
        """Count a user's messages."""
        return await self.services.history.count(self._scope(user, tenant))

    async def clear_history(self, *, user: str, tenant: str | None = None) -> int:
        """Delete all of a user's messages and say how many; the sessions stay."""
        return await self.services.history.clear(self._scope(user, tenant))

    async def trim_history(self, *, user: str, keep_last: int, tenant: str | None = None) -> int:
        """Delete all but a user's newest messages and say how many went."""
        scope = self._scope(user, tenant)
        return await self.services.history.trim(scope, keep_last=keep_last)

    async def delete_message(
        self, message_id: UUID, *, user: str, tenant: str | None = None
    ) -> None:
        """Delete one of a user's messages, in whichever session it is."""
        await self.services.history.delete(self._scope(user, tenant), message_id)

    async def rewrite(
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
        said = [Said(role=parse_role(role), content=content) for role, content in history]
        return await self.services.rewriting.after(said, question, model=model, language=language)

    async def is_ready(self) -> bool:
        """Whether the database answers; raises `DatabaseUnavailable` with the reason if not."""
        return True if self._is_answering is None else await self._is_answering()

    def _scope(self, user: str, tenant: str | None) -> Scope:
        return Scope(tenant=tenant or self._tenant, user=user, actor="library")


@asynccontextmanager
async def _surroundings(settings: Settings) -> AsyncIterator[Surroundings]:
    """What the services need beside the engine, a model among it if one is set."""
    around = Surroundings(clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for)
    if settings.llm_base_url is None or settings.llm_model is None:
        yield around
        return
    async with (
        _chat(settings, settings.llm_model) as answering,
        _chat(settings, settings.summarization_model or settings.llm_model) as summarising,
    ):
        yield replace(
            around,
            answering_model=answering,
            summarising_model=summarising,
            model_timeout=settings.llm_timeout_seconds,
        )


def _chat(settings: Settings, model: str) -> OpenAICompatibleChat:
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    return OpenAICompatibleChat(settings.llm_base_url or "", model=model, api_key=key)


def _open_database(settings: Settings) -> AbstractAsyncContextManager[Database]:
    size = settings.db_max_connections
    if settings.db_connection_string is None:
        return open_embedded(settings.home, max_connections=size)
    return open_external(settings.db_connection_string.get_secret_value(), max_connections=size)
