"""A client so lean that its own work is not what is measured."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

_FRESH_SECONDS: Final = 4  # the server closes what idles for 5


class Reply(NamedTuple):
    """What a server sent for one request."""

    status: int
    head: bytes
    """In lower case."""
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the request was done."""
        return self.status // 100 == 2  # noqa: PLR2004  # 2xx

    @property
    def is_last(self) -> bool:
        """Whether the server closes the connection."""
        return b"connection: close" in self.head

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; empty where it is missing."""
        _, _, value = self.head.partition(b"\r\n" + name.encode() + b":")
        return value.partition(b"\r\n")[0].strip().decode()


@dataclass(slots=True)
class LeanClient:
    """Asks a server as a service that names the user; each request takes a kept connection.

    It takes one of them by chance: many users stand behind it, who keep connections of their own.
    The last one used would send most requests to one of the server's processes, and the one that
    idles longest sends them to one process after the other, in bursts: what was answered together
    would be asked together.
    """

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
        reply = await self.send(request, user=user, body=body)
        if not reply.is_success:
            raise ConnectionError(f"the server answered: {reply.body.decode()}")
        return reply.body

    async def send(self, request: str, *, user: str, body: bytes = b"") -> Reply:
        """What comes back for a request like "GET /path", whatever its status."""
        connection = await self._kept_connection()
        head = (
            f"{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.key}\r\n"
            f"X-Memory-User: {user}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            reply = await connection.exchange(head.encode() + body)
        except BaseException:
            connection.close()
            raise
        if reply.is_last:
            connection.close()
        else:
            self._idle.append(connection)
        return reply

    async def _kept_connection(self) -> "_KeptConnection":
        while self._idle:
            connection = self._idle.pop(random.randrange(len(self._idle)))  # noqa: S311
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

    async def exchange(self, request: bytes) -> Reply:
        """Send a request and read its whole answer."""
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        _, _, length = head.partition(b"content-length:")
        body = await self.reader.readexactly(int(length.partition(b"\r\n")[0] or 0))
        self.used_at = time.monotonic()
        return Reply(int(head[9:12]), head, body)

    def close(self) -> None:
        self.writer.close()
