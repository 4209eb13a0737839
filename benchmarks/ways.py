"""The ways to do the same work: by hand, through the service, over HTTP."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol, Self
from uuid import uuid4

import asyncpg
import orjson

from dataset import ANSWER, DETAILS, QUESTION, StoredSession, sql
from recollect.domain.message import AnswerDetails, NewMessage, Role
from recollect.services.services import Services

LAST: Final = 10
"""Messages that one read asks for."""

_FRESH_SECONDS: Final = 2


class Way(Protocol):
    """One way to read the last messages of a session and to write an exchange to it."""

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """One plain statement each, as a role that row-level security does not bind."""

    pool: asyncpg.Pool

    @classmethod
    @asynccontextmanager
    async def with_usual_pool(cls, dsn: str) -> AsyncIterator[Self]:
        """On a pool as `asyncpg.create_pool` makes it when nothing is asked for."""
        async with asyncpg.create_pool(dsn) as pool:
            yield cls(pool)

    @classmethod
    @asynccontextmanager
    async def with_bare_pool(cls, dsn: str, *, size: int) -> AsyncIterator[Self]:
        """On a pool as large as the service's and, like it, without the reset query."""
        async with asyncpg.create_pool(dsn, max_size=size, reset=_keep_as_it_is) as pool:
            yield cls(pool)

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        owner_id, session_id = session.scope.owner_id, session.session_id
        await self.pool.fetch(sql("read_last"), owner_id, session_id, LAST)

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        await self.pool.fetchrow(
            sql("write_exchange"),
            session.scope.owner_id,
            session.session_id,
            datetime.now(UTC),
            uuid4(),
            QUESTION,
            uuid4(),
            ANSWER,
            orjson.dumps(DETAILS).decode(),
        )


async def _keep_as_it_is(connection: asyncpg.Connection) -> None:
    """Reset nothing when a connection comes back."""


@dataclass(frozen=True, slots=True)
class ThroughService:
    """The use cases that every interface calls."""

    services: Services

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        await self.services.messages.last(session.scope, session.session_id, count=LAST)

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        ids = self.services.ids
        details = AnswerDetails(
            sql_query=str(DETAILS["sql_query"]),
            tables_used=tuple(DETAILS["tables_used"]),
            model=str(DETAILS["model"]),
        )
        exchange = [
            NewMessage(message_id=ids.new_id(), role=Role.USER, content=QUESTION),
            NewMessage(
                message_id=ids.new_id(), role=Role.ASSISTANT, content=ANSWER, details=details
            ),
        ]
        await self.services.messages.append(session.scope, session.session_id, exchange)


@dataclass(slots=True)
class OverHttp:
    """The real server, as a service that names the user; each client keeps its connection."""

    port: int
    key: str
    _idle: list["_KeptConnection"] = field(default_factory=list)

    @classmethod
    @asynccontextmanager
    async def to(cls, port: int, *, key: str) -> AsyncIterator[Self]:
        """Work on the server at that port of loopback; its connections close at the end."""
        way = cls(port, key)
        try:
            yield way
        finally:
            for connection in way._idle:
                connection.close()

    async def read(self, session: StoredSession) -> None:
        """Read the last messages."""
        await self._ask(session, f"GET {_path(session)}/messages?limit={LAST}", b"")

    async def write(self, session: StoredSession) -> None:
        """Store a question and its answer."""
        body = orjson.dumps({"question": QUESTION, "answer": ANSWER, **DETAILS})
        await self._ask(session, f"POST {_path(session)}/exchanges", body)

    async def _ask(self, session: StoredSession, request: str, body: bytes) -> None:
        connection = await self._kept_connection()
        head = (
            f"{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.key}\r\n"
            f"X-Memory-User: {session.scope.user}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        await connection.exchange(head.encode() + body)
        self._idle.append(connection)

    async def _kept_connection(self) -> "_KeptConnection":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_fresh:
                return connection
            connection.close()
        return await _KeptConnection.to(self.port)


def _path(session: StoredSession) -> str:
    return f"/api/v1/sessions/{session.session_id}"


@dataclass(slots=True)
class _KeptConnection:
    """A connection for one request after another.

    A client library would take more time than the server does, and that is not to be measured.
    """

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    used_at: float = 0.0

    @classmethod
    async def to(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    @property
    def is_fresh(self) -> bool:
        """Whether it can be used again: the server closes what idles for 5 seconds."""
        return time.monotonic() - self.used_at < _FRESH_SECONDS

    async def exchange(self, request: bytes) -> bytes:
        """Send a request and read its whole answer; one that is no success is an error."""
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        _, _, length = head.lower().partition(b"content-length:")
        body = await self.reader.readexactly(int(length.partition(b"\r\n")[0]))
        if not head.startswith(b"HTTP/1.1 2"):
            raise ConnectionError(f"the server answered: {body.decode()}")
        self.used_at = time.monotonic()
        return body

    def close(self) -> None:
        self.writer.close()
