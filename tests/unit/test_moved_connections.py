"""Connections that move to another process with a request: the client sees nothing of it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

import pytest_asyncio
import uvicorn
import uvloop
from uvicorn.server import ServerState

from recollect.interfaces.http.serving.connection import HttpConnection
from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry
from recollect.interfaces.http.serving.handover import Handover, Peers
from recollect.settings.server import ServerSettings
from support.timeouts import PATIENCE

BUSY, IDLE = 0, 1
LARGE = 4_000_000
Message = dict[str, Any]
Sent = Callable[[Message], Awaitable[None]]


class Server:
    """One of two servers on an event loop that answer with their number and what they got."""

    def __init__(self, number: int, peers: Peers) -> None:
        self.number = number
        self.handover = Handover(number, peers)
        self.state = ServerState()
        loop = asyncio.get_running_loop()
        self.registry = ConnectionRegistry(ServerSettings(), loop.time)
        self.connection = partial(
            HttpConnection,
            uvicorn.Config(self.answer, interface="asgi3", lifespan="off", log_config=None),
            self.state,
            {},
            registry=self.registry,
            handover=self.handover,
        )
        self.clients: list[asyncio.StreamWriter] = []
        self.handover.open(self.take)

    def take(self, connection: socket.socket, received: bytes) -> "asyncio.Task[Any]":
        loop = asyncio.get_running_loop()
        made = partial(self.connection, received=received)
        return loop.create_task(loop.connect_accepted_socket(made, connection))

    async def accept(self) -> "Client":
        """A new connection, and the client's end of it."""
        ours, client = socket.socketpair()
        ours.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(self.connection, ours)
        reader, writer = await asyncio.open_connection(sock=client)
        self.clients.append(writer)
        return Client(reader, writer)

    async def answer(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Sent
    ) -> None:
        if scope["path"] == "/never":
            await asyncio.Event().wait()
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part["body"], part["more_body"]
        text = b"%d %s" % (self.number, body)
        if scope["path"] == "/large":
            text += bytes(LARGE)
        length = (b"content-length", str(len(text)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": text})

    async def end(self) -> None:
        self.handover.close()
        for connection in list(self.state.connections):
            connection.transport.abort()  # type: ignore[union-attr]  # it is open
        for client in self.clients:
            client.transport.abort()
        await asyncio.sleep(0.01)


def head(path: str, length: int) -> bytes:
    return b"POST %s HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (path.encode(), length)


class Client:
    """What a client does on one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, body: bytes = b"", *, path: str = "/", sent: int | None = None) -> None:
        """Send a request, with the first bytes of its body."""
        self.writer.write(head(path, len(body)) + body[:sent])

    async def read(self) -> bytes:
        async with asyncio.timeout(PATIENCE):
            lines = await self.reader.readuntil(b"\r\n\r\n")
            _, _, length = lines.lower().partition(b"content-length: ")
            return await self.reader.readexactly(int(length.partition(b"\r\n")[0]))


@pytest_asyncio.fixture
async def servers() -> AsyncIterator[tuple[Server, Server]]:
    peers = Peers.new(2)
    both = Server(BUSY, peers), Server(IDLE, peers)
    both[BUSY].handover.note_load(5)
    yield both
    for server in both:
        await server.end()
    peers.close()


async def test_a_request_is_answered_where_there_is_less_to_do(
    servers: tuple[Server, Server],
) -> None:
    client = await servers[BUSY].accept()
    client.send(b"one")
    assert await client.read() == b"1 one"
    assert not servers[BUSY].state.connections
    assert len(servers[IDLE].state.connections) == 1

    client.send(b"two")
    assert await client.read() == b"1 two", "it stays there"
    servers[IDLE].handover.note_load(9)
    client.send(b"three")
    assert await client.read() == b"0 three", "until there is less to do elsewhere"


async def test_what_comes_later_of_a_request_goes_where_it_began(
    servers: tuple[Server, Server],
) -> None:
    client = await servers[BUSY].accept()
    client.send(b"in two parts", sent=3)
    await asyncio.sleep(0.05)
    servers[BUSY].handover.note_load(0)
    servers[IDLE].handover.note_load(5)
    client.writer.write(b"two parts")
    assert await client.read() == b"1 in two parts"


async def test_one_whose_head_comes_letter_by_letter_moves_once_at_most(
    servers: tuple[Server, Server],
) -> None:
    client = await servers[BUSY].accept()
    for letter in b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab":
        client.writer.write(bytes([letter]))
        await asyncio.sleep(0.005)
        servers[BUSY].handover.note_load(0)
        servers[IDLE].handover.note_load(5)
    assert await client.read() == b"1 ab"


async def test_requests_that_come_at_once_are_answered_in_order(
    servers: tuple[Server, Server],
) -> None:
    client = await servers[BUSY].accept()
    for body in (b"a", b"b", b"c"):
        client.send(body)
    assert [await client.read() for _ in range(3)] == [b"1 a", b"1 b", b"1 c"]


async def test_a_connection_stays_while_a_response_is_not_read(
    servers: tuple[Server, Server],
) -> None:
    servers[BUSY].handover.note_load(0)
    client = await servers[BUSY].accept()
    client.send(path="/large")
    await asyncio.sleep(0.1)  # it is answered, and most of the answer is still to be sent
    servers[BUSY].handover.note_load(5)
    client.send(b"next")
    large, following = await client.read(), await client.read()
    assert len(large) > LARGE
    assert following == b"0 next"


async def test_nothing_is_given_away_while_the_server_stops(servers: tuple[Server, Server]) -> None:
    client = await servers[BUSY].accept()
    servers[BUSY].registry.is_shutting_down = True
    client.send(b"last")
    assert await client.read() == b"0 last"


async def test_a_client_that_leaves_at_once_harms_nobody(servers: tuple[Server, Server]) -> None:
    client = await servers[BUSY].accept()
    client.send(b"gone")
    client.writer.close()
    await asyncio.sleep(0.05)
    another = await servers[BUSY].accept()
    another.send(b"here")
    assert await another.read() == b"1 here"


def test_a_connection_that_moved_is_not_read_faster_than_it_is_answered() -> None:
    """On uvloop, which begins to read only after the connection has got what had come before."""

    async def flood() -> int:
        peers = Peers.new(2)
        servers = Server(BUSY, peers), Server(IDLE, peers)
        servers[BUSY].handover.note_load(5)
        client = await servers[BUSY].accept()
        client.writer.write(head("/never", 0) + head("/", 100 * LARGE))  # both are taken over
        await asyncio.sleep(0.1)
        client.writer.transport.set_write_buffer_limits(high=0)
        sent = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                while sent < 10 * LARGE:
                    client.writer.write(bytes(LARGE // 40))
                    await client.writer.drain()
                    sent += LARGE // 40
        for server in servers:
            for task in server.state.tasks:
                task.cancel()
            await server.end()
        peers.close()
        return sent

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(uvloop.run, flood()).result() < 2 * LARGE
