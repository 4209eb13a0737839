"""CPU time that an HTTP client takes for one request to a model.

    pip install httpx-aiohttp
    python benchmarks/http_clients.py [--calls N] [--rounds N]

A POST of 6 kB with a reply of 500 bytes, under uvloop, to a stub in another process. The clients
take turns. The table gives milliseconds of CPU time of the client's process for one call: the
median of the rounds, with the least and the most.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import product
from multiprocessing.connection import Connection
from typing import Final

import aiohttp
import httpx
import uvloop
from httpx_aiohttp import HttpxAiohttpClient
from rich.console import Console
from rich.table import Table

from recollect.http_client import HttpClient, http_address

Call = Callable[[], Awaitable[object]]
AT_ONCE: Final = (1, 20)
_REQUEST: Final = b'{"content": "%b"}' % (b"x" * 6_000)
_REPLY: Final = b'{"content": "%b"}' % (b"x" * 500)
_HEADERS: Final = {"Content-Type": "application/json", "Authorization": "Bearer key"}


@asynccontextmanager
async def _aiohttp(url: str) -> AsyncIterator[Call]:
    async with aiohttp.ClientSession() as session:

        async def call() -> bytes:
            async with session.post(url, data=_REQUEST, headers=_HEADERS) as response:
                return await response.read()

        yield call


@asynccontextmanager
async def _ours(url: str) -> AsyncIterator[Call]:
    address = http_address(url, "no address")
    async with HttpClient(address, setting="the address", headers=_HEADERS) as client:
        yield lambda: client.fetch("POST", "/", _REQUEST, limit=1_000_000)


@asynccontextmanager
async def _httpx(url: str) -> AsyncIterator[Call]:
    async with httpx.AsyncClient() as client:
        yield lambda: client.post(url, content=_REQUEST, headers=_HEADERS)


@asynccontextmanager
async def _httpx_on_aiohttp(url: str) -> AsyncIterator[Call]:
    async with HttpxAiohttpClient() as client:
        yield lambda: client.post(url, content=_REQUEST, headers=_HEADERS)


CLIENTS: Final = {
    "httpx": _httpx,
    "httpx on aiohttp": _httpx_on_aiohttp,
    "aiohttp": _aiohttp,
    "aiohttp as Recollect uses it": _ours,
}


async def main(url: str, *, calls: int, rounds: int) -> None:
    """Measure and print one table."""
    taken: dict[tuple[str, int], list[float]] = defaultdict(list)
    for number, (name, open_client), at_once in product(
        range(rounds + 1), CLIENTS.items(), AT_ONCE
    ):
        async with open_client(url) as call:
            seconds = await _measured(call, calls=calls if number else 200, at_once=at_once)
        if number:  # the round before the first warms up
            taken[name, at_once].append(1000 * seconds / calls)
    table = Table("client", *(f"{count} at once" for count in AT_ONCE), box=None)
    for name in CLIENTS:
        table.add_row(name, *(_cell(taken[name, at_once]) for at_once in AT_ONCE))
    Console().print(table)


async def _measured(call: Call, *, calls: int, at_once: int) -> float:
    """Seconds of CPU time that so many calls took, after some that open the connections."""

    async def one_after_another(count: int) -> None:
        for _ in range(count):
            await call()

    async def all_of(count: int) -> None:
        await asyncio.gather(*(one_after_another(count // at_once) for _ in range(at_once)))

    await all_of(5 * at_once)
    began = time.process_time()
    await all_of(calls)
    return time.process_time() - began


def _cell(milliseconds: list[float]) -> str:
    low, high = min(milliseconds), max(milliseconds)
    return f"{statistics.median(milliseconds):.2f} ({low:.2f} to {high:.2f})"


class _Stub(asyncio.Protocol):
    """Answers every request at once, whatever its path."""

    def __init__(self) -> None:
        self._missing = 0
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # it can be written to
        """Keep the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when the whole body has come."""
        if not self._missing:
            head, _, body = data.partition(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self._missing, data = int(length), body
        self._missing -= len(data)
        if not self._missing:
            self._transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%b" % (len(_REPLY), _REPLY)
            )


def _serve(port: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(_Stub, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(serve())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    here, there = multiprocessing.Pipe()
    stub = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    stub.start()
    uvloop.run(main(f"http://127.0.0.1:{here.recv()}/", calls=given.calls, rounds=given.rounds))
    stub.terminate()
