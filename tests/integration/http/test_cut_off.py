"""Requests that are not finished when the server's grace period is over."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from recollect.interfaces.http.middleware import Transactions
from support.timeouts import PATIENCE


class Endless:
    """An application that never finishes; below /begun it has begun to answer."""

    def __init__(self) -> None:
        self.was_asked = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/begun":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"a", "more_body": True})
        self.was_asked.set()
        await asyncio.Event().wait()


@asynccontextmanager
async def interrupted_request(path: str) -> AsyncIterator["asyncio.Task[httpx.Response]"]:
    """A request that was not answered when the server was told to stop, which it has by now."""
    app = Endless()
    config = uvicorn.Config(
        Transactions(app),
        port=0,
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn tells it by this flag alone
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        asking = asyncio.create_task(client.get(f"http://127.0.0.1:{port}{path}"))
        await app.was_asked.wait()
        server.should_exit = True
        await serving
        yield asking


async def test_a_request_that_is_cut_off_is_answered_in_our_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with interrupted_request("/chat") as asking:
        response = await asking

    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert response.json()["error"] == "Service Unavailable"
    assert response.headers["X-Transaction-ID"]
    assert "http.cut_off" in caplog.messages
    assert "Traceback" not in caplog.text


async def test_below_v1_it_is_openais_form() -> None:
    async with interrupted_request("/v1/chat/completions") as asking:
        response = await asking

    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert response.json()["error"]["type"] == "server_error"


async def test_a_response_already_begun_at_shutdown_ends_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with interrupted_request("/begun") as asking:
        with pytest.raises(httpx.RemoteProtocolError):
            await asking

    assert "http.cut_off" in caplog.messages
    assert "Traceback" not in caplog.text
