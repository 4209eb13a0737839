"""A proxy to the shared database that a test can cut, as a broken network would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.ports import Stores
from recollect.system import SystemClock

_SOCKET = ".s.PGSQL.5432"


class DatabaseProxy:
    """Passes bytes between clients and the server's socket until it is cut."""

    def __init__(self, target: Path, folder: Path) -> None:
        self._target = target
        self._path = folder / _SOCKET
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def restore(self) -> None:
        """Let connections through."""
        self._server = await asyncio.start_unix_server(self._serve, self._path)

    async def cut(self) -> None:
        """Break every connection, and refuse new ones."""
        assert self._server is not None
        self._server.close()
        self._path.unlink(missing_ok=True)
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_unix_connection(self._target)
        self._writers |= {writer, there_writer}
        try:
            await asyncio.gather(_pass_on(reader, there_writer), _pass_on(there_reader, writer))
        finally:
            self._writers -= {writer, there_writer}
            for one in (writer, there_writer):
                one.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def proxied_stores(
    admin_dsn: str, folder: Path
) -> AsyncIterator[tuple[DatabaseProxy, Stores]]:
    """Yield a proxy to the shared database, and stores that connect through it."""
    given = parse_qs(urlsplit(admin_dsn).query)["host"][0]
    proxy = DatabaseProxy(Path(given) / _SOCKET, folder)
    await proxy.restore()
    dsn = admin_dsn.replace(quote(given, safe="/"), str(folder)).replace(given, str(folder))
    async with open_external(dsn, max_connections=4) as database:
        yield proxy, postgres_stores(database, SystemClock())
    await proxy.cut()
