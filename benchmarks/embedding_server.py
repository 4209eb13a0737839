"""Recollect's embedder over HTTP, in OpenAI's form, for programs that cannot have it otherwise.

It tells questions from passages, which OpenAI's form does not: the name of the model says which.
"""

import asyncio
import base64
import json
import re
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from recollect.models.embedding.onnx_model import OnnxModel, Pooling
from recollect.models.weights import TOKENS, WEIGHTS

QUESTIONS: Final = "questions"


def built_in_model() -> OnnxModel:
    """The network of the built-in embedder, without its threads of low priority and its cache."""
    graph = WEIGHTS / "embedder.onnx"
    return OnnxModel(WEIGHTS, pooling=Pooling.MEAN, max_tokens=TOKENS, graph=graph, passage_type=1)


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """Serves `POST …/embeddings` on loopback."""

    model: OnnxModel

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The address, until the end of the block."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                body = json.loads(await reader.readexactly(int(length[1]) if length else 0))
                reply = await self._reply(body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%b" % (len(reply), reply)
                )
                await writer.drain()
        writer.close()

    async def _reply(self, request: dict[str, object]) -> bytes:
        given = request["input"]
        texts = [given] if isinstance(given, str) else list(given)  # type: ignore[call-overload]  # JSON
        is_question = request.get("model") == QUESTIONS
        vectors = [
            await asyncio.to_thread(self.model.encode, text, is_question=is_question)
            for text in texts
        ]
        is_packed = request.get("encoding_format") == "base64"
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(vector) if is_packed else [float(one) for one in vector],
            }
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        reply = {"object": "list", "data": data, "model": request.get("model"), "usage": usage}
        return json.dumps(reply).encode()


def _packed(vector: "tuple[float, ...]") -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
