"""A chat model's endpoint on loopback that does what a test tells it to, over real HTTP."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the endpoint does with one request; an answer, unless told otherwise."""

    answer: str | None = "Fine."
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    hangs_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int


class ChatDouble:
    """Replies as scripted, one after the other, then goes on with the last one."""

    def __init__(self, *script: Reply) -> None:
        self.requests: list[Received] = []
        self.url = ""
        self._script = deque(script or [Reply()])
        self._connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until either side has had enough."""
        self._connections += 1
        number = self._connections
        try:
            while (request := await _read(reader, number)) is not None:
                self.requests.append(request)
                if not await self._reply(request, writer):
                    break
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _reply(self, request: Received, writer: asyncio.StreamWriter) -> bool:
        reply = self._script.popleft() if len(self._script) > 1 else self._script[0]
        await asyncio.sleep(reply.delay)
        if reply.hangs_up:
            return False
        if request.path != "/v1/chat/completions":
            reply = Reply(status=404, body=b'{"error": {"message": "no such path"}}')
        body = reply.body if reply.body is not None else _completion(request, reply.answer)
        head = {"Content-Type": "application/json", "Content-Length": len(body), **reply.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"HTTP/1.1 {reply.status} -\r\n{lines}\r\n".encode() + body)
        await writer.drain()
        return True


@asynccontextmanager
async def chat_double(*script: Reply) -> AsyncIterator[ChatDouble]:
    """An endpoint that is listening; its `url` is the base URL."""
    double = ChatDouble(*script)
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
    body = await reader.readexactly(int(headers["content-length"]))
    return Received(
        path=first.split()[1], headers=headers, body=json.loads(body), connection=connection
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
