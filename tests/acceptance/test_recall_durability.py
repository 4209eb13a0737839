"""A kill between reply and embedding loses no exchange for recall, and doubles none."""

import asyncio
import random
import threading
import time
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE

ROUNDS = 4


class Talker(threading.Thread):
    """Has one exchange after the other, each with a word of its own, and notes what was stored."""

    def __init__(self, url: str, session_id: str) -> None:
        super().__init__()
        self._url = f"{url}/api/v1/sessions/{session_id}/messages"
        self.said: list[str] = []

    def run(self) -> None:
        with httpx.Client(timeout=PATIENCE) as client:
            while True:
                word = f"w{uuid4().hex}"
                try:
                    asked = client.post(
                        self._url, json={"role": "user", "content": f"What is {word}?"}
                    )
                    told = client.post(
                        self._url, json={"role": "assistant", "content": "A kind of fish."}
                    )
                except httpx.TransportError:
                    return
                if (asked.status_code, told.status_code) != (201, 201):
                    return
                self.said.append(word)
                time.sleep(0.05)  # a few dozen exchanges are enough, each is looked for later


@pytest.mark.slow
def test_every_exchange_is_found_once_however_often_the_server_is_killed(
    server: ServerProgram, home: Path
) -> None:
    session_id = start_session(server.url)
    said: list[str] = []
    left: list[int] = []
    for _ in range(ROUNDS):
        talker = Talker(server.url, session_id)
        talker.start()
        time.sleep(random.uniform(0.3, 1.5))  # noqa: S311  # a moment, not a secret
        server.kill()
        talker.join()
        said += talker.said
        left.append(asyncio.run(waiting_to_be_indexed(home)))
        server.start()
    assert said
    assert any(left), "no kill came between a reply and its indexing"
    wait_until_indexed(server.url, said[-1])
    for word in said:
        assert len(found(server.url, word)) == 1, word
    assert asyncio.run(indexed_twice(home)) == []


def start_session(url: str) -> str:
    response = httpx.post(f"{url}/api/v1/sessions", json={}, timeout=PATIENCE)
    session_id: str = response.raise_for_status().json()["session_id"]
    return session_id


async def waiting_to_be_indexed(home: Path) -> int:
    """How many exchanges have their reply and are not indexed; PostgreSQL outlives the server."""
    (row,) = await rows_in(
        home, "SELECT count(*) FROM turns WHERE status = 'complete' AND index_due IS NOT NULL"
    )
    count: int = row["count"]
    return count


async def indexed_twice(home: Path) -> list[asyncpg.Record]:
    """Exchanges that are more than once in the index, whatever recall shows of them."""
    return await rows_in(home, "SELECT text FROM recall_entries GROUP BY text HAVING count(*) > 1")


async def rows_in(home: Path, query: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(
        EmbeddedServer(home).dsn, server_settings={"search_path": "recollect, public"}
    )
    try:
        return await connection.fetch(query)
    finally:
        await connection.close()


def found(url: str, word: str) -> list[str]:
    """The texts that have the word, of all that is recalled for it."""
    response = httpx.post(f"{url}/api/v1/recall", json={"query": word, "k": 10}, timeout=PATIENCE)
    items = response.raise_for_status().json()["items"]
    return [item["text"] for item in items if word in item["text"]]


def wait_until_indexed(url: str, last_word: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found(url, last_word):
            return
        time.sleep(0.2)
    raise TimeoutError("the last exchange was not indexed")
