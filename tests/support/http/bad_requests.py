"""Invalid requests, and the error responses they must get."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import httpx

from recollect.engines.postgres.connection.database import Database
from support.http.callers import Caller, QueryValue
from support.row_snapshots import Snapshot, rows_of

_LAST_READ = re.compile(r'"last_accessed_at":"[^"]*",')
SECRET = "kiwi-7f3a"  # what bad requests say; no response may repeat it
SESSIONS = "/api/v1/sessions"
SESSION = "/api/v1/sessions/{session_id}"
MESSAGES = "/api/v1/sessions/{session_id}/messages"
EXCHANGES = "/api/v1/sessions/{session_id}/exchanges"
TURN = "/api/v1/sessions/{session_id}/turns/1"
HISTORY = "/api/v1/history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bystander:
    """A user with stored data that an invalid request must not change."""

    caller: Caller
    database: Database
    owner_id: UUID
    session_id: str
    message_id: str

    async def rows(self) -> Snapshot:
        """Everything stored, but for when it was read last: they read it themselves."""
        stored = await rows_of(self.database, self.owner_id)
        return {table: [_LAST_READ.sub("", row) for row in rows] for table, rows in stored.items()}

    async def send(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        content: bytes | None = None,
        params: Mapping[str, QueryValue] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request, its path with the ids filled in."""
        path = path.replace("{session_id}", self.session_id)
        path = path.replace("{message_id}", self.message_id)
        return await self.caller.send(
            method, path, json=json, content=content, params=params, headers=headers
        )

    async def send_raw(self, method: str, path: str, body: bytes | str) -> httpx.Response:
        """Send a body as it is, called JSON whatever it is."""
        content = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": "application/json"}
        return await self.send(method, path, content=content, headers=headers)


def assert_refused(response: httpx.Response, status: int) -> None:
    """A refusal says what is wrong, in the one form of all errors, and repeats nothing."""
    assert response.status_code == status, response.text
    body = response.json()
    assert list(body) == ["error", "detail"]
    assert all(isinstance(text, str) and text.strip() for text in body.values())
    assert SECRET not in response.text
    assert response.headers["X-Transaction-ID"]
