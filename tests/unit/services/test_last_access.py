"""Every access to a session counts as use, and nobody waits until that is written."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import SessionChanges
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallFilter
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.conversations import SessionStore
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import CountingIds, FixedClock
from support.examples import a_message, a_scope, a_session
from support.logs import logged

A_WEEK = timedelta(days=7)
QUESTION = "What is the capital of France?"


@dataclass(slots=True)
class SlowSessions:
    """Sessions that can be kept from being noted as used."""

    inner: SessionStore
    may_touch: asyncio.Event = field(default_factory=asyncio.Event)
    is_away: bool = False
    touched: list[UUID] = field(default_factory=list)

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        await self.may_touch.wait()
        if self.is_away:
            raise DatabaseUnavailable("away")
        self.touched.append(session_id)
        await self.inner.touch(scope, session_id, now=now, expires_at=expires_at)

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A session of one question and its answer, kept for a week from its last use."""

    services: Services
    stores: Stores
    sessions: SlowSessions
    clock: FixedClock
    scope: Scope
    session_id: UUID

    async def end(self) -> datetime:
        await self.services.settle()
        session = await self.stores.sessions.get(self.scope, self.session_id)
        assert session is not None
        assert session.expires_at is not None
        return session.expires_at


@pytest_asyncio.fixture
async def scene() -> AsyncIterator[Scene]:
    clock, scope, session = FixedClock(), a_scope(), a_session()
    stores = in_memory_stores(clock)
    slow = SlowSessions(stores.sessions)
    slow.may_touch.set()
    around = ServiceDependencies(
        clock=clock, ids=CountingIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(
        replace(stores, sessions=slow),  # type: ignore[arg-type]  # the rest is the store's own
        around,
        load_settings(retention="sliding:7").policies(),
    )
    await services.sessions.start(scope, session)
    messages = [a_message(), a_message("assistant", "2.5M")]
    await services.messages.append(scope, session.session_id, messages)
    yield Scene(
        services=services,
        stores=stores,
        sessions=slow,
        clock=clock,
        scope=scope,
        session_id=session.session_id,
    )
    slow.may_touch.set()
    await services.settle()


Access = Callable[[Scene], Awaitable[object]]
ACCESSES: dict[str, Access] = {
    "the session": lambda s: s.services.sessions.get(s.scope, s.session_id),
    "resumed": lambda s: s.services.sessions.start(s.scope, a_session(s.session_id)),
    "renamed": lambda s: s.services.sessions.change(
        s.scope, s.session_id, SessionChanges(name="Sales")
    ),
    "last messages": lambda s: s.services.messages.last(s.scope, s.session_id, count=1),
    "list of messages": lambda s: s.services.messages.list(s.scope, s.session_id, PageRequest()),
    "a turn": lambda s: s.services.messages.turn_status(s.scope, s.session_id, 1),
    "context": lambda s: s.services.contexts.build(s.scope, s.session_id, QUESTION),
    "rewrite": lambda s: s.services.rewriting.in_session(s.scope, s.session_id, QUESTION),
    "recall in it": lambda s: s.services.recall.search(
        s.scope, "sales", filters=RecallFilter(session_id=s.session_id)
    ),
    "message": lambda s: s.services.messages.append(s.scope, s.session_id, [a_message()]),
}


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
async def test_every_access_moves_a_sliding_end(scene: Scene, access: Access) -> None:
    for _ in range(3):
        scene.clock.move(timedelta(days=6))
        await access(scene)
        assert scene.clock.now() + A_WEEK <= await scene.end()


LOOKS: dict[str, Access] = {
    "sessions": lambda s: s.services.sessions.list(s.scope, PageRequest()),
    "history": lambda s: s.services.history.list(s.scope, PageRequest()),
    "count": lambda s: s.services.history.count(s.scope),
    "recall": lambda s: s.services.recall.search(s.scope, "sales"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
async def test_a_look_over_all_sessions_is_no_access_to_each(scene: Scene, look: Access) -> None:
    before = await scene.end()
    scene.clock.move(timedelta(days=6))
    await look(scene)
    assert await scene.end() == before


async def test_frequent_reads_are_recorded_once_a_minute(scene: Scene) -> None:
    scene.clock.move(timedelta(minutes=5))
    for _ in range(12):
        for access in ("the session", "last messages", "context"):
            await ACCESSES[access](scene)
            await scene.services.settle()
        scene.clock.move(timedelta(seconds=10))
    assert len(scene.sessions.touched) == 2


async def test_a_read_right_after_a_write_is_not_recorded(scene: Scene) -> None:
    scene.clock.move(timedelta(days=1))
    await ACCESSES["message"](scene)
    await ACCESSES["last messages"](scene)
    await scene.services.settle()
    assert scene.sessions.touched == []


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
async def test_callers_do_not_wait_for_the_recording_of_their_access(
    scene: Scene, access: Access
) -> None:
    scene.clock.move(timedelta(days=1))
    scene.sessions.may_touch.clear()
    await access(scene)
    assert scene.sessions.touched == []


async def test_an_access_that_could_not_be_recorded_is_recorded_at_the_next_one(
    scene: Scene,
) -> None:
    scene.clock.move(timedelta(days=1))
    scene.sessions.is_away = True
    await ACCESSES["last messages"](scene)
    await scene.services.settle()
    scene.sessions.is_away = False
    await ACCESSES["last messages"](scene)
    assert await scene.end() >= scene.clock.now() + A_WEEK


async def test_sessions_read_at_once_are_each_noted(scene: Scene) -> None:
    others = [a_session() for _ in range(20)]
    for other in others:
        await scene.services.sessions.start(scene.scope, other)
    scene.clock.move(timedelta(days=1))
    await asyncio.gather(
        *(scene.services.messages.last(scene.scope, o.session_id, count=1) for o in others)
    )
    await scene.services.settle()
    assert set(scene.sessions.touched) == {other.session_id for other in others}


async def test_closing_does_not_wait_for_a_database_that_hangs(
    scene: Scene, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.services.services._SETTLE_SECONDS", 0.1)
    scene.clock.move(timedelta(days=1))
    scene.sessions.may_touch.clear()
    await scene.services.sessions.get(scene.scope, scene.session_id)

    await scene.services.settle()
    scene.sessions.may_touch.set()
    monkeypatch.undo()
    await scene.services.settle()

    assert scene.sessions.touched == []
    assert logged(caplog, "memory") == ["memory.not_settled"]
