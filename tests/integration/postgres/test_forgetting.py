"""What is deleted is nowhere in the database any more, whichever way it went."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.examples import a_message, a_summary, put_summary
from support.servers.databases import own_database

_TABLES = """
    SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
    WHERE table_schema = 'recollect' AND table_type = 'BASE TABLE'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A user who said something to be forgotten, and something else."""

    services: Services
    stores: Stores
    scope: Scope
    connection: asyncpg.Connection
    session_id: UUID = field(default_factory=uuid4)
    marker: str = field(default_factory=lambda: f"bsn{uuid4().hex}")

    async def say_it(self) -> Message:
        """Say it first, so that the session is named after it, and summarise and index it."""
        await self.services.sessions.start(self.scope, NewSession(session_id=self.session_id))
        messages = [
            a_message("user", f"My number is {self.marker}"),
            a_message("assistant", "I will remember that."),
            a_message("user", "What is the weather like?"),
            a_message("assistant", "Sunny."),
        ]
        stored = await self.services.messages.append(self.scope, self.session_id, messages)
        summary = a_summary(f"The number is {self.marker}.", through=2)
        assert await put_summary(self.stores, self.scope, self.session_id, summary, replaces=0)
        await self.index()
        return stored.messages[0]

    async def index(self) -> None:
        assert self.services.indexing is not None
        await self.services.indexing.do_session(self.scope, self.session_id)

    async def places(self) -> set[str]:
        """The tables with a row that has it."""
        tables = [row["name"] for row in await self.connection.fetch(_TABLES)]
        counts = {
            table: await self.connection.fetchval(
                f"SELECT count(*) FROM {table} AS t WHERE strpos(t::text, $1) > 0",  # noqa: S608  # our own tables
                self.marker,
            )
            for table in tables
        }
        return {table.removeprefix("recollect.") for table, count in counts.items() if count}

    async def recalled(self) -> list[str]:
        results = await self.services.recall.search(self.scope, f"number {self.marker}")
        return [one.text for one in results.items if self.marker in one.text]


@pytest_asyncio.fixture(scope="module")
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database for these tests alone: they read every row of it, a second where all tests are."""
    async with own_database(admin_dsn, "forgetting") as dsn:
        yield dsn


@pytest_asyncio.fixture(scope="module")
async def own_stores(own_dsn: str) -> AsyncIterator[Stores]:
    async with open_external(own_dsn, max_connections=5) as database:
        yield postgres_stores(database, SystemClock())


@pytest_asyncio.fixture
async def scene(own_stores: Stores, scope: Scope, own_dsn: str) -> AsyncIterator[Scene]:
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(own_stores, around)
    connection = await asyncpg.connect(own_dsn)
    yield Scene(services=services, stores=own_stores, scope=scope, connection=connection)
    await connection.close()


Way = Callable[[Scene, Message], Awaitable[object]]
WAYS: dict[str, Way] = {
    "message": lambda s, m: s.services.messages.delete(s.scope, s.session_id, m.message_id),
    "clear": lambda s, _: s.services.messages.clear(s.scope, s.session_id),
    "message of the history": lambda s, m: s.services.history.delete(s.scope, m.message_id),
    "clear history": lambda s, _: s.services.history.clear(s.scope),
    "trim history": lambda s, _: s.services.history.trim(s.scope, keep_last=2),
    "session": lambda s, _: s.services.sessions.delete(s.scope, s.session_id),
}


async def delete_owner(scene: Scene) -> None:
    statement = "DELETE FROM recollect.owners WHERE owner_id = $1"
    assert await scene.connection.execute(statement, scene.scope.owner_id) == "DELETE 1"


WAYS_OF_PROFILES: dict[str, Callable[[Scene], Awaitable[object]]] = {
    "set anew": lambda s: s.services.profiles.set(s.scope, "number", "none"),
    "merge": lambda s: s.services.profiles.merge(s.scope, "number", {"is": None}),
    "key": lambda s: s.services.profiles.delete(s.scope, "number"),
    "clear": lambda s: s.services.profiles.clear(s.scope),
    "owner": delete_owner,
}


@pytest.mark.parametrize("way", WAYS_OF_PROFILES.values(), ids=WAYS_OF_PROFILES)
async def test_deleted_values_of_a_profile_are_in_no_table(
    scene: Scene, way: Callable[[Scene], Awaitable[object]]
) -> None:
    await scene.services.profiles.set(scene.scope, "number", {"is": scene.marker})
    assert await scene.places() == {"profile_values"}

    await way(scene)

    assert await scene.places() == set()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_deleted_messages_are_in_no_table_and_not_recalled(scene: Scene, way: Way) -> None:
    message = await scene.say_it()
    assert await scene.places() == {"messages", "sessions", "summaries", "recall_entries"}
    assert len(await scene.recalled()) == 1

    await way(scene, message)

    assert await scene.places() == set()
    assert await scene.recalled() == []
    await scene.index()
    assert await scene.places() == set()
    listed = await scene.services.sessions.list(scene.scope, PageRequest())
    assert all(scene.marker not in str(session) for session in listed.items)
