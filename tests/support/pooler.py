"""A stand-in for PgBouncer's transaction mode: clients share a few connections to the server.

Each transaction goes over another connection than the one before. As PgBouncer does with
`ignore_startup_parameters`, it drops what a client wants its connection to start with.
"""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

_SOCKET = ".s.PGSQL.5432"
_PASSED_ON = ("user", "database")
_IDLE = b"I"
_TERMINATE = b"X"
_ENDS_REQUEST = b"QS"  # a simple query, or Sync


class _Server(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    greeting: bytes
    """What the server said before it was first ready."""


class TransactionPooler:
    """Serves clients over `size` connections, handed out in turn."""

    def __init__(self, target: Path, folder: Path, *, size: int) -> None:
        self._target = target
        self._path = folder / _SOCKET
        self._size = size
        self._servers: asyncio.Queue[_Server] = asyncio.Queue()
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        server = await asyncio.start_unix_server(self._serve, self._path)
        try:
            yield
        finally:
            server.close()
            while not self._servers.empty():
                await _close(self._servers.get_nowait().writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            (length,) = struct.unpack("!i", await reader.readexactly(4))
            startup = await reader.readexactly(length - 4)
            await self._connect_servers(_passed_on(startup))
            await self._greet(writer)
            while (first := await _message(reader))[0] != _TERMINATE:
                await self._run_transaction(*first, reader, writer)
        await _close(writer)

    async def _connect_servers(self, startup: bytes) -> None:
        async with self._lock:
            for _ in range(self._size):
                reader, writer = await asyncio.open_unix_connection(self._target)
                writer.write(startup)
                greeting = b""
                while True:
                    kind, message = await _message(reader)
                    if kind == b"Z":
                        break
                    greeting += message
                self._servers.put_nowait(_Server(reader, writer, greeting))
            self._size = 0  # they are all there

    async def _greet(self, writer: asyncio.StreamWriter) -> None:
        server = await self._servers.get()
        writer.write(server.greeting + b"Z" + struct.pack("!i", 5) + _IDLE)
        self._servers.put_nowait(server)

    async def _run_transaction(
        self,
        kind: bytes,
        message: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        server = await self._servers.get()
        while True:
            answering = asyncio.create_task(_relay_answer(server, writer))
            server.writer.write(message)
            while kind not in _ENDS_REQUEST:
                kind, message = await _message(reader)
                server.writer.write(message)
            if await answering == _IDLE:
                break
            kind, message = await _message(reader)
        self._servers.put_nowait(server)


async def _relay_answer(server: _Server, writer: asyncio.StreamWriter) -> bytes:
    """Send on what the server answers until it is ready; whether a transaction is open."""
    while True:
        kind, message = await _message(server.reader)
        writer.write(message)
        if kind == b"Z":
            return message[-1:]


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readexactly(5)
    (length,) = struct.unpack("!i", head[1:])
    return head[:1], head + await reader.readexactly(length - 4)


def _passed_on(startup: bytes) -> bytes:
    version, texts = startup[:4], startup[4:].rstrip(b"\0").split(b"\0")
    given = dict(zip(texts[::2], texts[1::2], strict=False))
    kept = {name.encode(): given[name.encode()] for name in _PASSED_ON}
    body = version + b"".join(name + b"\0" + value + b"\0" for name, value in kept.items()) + b"\0"
    return struct.pack("!i", len(body) + 4) + body


@asynccontextmanager
async def pooled(dsn: str, folder: Path, *, size: int = 3) -> AsyncIterator[str]:
    """The connection string of the same database through a pooler."""
    given = parse_qs(urlsplit(dsn).query)["host"][0]
    async with TransactionPooler(Path(given) / _SOCKET, folder, size=size).running():
        yield dsn.replace(quote(given, safe="/"), str(folder)).replace(given, str(folder))
