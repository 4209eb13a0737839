"""Indexing and reindexing, on the engine that keeps everything in this process."""

from datetime import timedelta
from uuid import UUID

import pytest

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.recall.entry import IndexedEntry, RecallQuery
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.services import ServiceDependencies, Services
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, append, start_session


class Scene:
    """An owner who talks, a model that embeds, and workers of the same stores."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.stores: Stores = in_memory_stores(self.clock)
        self.scope: Scope = a_scope()
        self.embedder = WordEmbedder()

    def services(self, policies: Policies | None = None) -> Services:
        around = ServiceDependencies(
            clock=self.clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            embedder=self.embedder,
        )
        return build_services(self.stores, around, policies)

    @property
    def indexing(self) -> Indexing:
        indexing = self.services().indexing
        assert indexing is not None
        return indexing

    @property
    def reindexing(self) -> Reindexing:
        reindexing = self.services().reindexing
        assert reindexing is not None
        return reindexing

    async def talk(self, *said: str) -> UUID:
        """A session of questions and answers, one after the other."""
        session = await start_session(self.stores, self.scope)
        roles = ("user", "assistant") * len(said)
        messages = [a_message(role, text) for role, text in zip(roles, said, strict=False)]
        await append(self.stores, self.scope, session.session_id, *messages)
        return session.session_id

    async def kept(self, words: str = "skis sledge") -> dict[str, bool]:
        """The texts that are found, and whether by their meaning too."""
        assert self.stores.recall is not None
        (vector,) = await WordEmbedder().embed([words])
        terms = dict.fromkeys(words.split(), 1.0)
        query = RecallQuery(terms=terms, model=self.embedder.model, vector=vector, count=99)
        found = await self.stores.recall.search(self.scope, query)
        return {one.entry.text: one.meanings[one.own] is not None for one in found}


SKIS = "Question: skis Result summary: nine"
SLEDGE = "Question: sledge Result summary: ten"


async def test_every_exchange_is_found_once_it_is_indexed() -> None:
    scene = Scene()
    await scene.talk("skis", "nine", "sledge", "ten")
    assert await scene.kept() == {}
    assert await scene.indexing.do_some() == 2
    assert await scene.kept() == {SKIS: True, SLEDGE: True}
    assert await scene.indexing.do_some() == 0


async def test_indexing_again_after_a_crash_does_not_duplicate_entries() -> None:
    scene = Scene()
    session_id = await scene.talk("skis", "nine")
    store = scene.stores.indexing
    assert store is not None
    turns = await store.due(scene.scope, session_id, limit=9)
    await scene.indexing.do_session(scene.scope, session_id)
    await append(scene.stores, scene.scope, session_id, a_message("assistant", "or ten"))
    await scene.indexing.do_session(scene.scope, session_id)
    await store.done(scene.scope, session_id, turns)
    assert await scene.kept() == {"Question: skis Result summary: nine or ten": True}


async def test_a_failed_turn_is_found_no_longer() -> None:
    scene = Scene()
    session_id = await scene.talk("skis")
    await append(scene.stores, scene.scope, session_id, a_message(content="sledge"))
    await scene.indexing.do_some()
    assert await scene.kept() == {"skis": True}
    await scene.stores.messages.fail_turn(scene.scope, session_id, 1)
    await scene.indexing.do_some()
    assert await scene.kept() == {}


async def test_without_its_model_an_exchange_is_found_by_words_and_later_by_meaning() -> None:
    scene = Scene()
    scene.embedder.is_available = False
    await scene.talk("skis", "nine")
    assert await scene.indexing.do_some() == 1
    assert await scene.kept() == {SKIS: False}
    scene.embedder.is_available = True
    assert await scene.reindexing.waiting() == 1
    assert await scene.reindexing.do_all() == 1
    assert await scene.kept() == {SKIS: True}
    assert await scene.reindexing.waiting() == 0


async def test_an_unavailable_embedder_is_not_called_for_every_session() -> None:
    scene = Scene()
    scene.embedder.is_available = False
    indexing = scene.indexing
    await scene.talk("skis", "nine")
    await indexing.do_some()
    scene.embedder.is_available = True
    await scene.talk("sledge", "ten")
    await indexing.do_some()
    assert scene.embedder.embedded == []
    scene.clock.move(timedelta(minutes=1))
    await scene.talk("sledge", "eleven")
    await indexing.do_some()
    assert scene.embedder.embedded == ["sledge\neleven"]


async def test_a_session_that_cannot_be_indexed_does_not_keep_others_from_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    bad = await scene.talk("skis", "nine")
    await scene.talk("sledge", "ten")
    assert scene.stores.recall is not None
    replace_entries = scene.stores.recall.replace

    async def replace_but_one(
        scope: Scope, session_id: UUID, turns: list[int], entries: list[IndexedEntry]
    ) -> None:
        if session_id == bad:
            raise ValueError("skis")
        await replace_entries(scope, session_id, turns, entries)

    indexing = scene.indexing
    object.__setattr__(indexing, "index", _Index(replace_but_one))
    assert await indexing.do_some() == 1
    assert await indexing.do_some() == 0, "it waits before it is tried again"
    assert await scene.kept() == {SLEDGE: True}
    assert "skis" not in [record.getMessage() for record in caplog.records]
    scene.clock.move(timedelta(minutes=2))
    indexing.index = scene.stores.recall
    assert await indexing.do_some() == 1
    assert await scene.kept() == {SKIS: True, SLEDGE: True}


class _Index:
    def __init__(self, replace: object) -> None:
        self.replace = replace


async def test_a_new_model_embeds_again_what_the_old_one_has_embedded() -> None:
    scene = Scene()
    for number in range(70):
        await scene.talk(f"skis {number}", "nine")
    while await scene.indexing.do_some():
        pass
    scene.embedder = WordEmbedder(model="another")
    assert set((await scene.kept()).values()) == {False}
    assert await scene.reindexing.do_some(at_once=64) == 64
    assert sorted((await scene.kept()).values()).count(True) == 64
    told: list[int] = []
    assert await scene.reindexing.do_all(progress=told.append) == 6
    assert told == [6]
    assert set((await scene.kept()).values()) == {True}


def test_where_recall_is_off_nothing_is_indexed() -> None:
    services = Scene().services(Policies(keeps_index=False))
    assert services.indexing is None
    assert services.reindexing is None


async def test_it_is_behind_as_long_as_a_round_leaves_something() -> None:
    scene = Scene()
    indexing = scene.indexing
    await scene.talk(*("skis", "nine") * 65)
    assert (await indexing.do_some(), indexing.is_behind) == (64, True)
    assert (await indexing.do_some(), indexing.is_behind) == (1, False)
    for _ in range(33):
        await scene.talk("sledge", "ten")
    assert (await indexing.do_some(), indexing.is_behind) == (32, True)
    assert (await indexing.do_some(), indexing.is_behind) == (1, False)


async def test_sessions_that_rest_leave_nothing_to_do_now(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    indexing = scene.indexing
    for _ in range(40):
        await scene.talk("skis", "nine")

    async def broken(*_: object) -> int:
        raise RuntimeError("cannot be indexed")

    monkeypatch.setattr(Indexing, "do_session", broken)
    for _ in range(2):
        assert (await indexing.do_some(), indexing.is_behind) == (0, False)
