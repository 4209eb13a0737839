"""HTTP over raw connections, for requests that no HTTP client would send."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:  # noqa: ANN401  # whatever was sent
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One connection to a server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> Response:
        """Send a request and read its response."""
        await self.send(head(method, path, body=body, **headers) + body)
        return await self.response()

    async def response(self) -> Response:
        """Read one response."""
        async with asyncio.timeout(PATIENCE):
            first, *lines = (
                (await self.reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            )
            parted = (line.partition(": ") for line in lines)
            headers = {name.lower(): value for name, _, value in parted}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Response(status=int(first.split()[1]), headers=headers, body=body)

    async def rest(self) -> bytes:
        """Read until the server closes the connection."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    """A connection to a server."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield Connection(reader=reader, writer=writer)
    finally:
        writer.close()


def head(method: str, path: str, *, body: bytes = b"", **headers: str) -> bytes:
    """The head of a request."""
    usual = {"Host": "127.0.0.1", "Content-Type": "application/json"}
    length = {"Content-Length": str(len(body))} if body else {}
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = {**usual, **length, **given}
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{text}\r\n".encode()
