"""A model that sends 100 MB costs the server neither memory nor other clients their answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest_asyncio

from recollect.engines.postgres.connection.database import Database
from support.servers.http_servers import ServerProgram, free_port

MEGABYTE: Final = 1_000_000
SIZE: Final = 100 * MEGABYTE
PIECE: Final = "x" * 50_000
SESSION: Final = "6fa459ea-ee8a-4ca4-894e-db77e160355e"


async def send_a_lot(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request with 100 MB, or one piece, in whichever form it asks for."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    asked = json.loads(await reader.readexactly(length))
    streams = asked.get("stream")
    pieces = asked.get("n", SIZE // len(PIECE))
    kind = b"text/event-stream" if streams else b"application/json"
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\nConnection: close\r\n\r\n")
    choice = {"index": 0, "delta": {"content": PIECE}}
    event = b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"
    try:
        if not streams:
            writer.write(b'{"choices": [{"message": {"content": "')
        for _ in range(pieces):
            writer.write(event if streams else PIECE.encode())
            await writer.drain()
        writer.write(b"data: [DONE]\n\n" if streams else b'"}}]}')
        await writer.drain()
    except ConnectionError:
        pass  # the server has had enough
    finally:
        writer.close()


@asynccontextmanager
async def generous_model() -> AsyncIterator[str]:
    server = await asyncio.start_server(send_a_lot, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


def peak_memory(program: ServerProgram) -> int:
    """The most memory that the process has had, in bytes."""
    status = Path(f"/proc/{program.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@pytest_asyncio.fixture
async def server(shared_home: Path, database: Database) -> AsyncIterator[ServerProgram]:
    """A server whose model says more than anybody can read."""
    async with generous_model() as url:
        env = {
            "MEMORY_EMBEDDING_MODEL": "none",
            "MEMORY_WORKER": "false",
            "MEMORY_LLM_BASE_URL": url,
            "MEMORY_LLM_MODEL": "m",
        }
        program = ServerProgram(shared_home, port=free_port(), env=env)
        await asyncio.to_thread(program.start)
        yield program
        await asyncio.to_thread(program.stop)


async def test_a_reply_of_100_mb_is_not_held_in_memory(server: ServerProgram) -> None:
    asked = {"messages": [{"role": "user", "content": "Go on!"}]}
    async with httpx.AsyncClient(base_url=server.url, timeout=60, trust_env=False) as client:
        headers = {"X-Session-ID": SESSION}
        warming = {**asked, "stream": True, "n": 1}
        for _ in range(2):  # what is loaded with the first turn is no part of a reply
            await client.post("/v1/chat/completions", json=warming, headers={"X-Session-ID": "1"})
        before = peak_memory(server)
        received = 0
        streaming = client.stream(
            "POST", "/v1/chat/completions", json={**asked, "stream": True}, headers=headers
        )
        async with streaming as response:
            async for piece in response.aiter_raw():
                if received < MEGABYTE <= received + len(piece):
                    assert (await client.get("/healthz")).is_success, "it goes on serving"
                received += len(piece)
        assert received > SIZE
        (stored,) = [
            message["content"]
            for message in (await client.get(f"/api/v1/sessions/{SESSION}/messages")).json()[
                "items"
            ]
            if message["role"] == "assistant"
        ]
        assert len(stored) == MEGABYTE, "as long as a message may be"
        whole = await client.post("/v1/chat/completions", json=asked)
        assert whole.status_code == 502
        assert "8,000,000 bytes" in whole.json()["error"]["message"]
        assert (await client.post("/chat", json={"query": "Go on!"})).status_code == 502
        assert peak_memory(server) - before < 50 * MEGABYTE
