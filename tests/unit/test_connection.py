"""What a connection does with bytes that no test of a whole server can time."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import uvicorn
from uvicorn.server import ServerState

from recollect.interfaces.http.serving.connection import HttpConnection
from recollect.interfaces.http.serving.connection_registry import ConnectionRegistry, Phase
from recollect.settings.server import ServerSettings

BEGUN = b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"


async def never_answer(_scope: object, _receive: object, _send: object) -> None:
    await asyncio.Event().wait()


class Opened:
    """A connection that is served, and the client's end of it."""

    def __init__(self, served: HttpConnection, client: socket.socket) -> None:
        self.served = served
        self.client = client


@pytest_asyncio.fixture
async def opened() -> AsyncIterator[Opened]:
    loop = asyncio.get_running_loop()
    ours, client = socket.socketpair()
    ours.setblocking(False)
    state = ServerState()
    served = HttpConnection(
        uvicorn.Config(never_answer, interface="asgi3", lifespan="off", log_config=None),
        state,
        {},
        registry=ConnectionRegistry(ServerSettings(), loop.time),
    )
    await loop.connect_accepted_socket(lambda: served, ours)
    with client:
        yield Opened(served, client)
        served.close()
        for task in state.tasks:
            task.cancel()
        await asyncio.sleep(0)


@pytest.mark.parametrize("end", ["evict", "expire", "shutdown"])
async def test_a_connection_is_not_closed_while_a_request_waits_to_be_read(
    opened: Opened, end: str
) -> None:
    opened.client.sendall(b"GET / HTTP/1.1\r\n")  # the event loop has not read it yet
    getattr(opened.served, end)()
    assert not opened.served.transport.is_closing()


@pytest.mark.parametrize("end", ["evict", "expire", "shutdown"])
async def test_a_connection_on_which_nothing_came_is_closed(opened: Opened, end: str) -> None:
    getattr(opened.served, end)()
    assert opened.served.transport.is_closing()


async def test_headers_after_a_body_do_not_become_headers_of_the_request(opened: Opened) -> None:
    opened.served.data_received(BEGUN)
    opened.served.data_received(b"2\r\n{}\r\n0\r\nX-Memory-User: somebody else\r\n\r\n")
    assert [name for name, _ in opened.served.headers] == [b"host", b"transfer-encoding"]
    assert opened.served.phase is Phase.ANSWERING


async def test_a_body_that_the_server_does_not_read_at_the_moment_is_not_too_slow(
    opened: Opened,
) -> None:
    opened.served.data_received(BEGUN + b"ffffff\r\n" + b"x" * 70_000)  # more than is held
    opened.served.expire()
    opened.served.expire()
    assert opened.served.flow.read_paused
    assert not opened.served.transport.is_closing()


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n"


def received(client: socket.socket) -> bytes:
    """What has come so far."""
    client.setblocking(False)
    try:
        return client.recv(1_000)
    except BlockingIOError:
        return b""


async def test_a_head_is_sent_with_the_body_that_follows_it(opened: Opened) -> None:
    opened.served.transport.write(HEAD)
    assert received(opened.client) == b""
    opened.served.transport.write(b"{}")
    await asyncio.sleep(0)
    assert received(opened.client) == HEAD + b"{}"


async def test_a_head_that_nothing_follows_is_sent_by_itself(opened: Opened) -> None:
    opened.served.transport.write(HEAD)
    await asyncio.sleep(0.01)
    assert received(opened.client) == HEAD


@pytest.mark.parametrize("end", ["close", "_linger"])
async def test_a_head_is_sent_before_the_connection_ends(opened: Opened, end: str) -> None:
    opened.served.transport.write(HEAD)
    getattr(opened.served, end)()
    await asyncio.sleep(0.01)
    assert received(opened.client) == HEAD
