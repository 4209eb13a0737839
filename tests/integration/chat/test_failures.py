"""What a question meets when something breaks: the response, what is stored, what is logged."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.ports import Stores
from recollect.services.chat.degradation import NO_MEMORY, NOT_STORED, REPLY_NOT_STORED
from support.doubles.chat_endpoint import ChatDouble, Reply, chat_double
from support.http.callers import Caller, Json
from support.servers.answering_server import answering_server
from support.servers.database_proxy import DatabaseProxy, proxied_stores
from support.timeouts import PATIENCE

QUESTION = "How much did the zeppelin cost?"
ANSWER = "It cost 3 million in all."


@dataclass(frozen=True, kw_only=True)
class Case:
    """A server whose database can be cut off, the model it asks, and one conversation."""

    way: DatabaseProxy
    model: ChatDouble
    caller: Caller
    session_id: str = field(default_factory=lambda: str(uuid4()))

    def request(self, *, stream: bool = False) -> dict[str, object]:
        return {
            "url": f"{self.caller.url}/chat",
            "json": {"query": QUESTION, "stream": stream},
            "headers": {"X-Session-ID": self.session_id},
        }

    async def ask(self, *, stream: bool = False) -> httpx.Response:
        return await self.caller.client.post(**self.request(stream=stream))  # type: ignore[arg-type]

    async def has_been_asked(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not self.model.requests:  # noqa: ASYNC110  # the model is another's server
                await asyncio.sleep(0.01)

    async def stored(self) -> list[tuple[str, str]]:
        items = await self.caller.messages({"session_id": self.session_id}, order="asc")
        return [(item["role"], item["content"]) for item in items]

    async def status(self) -> str:
        path = f"/api/v1/sessions/{self.session_id}/turns/1"
        return str((await self.caller.get(path)).json()["status"])

    async def becomes(self, status: str) -> None:
        """Wait until the turn has come so far."""
        async with asyncio.timeout(PATIENCE):
            while await self.status() != status:  # noqa: ASYNC110  # another request sees it
                await asyncio.sleep(0.05)


@pytest_asyncio.fixture(scope="module")
async def proxied(
    admin_dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[DatabaseProxy, Stores]]:
    folder: Path = tmp_path_factory.mktemp("s")
    async with proxied_stores(admin_dsn, folder) as found:
        yield found


@asynccontextmanager
async def case_of(
    proxied: tuple[DatabaseProxy, Stores], reply: Reply, **settings: object
) -> AsyncIterator[Case]:
    way, stores = proxied
    async with (
        chat_double(reply) as model,
        answering_server(
            stores, llm_base_url=model.url, llm_model="large-70b", **settings
        ) as caller,
    ):
        yield Case(way=way, model=model, caller=caller)


@pytest.fixture(autouse=True)
def _logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "recollect")


def steps_logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    failed = [record for record in caplog.records if record.getMessage() == "memory.failed"]
    assert all(record.levelname == "WARNING" for record in failed)
    assert "zeppelin" not in caplog.text
    return [record.facts["step"] for record in failed]  # type: ignore[attr-defined]


def events_of(text: str) -> list[tuple[str, Json]]:
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_without_a_database_a_question_is_answered_without_memory(
    proxied: tuple[DatabaseProxy, Stores], caplog: pytest.LogCaptureFixture
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER)) as case:
        await case.way.cut()
        response = await case.ask()
        await case.way.restore()

        assert response.status_code == 200
        assert response.json()["answer"] == ANSWER
        assert response.headers["X-Session-ID"] == case.session_id
        assert response.json()["metadata"]["warnings"] == [NO_MEMORY, NOT_STORED]
        assert sorted(steps_logged(caplog)) == ["context", "state"], "storing is not even tried"
        found = await case.caller.get(f"/api/v1/sessions/{case.session_id}")
        assert found.status_code == 404
        assert (await case.ask()).json()["metadata"]["warnings"] == []
        assert await case.stored() == [("user", QUESTION), ("assistant", ANSWER)]


async def test_a_database_that_comes_and_goes_while_the_model_thinks_is_not_noticed(
    proxied: tuple[DatabaseProxy, Stores], caplog: pytest.LogCaptureFixture
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, delay=0.3)) as case:
        asking = asyncio.create_task(case.ask())
        await case.has_been_asked()
        await case.way.cut()
        await case.way.restore()
        response = await asking

        assert response.json()["metadata"]["warnings"] == []
        assert steps_logged(caplog) == []
        assert await case.stored() == [("user", QUESTION), ("assistant", ANSWER)]
        assert await case.status() == "complete"


async def test_a_streamed_reply_that_cannot_be_stored_says_so_in_its_last_event(
    proxied: tuple[DatabaseProxy, Stores],
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, waits_after=1)) as case:
        asking = asyncio.create_task(case.ask(stream=True))
        await case.has_been_asked()
        await case.way.cut()
        case.model.gate.set()
        response = await asking
        await case.way.restore()

        *pieces, (name, answer) = events_of(response.text)
        assert "".join(str(piece["text"]) for _, piece in pieces) == ANSWER
        assert (name, answer["metadata"]["warnings"]) == ("answer", [REPLY_NOT_STORED])
        await case.becomes("failed")


async def test_a_reply_that_cannot_be_stored_is_still_returned_and_its_turn_fails(
    proxied: tuple[DatabaseProxy, Stores], caplog: pytest.LogCaptureFixture
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, delay=0.3)) as case:
        asking = asyncio.create_task(case.ask())
        await case.has_been_asked()
        await case.way.cut()
        response = await asking
        await case.way.restore()

        assert (response.status_code, response.json()["answer"]) == (200, ANSWER)
        assert response.json()["metadata"]["warnings"] == [REPLY_NOT_STORED]
        assert steps_logged(caplog) == ["reply"]
        assert await case.stored() == [("user", QUESTION)]
        await case.becomes("failed")


@pytest.mark.parametrize(
    ("reply", "settings", "detail", "stream"),
    [
        (Reply(hangs_up=True), {}, "could not be reached", False),
        (Reply(status=500), {}, "status 500", True),
        (Reply(status=401), {}, "check MEMORY_LLM_API_KEY", False),
        (Reply(delay=5), {"answer_timeout_seconds": 0.2}, "within 0.2 seconds", False),
        (Reply(delay=5), {"answer_timeout_seconds": 0.2}, "within 0.2 seconds", True),
    ],
    ids=["down", "failing", "refusing", "slow", "slow to begin"],
)
async def test_a_model_that_does_not_answer_fails_the_turn_and_keeps_the_question(
    proxied: tuple[DatabaseProxy, Stores],
    caplog: pytest.LogCaptureFixture,
    reply: Reply,
    settings: dict[str, object],
    detail: str,
    stream: bool,  # noqa: FBT001  # pytest gives it by name
) -> None:
    async with case_of(proxied, reply, **settings) as case:
        response = await case.caller.client.post(**case.request(stream=stream))  # type: ignore[arg-type]
        assert response.status_code == 503
        assert detail in response.json()["detail"]
        assert response.headers["X-Session-ID"] == case.session_id
        assert await case.stored() == [("user", QUESTION)]
        assert await case.status() == "failed"
        assert steps_logged(caplog) == [], "memory did its part"


async def test_a_truncated_streamed_answer_ends_with_an_error_event_and_fails_the_turn(
    proxied: tuple[DatabaseProxy, Stores],
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, hangs_up_after=2)) as case:
        response = await case.caller.client.post(**case.request(stream=True))  # type: ignore[arg-type]
        events = events_of(response.text)
        assert [name for name, _ in events] == ["piece", "piece", "error"]
        assert "stopped before its answer was complete" in str(events[-1][1]["detail"])
        assert await case.status() == "failed"
        assert await case.stored() == [("user", QUESTION)]


async def test_a_whole_stream_is_pieces_and_then_the_answer(
    proxied: tuple[DatabaseProxy, Stores],
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER)) as case:
        response = await case.caller.client.post(**case.request(stream=True))  # type: ignore[arg-type]
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["X-Session-ID"] == case.session_id
        *pieces, (name, answer) = events_of(response.text)
        assert "".join(str(data["text"]) for _, data in pieces) == ANSWER
        assert (name, answer["answer"]) == ("answer", ANSWER)
        assert await case.stored() == [("user", QUESTION), ("assistant", ANSWER)]


async def test_a_client_that_leaves_in_the_middle_stops_the_model_and_fails_the_turn(
    proxied: tuple[DatabaseProxy, Stores],
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, waits_after=2)) as case:
        async with case.caller.client.stream("POST", **case.request(stream=True)) as response:  # type: ignore[arg-type]
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    break
        await case.becomes("failed")
        assert await case.stored() == [("user", QUESTION)]
        async with asyncio.timeout(PATIENCE):
            while not case.model.listeners_gone:  # noqa: ASYNC110  # the model's server knows
                await asyncio.sleep(0.01)


async def test_a_client_that_leaves_before_a_whole_answer_finds_it_stored(
    proxied: tuple[DatabaseProxy, Stores],
) -> None:
    async with case_of(proxied, Reply(answer=ANSWER, delay=0.2)) as case:
        asking = asyncio.create_task(case.ask())
        await case.has_been_asked()
        asking.cancel()
        await case.becomes("complete")
        assert await case.stored() == [("user", QUESTION), ("assistant", ANSWER)]
