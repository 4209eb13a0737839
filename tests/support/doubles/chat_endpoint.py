"""A double of a chat model's endpoint, over real HTTP, with scripted replies."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

MODELS: Final = (
    b'{"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "us"}]}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the endpoint does with one request: an answer by default."""

    answer: str | None = "Fine."
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    models: bytes = MODELS
    """The list of models, if that is asked for."""
    delay: float = 0.0
    hangs_up: bool = False
    hangs_up_after: int | None = None
    """Of a streamed answer: the pieces that are sent before the connection is cut."""
    waits_after: int | None = None
    """Of a streamed answer: the pieces that are sent before the double waits for its gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    sent: bytes
    """The body byte by byte."""
    connection: int


class ChatDouble:
    """Replies as scripted, one after the other, then goes on with the last one."""

    path = "/v1/chat/completions"

    def __init__(self, *script: Reply) -> None:
        self.requests: list[Received] = []
        self.url = ""
        self._script = deque(script or [Reply()])
        self._connections = 0
        self.gate = asyncio.Event()
        self.listeners_gone = 0
        """How many clients have left in the middle of a streamed answer."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until either side has had enough."""
        self._connections += 1
        number = self._connections
        try:
            while (request := await _read(reader, number)) is not None:
                self.requests.append(request)
                if not await self._reply(request, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client has left, or the test is over
        finally:
            writer.close()

    def answer(self, request: Received, reply: Reply) -> bytes:
        """A sound response to the request."""
        return _completion(request, reply.answer)

    def stream_pieces(self, answer: str) -> list[str]:
        """A streamed answer's pieces: its words."""
        return re.findall(r"\S+\s*", answer)

    async def _reply(self, request: Received, writer: asyncio.StreamWriter) -> bool:
        reply = self._script.popleft() if len(self._script) > 1 else self._script[0]
        await asyncio.sleep(reply.delay)
        if reply.hangs_up:
            return False
        if request.path == "/v1/models":
            reply = replace(reply, body=reply.models if reply.status == 200 else b"{}")
        elif request.path != self.path:
            reply = Reply(status=404, body=b'{"error": {"message": "no such path"}}')
        if request.body.get("stream") and reply.status == 200 and reply.body is None:
            return await self._stream(request, reply, writer)
        body = reply.body if reply.body is not None else self.answer(request, reply)
        head = {"Content-Type": "application/json", "Content-Length": len(body), **reply.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"HTTP/1.1 {reply.status} -\r\n{lines}\r\n".encode() + body)
        await writer.drain()
        return True

    async def _stream(self, request: Received, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        """Send the answer word by word, as server-sent events."""
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for number, piece in enumerate(self.stream_pieces(reply.answer or "")):
            if number == reply.hangs_up_after:
                return False
            if number == reply.waits_after and not await self._is_listened_to(writer):
                return False
            await _send_event(writer, _chunk(request, {"content": piece}, None))
        await _send_event(writer, _chunk(request, {}, "stop"))
        await _send_event(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _is_listened_to(self, writer: asyncio.StreamWriter) -> bool:
        """Wait for the gate, or until the client has left, which only writing shows."""
        while not self.gate.is_set():
            try:
                await asyncio.wait_for(self.gate.wait(), 0.01)
            except TimeoutError:
                try:
                    await _send_event(writer, None)
                except ConnectionError:
                    self.listeners_gone += 1
                    return False
        return True


Double = TypeVar("Double", bound=ChatDouble)


@asynccontextmanager
async def chat_double(*script: Reply) -> AsyncIterator[ChatDouble]:
    """An endpoint that is listening; its `url` is the base URL."""
    async with serving(ChatDouble(*script)) as double:
        yield double


@asynccontextmanager
async def serving(double: Double) -> AsyncIterator[Double]:
    """Let a double listen, at a port of its own."""
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0)
    double.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield double
    finally:
        server.close()


async def _read(reader: asyncio.StreamReader, connection: int) -> Received | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(
        path=first.split()[1],
        headers=headers,
        body=json.loads(body) if body else {},
        sent=body,
        connection=connection,
    )


async def _send_event(writer: asyncio.StreamWriter, data: str | None) -> None:
    event = b": waiting\n\n" if data is None else f"data: {data}\n\n".encode()
    writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
    await writer.drain()


def _chunk(request: Received, delta: Mapping[str, str], finish_reason: str | None) -> str:
    """A piece of an answer as OpenAI's API gives it."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1_767_268_800,
            "model": request.body.get("model"),
            "choices": [choice],
        }
    )


def _completion(request: Received, answer: str | None) -> bytes:
    """An answer as OpenAI's API gives it."""
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_268_800,
            "model": request.body.get("model"),
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": answer},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }
    ).encode()
