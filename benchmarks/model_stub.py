"""A model on loopback that answers whatever it is asked, never twice the same."""

import asyncio
import itertools
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from talk import answer


@dataclass(slots=True)
class ModelStub:
    """Answers in OpenAI's form, after as many seconds as are set."""

    seconds: float = 0.0
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Listen on a port of loopback until the end of the block."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        chance = random.Random()  # noqa: S311  # no secrets
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", request, re.IGNORECASE)
                await reader.readexactly(int(length[1]) if length else 0)
                if self.seconds:
                    await asyncio.sleep(self.seconds)
                writer.write(self._reply(chance))
                await writer.drain()
        writer.close()

    def _reply(self, chance: random.Random) -> bytes:
        text = f"{answer(chance)} Report {next(self._numbers)}."
        message = {"role": "assistant", "content": text}
        body = json.dumps({"choices": [{"message": message}]}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        return head.encode() + b"\r\n\r\n" + body


def base_url(port: int) -> str:
    """What MEMORY_LLM_BASE_URL is set to."""
    return f"http://127.0.0.1:{port}/v1"
