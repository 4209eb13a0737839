"""Writers to a server that is killed, and what must be stored afterwards."""

import threading
import time
from uuid import uuid4

import httpx

from support.servers.http_servers import ServerProgram
from support.timeouts import PATIENCE


class Writer(threading.Thread):
    """Appends messages one after the other and notes each one that was acknowledged."""

    def __init__(self, url: str, session_id: str) -> None:
        super().__init__()
        self._messages = f"{url}/api/v1/sessions/{session_id}/messages"
        self.acknowledged: list[str] = []
        self._is_answered = threading.Event()

    def wait_for_an_answer(self) -> None:
        """Wait until a message is acknowledged, or for so long that something else will tell."""
        self._is_answered.wait(PATIENCE)

    def run(self) -> None:
        with httpx.Client(timeout=PATIENCE) as client:
            while True:
                message_id = str(uuid4())
                body = {"role": "user", "content": f"say {message_id}", "message_id": message_id}
                try:
                    response = client.post(self._messages, json=body)
                except httpx.TransportError:
                    return
                if response.status_code != 201:
                    return
                self.acknowledged.append(message_id)
                self._is_answered.set()
                time.sleep(0.005)  # writes enough, and leaves the machine to the others, too


def start_session(url: str) -> str:
    response = httpx.post(f"{url}/api/v1/sessions", json={}, timeout=PATIENCE)
    session_id: str = response.raise_for_status().json()["session_id"]
    return session_id


def stored_messages(url: str, session_id: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    parameters = {"order": "asc", "limit": "1000"}
    while True:
        response = httpx.get(
            f"{url}/api/v1/sessions/{session_id}/messages", params=parameters, timeout=PATIENCE
        )
        page = response.raise_for_status().json()
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        parameters["cursor"] = page["next_cursor"]


def check_nothing_lost(server: ServerProgram, session_id: str, acknowledged: list[str]) -> None:
    stored = stored_messages(server.url, session_id)
    ids = [message["message_id"] for message in stored]
    assert [message["sequence"] for message in stored] == list(range(1, len(stored) + 1))
    assert len(set(ids)) == len(ids)
    # The last one may have been stored without our hearing of it; each one we heard of is there.
    assert [id_ for id_ in ids if id_ in set(acknowledged)] == acknowledged
