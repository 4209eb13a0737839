"""A client so lean that its own work is not what is measured."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Self

_FRESH_SECONDS: Final = 2  # the server closes what idles for 5


@dataclass(slots=True)
class LeanClient:
    """Asks a server as a service that names the user; each request takes a kept connection."""

    port: int
    key: str
    _idle: list["_KeptConnection"] = field(default_factory=list)

    @classmethod
    @asynccontextmanager
    async def to(cls, port: int, *, key: str) -> AsyncIterator[Self]:
        """Ask the server at that port of loopback; its connections close at the end."""
        client = cls(port, key)
        try:
            yield client
        finally:
            for connection in client._idle:
                connection.close()

    async def ask(self, request: str, *, user: str, body: bytes = b"") -> bytes:
        """The answer to a request like "GET /path"; one that is no success is an error."""
        connection = await self._kept_connection()
        head = (
            f"{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.key}\r\n"
            f"X-Memory-User: {user}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        answer = await connection.exchange(head.encode() + body)
        self._idle.append(connection)
        return answer

    async def _kept_connection(self) -> "_KeptConnection":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_fresh:
                return connection
            connection.close()
        return await _KeptConnection.to(self.port)


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
