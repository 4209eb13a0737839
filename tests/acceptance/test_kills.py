"""PostgreSQL is killed again and again under writers: nothing is lost, and the work goes on."""

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest

from recollect.engines.postgres.embedded.postmaster import Postmaster
from support.servers.http_servers import ServerProgram, free_port

KILLS = int(os.environ.get("RECOLLECT_KILLS", "3"))
PATIENCE = 60

pytestmark = pytest.mark.slow


class Client(threading.Thread):
    """Does one thing after the other until told to stop, and counts the statuses it gets."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.statuses: Counter[int | str] = Counter()
        self.is_over = threading.Event()

    def run(self) -> None:
        with httpx.Client(base_url=self.url, timeout=PATIENCE) as client:
            while not self.is_over.is_set():
                try:
                    response = self.act(client)
                except httpx.TransportError as error:
                    self.statuses[type(error).__name__] += 1
                else:
                    self.statuses[response.status_code] += 1

    def act(self, client: httpx.Client) -> httpx.Response:
        raise NotImplementedError


class Writer(Client):
    """Stores messages, each until it is acknowledged."""

    def __init__(self, url: str, session_id: str) -> None:
        super().__init__(url)
        self.session_id = session_id
        self.acknowledged: list[str] = []
        self._message_id = str(uuid4())

    def act(self, client: httpx.Client) -> httpx.Response:
        body = {"role": "user", "content": "say", "message_id": self._message_id}
        response = client.post(f"/api/v1/sessions/{self.session_id}/messages", json=body)
        if response.is_success:
            self.acknowledged.append(self._message_id)
            self._message_id = str(uuid4())
        time.sleep(0.01)  # writes enough, and leaves the machine to the others, too
        return response


class Asker(Client):
    """Asks questions, which are answered with memory or without."""

    def act(self, client: httpx.Client) -> httpx.Response:
        time.sleep(0.02)  # leaves the machine to the others, too
        headers = {"X-Session-ID": str(uuid4())}
        return client.post("/chat", json={"query": "What is new?"}, headers=headers)


@pytest.fixture
def program(home: Path) -> Iterator[ServerProgram]:
    server = ServerProgram(home, port=free_port(), env={"MEMORY_EMBEDDING_MODEL": "none"})
    server.start()
    yield server
    server.stop()


def test_indexing_goes_on_after_each_kill_and_no_request_meets_a_fault(
    program: ServerProgram, home: Path
) -> None:
    writers = [Writer(program.url, start_session(program.url)) for _ in range(2)]
    askers = [Asker(program.url) for _ in range(2)]
    for client in (*writers, *askers):
        client.start()
    try:
        for number in range(KILLS):
            time.sleep(random.uniform(0.1, 0.5))  # noqa: S311  # a moment, not a secret
            kill(home, is_postmaster=number % 2 == 0)
            word = f"w{uuid4().hex}"
            say(program.url, word)
            until(partial(is_found, program.url, word))
    finally:
        for client in (*writers, *askers):
            client.is_over.set()
        for client in (*writers, *askers):
            client.join()

    assert {*sum((one.statuses for one in writers), Counter())} <= {200, 201, 503}
    assert {*sum((one.statuses for one in askers), Counter())} == {200}
    for writer in writers:
        assert stored(program.url, writer.session_id) == writer.acknowledged
    ready = httpx.get(f"{program.url}/readyz", timeout=PATIENCE).json()
    assert ready["checks"]["worker"] == "ok"


def kill(home: Path, *, is_postmaster: bool) -> None:
    """Kill PostgreSQL, or one of its processes, whose end it takes as a crash of its own."""
    postmaster = Postmaster.of(home / "postgres-18")
    if postmaster is None:  # it has not come back since: killed enough
        return
    busy = [one for one in postmaster.process.children() if "recollect_app" in _title(one)]
    victim = postmaster.process if is_postmaster or not busy else busy[0]
    victim.kill()


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def start_session(url: str) -> str:
    response = httpx.post(f"{url}/api/v1/sessions", json={}, timeout=PATIENCE)
    session_id: str = response.raise_for_status().json()["session_id"]
    return session_id


def say(url: str, word: str) -> None:
    """Store an exchange as soon as that is possible."""
    session_id = str(uuid4())
    body = {"question": f"What is {word}?", "answer": "A kind of fish."}

    def is_stored() -> bool:
        path = f"{url}/api/v1/sessions"
        started = httpx.post(path, json={"session_id": session_id}, timeout=PATIENCE)
        if started.is_success:
            path = f"{path}/{session_id}/exchanges"
            started = httpx.post(path, json=body, timeout=PATIENCE)
        assert started.is_success or started.status_code == 503, started.text
        return started.is_success

    until(is_stored)


def is_found(url: str, word: str) -> bool:
    response = httpx.post(f"{url}/api/v1/recall", json={"query": word, "k": 3}, timeout=PATIENCE)
    if not response.is_success:
        assert response.status_code == 503, response.text
        return False
    return any(word in item["text"] for item in response.json()["items"])


def stored(url: str, session_id: str) -> list[str]:
    found: list[str] = []
    parameters = {"order": "asc", "limit": "1000"}
    while True:
        path = f"{url}/api/v1/sessions/{session_id}/messages"
        page = httpx.get(path, params=parameters, timeout=PATIENCE).raise_for_status().json()
        found += [item["message_id"] for item in page["items"]]
        if page["next_cursor"] is None:
            return found
        parameters["cursor"] = page["next_cursor"]


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.05)
