"""What a user asks for once in a chat holds in all their conversations, over the running server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import jwt
import pytest_asyncio

from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.http.callers import Caller, Json
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

SECRET = "a secret that is long enough for HS256"
DUTCH = "From now on answer in Dutch."
EUROS = "Geef bedragen altijd in euro's."


@dataclass(frozen=True, kw_only=True)
class Story:
    """The server as users start it, the model it asks, and callers."""

    model: ChatDouble
    server: Caller

    def user(self, name: str) -> Caller:
        token = jwt.encode({"sub": name, "exp": 4_102_444_800}, SECRET, algorithm="HS256")
        return self.server.with_headers({"Authorization": f"Bearer {token}"})

    async def chat(self, caller: Caller, session_id: str, text: str) -> list[Json]:
        """Say something through chat completions; the messages that the model then reads."""
        said = {"model": "m", "messages": [{"role": "user", "content": text}]}
        headers = {"X-Session-ID": session_id}
        response = await caller.post("/v1/chat/completions", said, headers=headers)
        assert response.status_code == 200, response.text
        messages: list[Json] = self.model.requests[-1].body["messages"]
        return messages

    async def context(self, caller: Caller, form: str = "object", *, standing: int = 0) -> Json:
        """The context of a question in a new session, once it has so many instructions."""
        session = await caller.start_session()
        path = f"/api/v1/sessions/{session['session_id']}/context"
        async with asyncio.timeout(PATIENCE):
            while True:
                question = {"question": "What is new?"}
                whole: Json = (await caller.post(path, question)).json()
                if len(whole["standing_instructions"]) >= standing:
                    break
                await asyncio.sleep(0.1)
        response = await caller.post(f"{path}?format={form}", question)
        assert response.status_code == 200, response.text
        rendered: Json = response.json()
        return rendered


@pytest_asyncio.fixture
async def story(home: Path) -> AsyncIterator[Story]:
    async with (
        chat_double(Reply(answer="Goed.")) as model,
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client,
    ):
        env = {
            "MEMORY_LLM_BASE_URL": model.url,
            "MEMORY_LLM_MODEL": "m",
            "MEMORY_USER_ID_SOURCE": "jwt_claim",
            "MEMORY_JWT_SECRET": SECRET,
        }
        server = ServerProgram(home, env=env)
        await asyncio.to_thread(server.start)
        yield Story(model=model, server=Caller(client=client, url=server.url))
        await asyncio.to_thread(server.stop)


async def test_what_was_said_in_one_chat_holds_in_another(story: Story) -> None:
    ada, bob = story.user("ada"), story.user("bob")
    first = str(uuid4())
    await story.chat(ada, first, f"{DUTCH} What is a cube?")
    await story.chat(ada, first, f"Bedankt! {EUROS}")

    context = await story.context(ada, standing=2)

    standing = context["standing_instructions"]
    assert [one["text"] for one in standing] == [DUTCH, EUROS]
    assert {one["session_id"] for one in standing} == {first}
    ids = [one["message_id"] for one in standing]
    assert context["sources"]["standing_instructions"] == ids
    assert DUTCH in context["messages"][0]["content"]
    assert context["tokens"] <= context["max_tokens"]
    for form, part in (
        ("messages", "messages"),
        ("instructions", "instructions"),
        ("block", "block"),
        ("variables", "standing_instructions"),
    ):
        rendered = await story.context(ada, form, standing=2)
        assert DUTCH in str(rendered[part]), form

    system, question = await story.chat(ada, str(uuid4()), "What is a sphere?")
    assert system["role"] == "system"
    assert DUTCH in system["content"]
    assert question["content"].endswith("What is a sphere?")
    again = await story.chat(ada, first, "And a cone?")
    assert sum(message["content"].count(DUTCH) for message in again) == 1, "the window has it"

    assert (await story.context(bob))["standing_instructions"] == []
    assert DUTCH not in str(await story.chat(bob, str(uuid4()), "What is a sphere?"))

    for one in standing:
        await ada.delete(f"/api/v1/memory/{one['fact_id']}")
    assert (await story.context(ada))["standing_instructions"] == []
    listed = (await ada.get("/api/v1/memory", status="retracted")).json()["items"]
    assert {(one["content"], one["slot"]) for one in listed} == {
        (DUTCH, "answer_language"),
        (EUROS, "answer_style"),
    }
