"""The second seed's stories, in Dutch, over the running server, which is killed in the middle."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.engines.postgres.connection.database import Database
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.http.callers import Caller
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

pytestmark = pytest.mark.slow

QUESTION = "Wat zijn de vereisten voor valbeveiliging?"
FOLLOW_UP = "Welke producten heb je daarvoor?"
ANSWER = "Er gelden drie vereisten."
OPENWEBUI = {"User-Agent": "OpenWebUI/1.0"}


@dataclass(frozen=True, kw_only=True)
class Story:
    """The server as users start it, the model it asks, and a caller."""

    server: ServerProgram
    model: ChatDouble
    caller: Caller

    async def ask(self, query: str, session_id: str | None, **headers: str) -> httpx.Response:
        named = {"X-Session-ID": session_id} if session_id else {}
        return await self.caller.post("/chat", {"query": query}, headers={**named, **headers})

    async def restart(self) -> None:
        self.server.kill()
        await asyncio.to_thread(self.server.start)

    def told(self) -> tuple[str, str]:
        """What the model was told last: the system prompt, and the question."""
        messages = self.model.requests[-1].body["messages"]
        assert [message["role"] for message in messages] in (["user"], ["system", "user"])
        system = messages[0]["content"] if len(messages) == 2 else ""
        return system, messages[-1]["content"]


@pytest_asyncio.fixture(scope="module")
async def story(shared_home: Path, database: Database) -> AsyncIterator[Story]:
    async with (
        chat_double(Reply(answer=ANSWER)) as model,
        httpx.AsyncClient(timeout=PATIENCE) as client,
    ):
        env = {
            "MEMORY_TENANT": f"stories-{uuid4()}",
            "MEMORY_WORKER": "false",
            "MEMORY_PRESET": "chat",
            "MEMORY_LLM_BASE_URL": model.url,
            "MEMORY_LLM_MODEL": "qwen2.5:7b",
        }
        server = ServerProgram(shared_home, env=env)
        await asyncio.to_thread(server.start)
        yield Story(server=server, model=model, caller=Caller(client=client, url=server.url))
        server.stop()


async def test_a_follow_up_is_understood_after_the_server_was_killed(story: Story) -> None:
    """Stories 1 and 3: one conversation of OpenWebUI, with a kill -9 after five messages."""
    session_id = str(uuid4())
    first = await story.ask(QUESTION, session_id, **OPENWEBUI)
    assert first.json() == {
        "answer": ANSWER,
        "citations": [],
        "metadata": {
            "messages_in_context": 0,
            "session_id": session_id,
            "question": QUESTION,
            "sources": {
                "messages": [],
                "summary": None,
                "recalled": [],
                "standing_instructions": [],
                "facts": [],
            },
            "recalled": [],
            "warnings": [],
        },
    }
    await story.ask("Wat kost een harnas?", session_id, **OPENWEBUI)
    await story.ask("Welke vereisten gelden voor valbeveiliging op daken?", session_id, **OPENWEBUI)
    await story.restart()

    response = await story.ask(FOLLOW_UP, session_id, **OPENWEBUI)

    assert response.status_code == 200
    assert response.headers["X-Session-ID"] == session_id
    metadata = response.json()["metadata"]
    assert (metadata["session_id"], metadata["messages_in_context"]) == (session_id, 6)
    system, question = story.told()
    assert system.startswith("**Eerdere gesprek:**")
    assert f'Gebruiker: "{QUESTION}"' in system
    assert f'Assistent: "{ANSWER}"' in system
    assert question.startswith(FOLLOW_UP), (
        "a model that reads the conversation gets the user's words"
    )
    session = (await story.caller.get(f"/api/v1/sessions/{session_id}")).json()
    assert (session["message_count"], session["turn_count"]) == (8, 4)
    assert session["metadata"] == {
        "language": "nl",
        "created_via": "openwebui",
        "user_agent": "OpenWebUI/1.0",
    }
    assert session["expires_at"] is None


async def test_the_system_prompt_has_exactly_the_last_ten_messages(story: Story) -> None:
    session_id = str(uuid4())
    for number in range(1, 9):
        response = await story.ask(f"Wat is de norm voor harnas nummer {number}?", session_id)
    assert response.json()["metadata"]["messages_in_context"] == 10
    system, _ = story.told()
    lines = [line for line in system.splitlines() if line.startswith("Gebruiker:")]
    assert [line.rstrip('?"')[-1] for line in lines] == ["3", "4", "5", "6", "7"]


async def test_each_run_of_a_command_line_has_a_conversation_of_its_own(story: Story) -> None:
    """Story 2: the id comes with the first answer, and is lost when the run ends."""
    runs = []
    for _ in range(2):
        session_id: str | None = None
        in_context = []
        for query in (QUESTION, "Wat kost een harnas?", FOLLOW_UP):
            response = await story.ask(query, session_id)
            session_id = response.headers["X-Session-ID"]
            in_context.append(response.json()["metadata"]["messages_in_context"])
        assert in_context == [0, 2, 4]
        runs.append(session_id)
    assert runs[0] != runs[1]
    for session_id in runs:
        stored = await story.caller.get(f"/api/v1/sessions/{session_id}")
        assert stored.json()["message_count"] == 6


async def test_openwebui_must_say_which_conversation_it_means(story: Story) -> None:
    asked = len(story.model.requests)
    for missing in ({}, {"X-Session-ID": ""}):
        response = await story.ask(QUESTION, None, **OPENWEBUI, **missing)
        assert response.status_code == 400
        assert response.json()["error"] == "Missing session_id"
    response = await story.ask(QUESTION, "not-a-uuid", **OPENWEBUI)
    assert response.status_code == 400
    assert response.json() == {
        "error": "Invalid session_id format",
        "detail": "session_id must be a valid UUID",
    }
    assert len(story.model.requests) == asked


async def test_an_id_in_capitals_is_the_same_conversation(story: Story) -> None:
    session_id = str(uuid4())
    await story.ask(QUESTION, session_id.upper())
    response = await story.ask("What do I need for fall protection on a roof?", session_id)
    assert response.headers["X-Session-ID"] == session_id
    assert response.json()["metadata"]["messages_in_context"] == 2
    system, _ = story.told()
    assert system.startswith("**Earlier conversation:**"), "in the language of the question"
