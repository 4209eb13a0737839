"""Contexts while more is asked than the models in the process can read."""

import asyncio
from dataclasses import dataclass, replace
from uuid import UUID

import httpx
import pytest

from recollect.composition import build_services
from recollect.domain.context.context import Context
from recollect.domain.identity.scope import Scope
from recollect.domain.pace import Pace
from recollect.domain.recall.ranking import Candidate
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.context.contexts import HURRIED
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.testing import CountingIds, FakeFollowUpModel, FixedClock, WordEmbedder
from support.examples import a_message, a_scope, a_session
from support.recall.scripted_index import ScriptedIndex, an_entry

FOLLOW_UP = "Who runs it?"
STANDALONE = "Who runs the shop in Utrecht?"


class OverloadedPace(Pace):
    """One that chooses no question."""

    def chooses_next(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    services: Services
    index: ScriptedIndex
    embedder: WordEmbedder
    scope: Scope
    session_id: UUID

    async def ask(self, question: str) -> Context:
        return await self.services.contexts.build(self.scope, self.session_id, question)


async def a_scene(pace: Pace) -> Scene:
    """A user who has asked about a shop."""
    clock, embedder = FixedClock(), WordEmbedder()
    index = ScriptedIndex(an_entry("Who runs which shop? Ann runs the one in Utrecht."))
    around = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        embedder=embedder,
        follow_up_model=FakeFollowUpModel({FOLLOW_UP: STANDALONE}),
        pace=pace,
    )
    stores = replace(in_memory_stores(clock), recall=index)
    services = build_services(stores, around, load_settings().policies())
    scope, session = a_scope(), a_session()
    await services.sessions.start(scope, session)
    asked = [a_message("user", "Is there a shop in Utrecht?"), a_message("assistant", "Yes.")]
    await services.messages.append(scope, session.session_id, asked)
    return Scene(
        services=services,
        index=index,
        embedder=embedder,
        scope=scope,
        session_id=session.session_id,
    )


async def test_a_question_that_is_not_chosen_is_read_without_models() -> None:
    scene = await a_scene(OverloadedPace())

    context = await scene.ask(FOLLOW_UP)

    assert context.standalone_question == FOLLOW_UP
    assert scene.embedder.embedded == []
    assert [query.vector for query in scene.index.queries] == [None]
    assert HURRIED in context.warnings


async def test_it_has_its_window_and_what_shares_words_with_it() -> None:
    scene = await a_scene(OverloadedPace())

    context = await scene.ask("Who runs the shop?")

    assert [message.content for message in context.window] == [
        "Is there a shop in Utrecht?",
        "Yes.",
    ]
    assert [found.text for found in context.recalled] == [
        entry.entry.text for entry in scene.index.candidates
    ]


async def test_rules_read_what_they_can() -> None:
    scene = await a_scene(OverloadedPace())
    asked = [a_message("user", "Show me sales by region for 2024"), a_message("assistant", "2M")]
    await scene.services.messages.append(scene.scope, scene.session_id, asked)

    context = await scene.ask("What about 2023?")

    assert context.standalone_question == "Show me sales by region for 2023"


async def test_a_chosen_question_is_read_by_models() -> None:
    scene = await a_scene(Pace(0.1))

    context = await scene.ask(FOLLOW_UP)

    assert context.standalone_question == STANDALONE
    assert STANDALONE in scene.embedder.embedded
    assert HURRIED not in context.warnings


async def test_a_search_is_always_by_meaning() -> None:
    scene = await a_scene(OverloadedPace())

    found = await scene.services.recall.search(scene.scope, "Who runs the shop?")

    assert scene.embedder.embedded == ["Who runs the shop?"]
    assert found.warnings == ()


async def test_requests_that_wait_for_a_place_leave_no_time_for_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NotedPace(Pace):
        """One that counts the requests that waited."""

        waited = 0

        def note_wait(self, seconds: float) -> None:
            self.waited += 1

    async def search_slowly(self: ScriptedIndex, *_: object) -> tuple[Candidate, ...]:
        await asyncio.sleep(0.01)
        return self.candidates

    monkeypatch.setattr(ScriptedIndex, "search", search_slowly)
    pace = NotedPace()
    memory = Memory((await a_scene(pace)).services)
    transport = httpx.ASGITransport(app=create_app(memory, load_settings(max_requests_at_work=1)))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        asking = (client.post("/api/v1/recall", json={"query": "the shop"}) for _ in range(4))
        replies = await asyncio.gather(*asking)
    assert {reply.status_code for reply in replies} == {200}
    assert pace.waited == 3
