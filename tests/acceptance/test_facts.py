"""What a user says through one door is known behind the others, over the running server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest_asyncio

from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.http.callers import Caller, Json
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

GARAGE = "I park my car in garage 4."


@dataclass(frozen=True, kw_only=True)
class Story:
    """The server as users start it, and the model it asks."""

    model: ChatDouble
    caller: Caller

    async def complete(self, text: str) -> str:
        """Say something through chat completions; all that the model then reads."""
        said = {"model": "m", "messages": [{"role": "user", "content": text}]}
        headers = {"X-Session-ID": str(uuid4())}
        response = await self.caller.post("/v1/chat/completions", said, headers=headers)
        assert response.status_code == 200, response.text
        return str(self.model.requests[-1].body["messages"])

    async def facts(self, *, status: str = "active") -> list[Json]:
        listed = await self.caller.get(f"/api/v1/memory?status={status}")
        items: list[Json] = listed.json()["items"]
        return items

    async def learnt(self, count: int) -> list[Json]:
        """The facts, once there are so many."""
        async with asyncio.timeout(PATIENCE):
            while len(facts := await self.facts()) < count:  # noqa: ASYNC110  # over HTTP
                await asyncio.sleep(0.1)
        return facts


@pytest_asyncio.fixture
async def story(home: Path) -> AsyncIterator[Story]:
    async with (
        chat_double(Reply(answer="Good.")) as model,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        env = {"MEMORY_LLM_BASE_URL": model.url, "MEMORY_LLM_MODEL": "m"}
        server = ServerProgram(home, env=env)
        await asyncio.to_thread(server.start)
        yield Story(model=model, caller=Caller(client=client, url=server.url))
        await asyncio.to_thread(server.stop)


async def test_a_fact_goes_through_every_door_until_it_is_withdrawn(story: Story) -> None:
    await story.complete("Ik woon in Utrecht en ik werk bij de gemeente. Wat is een fietsroute?")
    await story.complete(f"Remember that {GARAGE}")
    facts = await story.learnt(2)
    assert any("Utrecht" in fact["content"] for fact in facts)
    parked = next(fact for fact in facts if fact["content"] == GARAGE)
    assert parked["evidence"]["quote"] == GARAGE.removesuffix(".")

    assert GARAGE in await story.complete("Where is my car parked?")
    chatted = await story.caller.post("/chat", {"query": "In which garage is my car parked?"})
    assert chatted.status_code == 200, chatted.text
    assert GARAGE in str(story.model.requests[-1].body["messages"])

    await story.complete(f"Forget that {GARAGE}")
    assert GARAGE not in [fact["content"] for fact in await story.facts()]
    session = await story.caller.start_session()
    path = f"/api/v1/sessions/{session['session_id']}/context"
    context = (await story.caller.post(path, {"question": "Where is my car parked now?"})).json()
    assert GARAGE not in str(context["facts"]), "the conversation itself may still be recalled"
    history = (await story.caller.get(f"/api/v1/memory/{parked['fact_id']}")).json()["history"]
    assert [change["kind"] for change in history] == ["created", "retracted"]
