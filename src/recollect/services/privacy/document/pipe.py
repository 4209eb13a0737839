"""Lets a thread read, as a file, what the event loop writes piece by piece."""

import asyncio
import io
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _Pipe(io.RawIOBase):
    """Asks the event loop for the next piece whenever the one before is read."""

    def __init__(self, pieces: AsyncIterator[bytes], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._pieces = pieces
        self._loop = loop
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        if not self._left:
            piece = asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()
            self._left = memoryview(piece)
        target = memoryview(buffer)
        size = min(len(target), len(self._left))
        target[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    async def _next(self) -> bytes:
        return await anext(self._pieces, b"")


@asynccontextmanager
async def read_by_a_thread(pieces: AsyncGenerator[bytes, None]) -> AsyncIterator[BinaryIO]:
    """A file with these pieces; each is made when it is read, so that one is in memory.

    No piece may be empty but the last. The file blocks: read it outside of the event loop.
    """
    async with aclosing(pieces):
        pipe = _Pipe(pieces, asyncio.get_running_loop())
        yield cast("BinaryIO", io.BufferedReader(pipe))
