"""List the modules of recollect that one context and one chat completion execute.

    python tools/trace_modules.py

Both run in this process on an embedded PostgreSQL of their own: the context through the library,
the completion through the HTTP application and a model endpoint that answers at once. Each call is
made once before it is traced, so that imports and caches do not count. `recollect.domain.followup`
is left out of the counts.
"""

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

import recollect
from recollect.domain.text import JsonValue
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import load_settings

_PACKAGE: Final = Path(recollect.__file__).parent
_LEFT_OUT: Final = "recollect.domain.followup"
_SESSION: Final = "chat-1"
_QUESTIONS: Final = (
    ("Show me total sales by region for 2024", "North had 2.4M and South 1.9M."),
    ("Which customers returned most goods?", "Acme, with 31 returns."),
    ("List the open invoices of Acme", "There are four, 12,400 together."),
)
_FOLLOW_UP: Final = "And what about those of 2023?"


class ModuleTrace:
    """Notes the modules of which any function is called while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self._files: set[str] = set()

    def install(self) -> None:
        """Follow this thread, and all that are started from now on."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    async def modules_of(self, call: Callable[[], Awaitable[object]]) -> list[str]:
        """Make the call and return the names of the modules that it executed."""
        self._files.clear()
        self.is_on = True
        try:
            await call()
        finally:
            self.is_on = False
        paths = (Path(file) for file in self._files)
        inside = (path.relative_to(_PACKAGE) for path in paths if path.is_relative_to(_PACKAGE))
        names = (".".join(("recollect", *path.with_suffix("").parts)) for path in inside)
        return sorted(name.removesuffix(".__init__") for name in names)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if self.is_on and event == "call" and frame.f_code.co_name != "<module>":
            self._files.add(frame.f_code.co_filename)


async def main() -> None:
    """Trace both calls and print the modules."""
    trace = ModuleTrace()
    trace.install()
    with TemporaryDirectory(prefix="recollect-trace-") as folder:
        async with _model_endpoint() as address:
            settings = load_settings(home=folder, llm_base_url=address, llm_model="qwen2.5:7b")
            async with Memory.open(settings) as memory:
                await memory.warm()
                session = await memory.session(_SESSION, user="anonymous")
                for question, answer in _QUESTIONS:
                    await session.add_exchange(question, answer, sql_query="SELECT 1 FROM sales")
                await memory.catch_up()
                app = create_app(memory, settings)
                calls = {
                    "one context": lambda: session.context(_FOLLOW_UP),
                    "one chat completion": lambda: _complete_chat(app),
                }
                for title, call in calls.items():
                    await call()
                    _print(title, await trace.modules_of(call))


def _print(title: str, modules: list[str]) -> None:
    counted = [name for name in modules if not name.startswith(_LEFT_OUT)]
    print(f"{title}: {len(counted)} modules, and {len(modules) - len(counted)} of {_LEFT_OUT}")
    for name in counted:
        print(f"  {name}")


async def _complete_chat(app: Callable[..., Awaitable[None]]) -> None:
    """Send one question in OpenAI's form to the application and read the whole reply."""
    body = json.dumps(
        {"model": "qwen2.5:7b", "messages": [{"role": "user", "content": _FOLLOW_UP}]}
    ).encode()
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/chat/completions",
        "raw_path": b"/v1/chat/completions",
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"x-session-id", _SESSION.encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    events: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event: dict[str, Any]) -> None:
        events.append(event)

    await app(scope, receive, send)
    reply = b"".join(event.get("body", b"") for event in events)
    if events[0]["status"] != HTTPStatus.OK:
        raise RuntimeError(f"the completion failed: {reply.decode()}")
    memory = dict(events[0]["headers"]).get(b"x-memory")
    if memory != b"full":
        raise RuntimeError(f"the completion was answered without memory: {events[0]['headers']}")


@asynccontextmanager
async def _model_endpoint() -> AsyncIterator[str]:
    """An endpoint that answers every request with the same completion."""
    message: JsonValue = {"role": "assistant", "content": "Acme had two open invoices."}
    choice: JsonValue = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"id": "1", "model": "qwen2.5:7b", "choices": [choice]}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                lengths = [
                    int(line.split(b":")[1])
                    for line in request.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                ]
                await reader.readexactly(sum(lengths))
                writer.write(head.encode() + body)
        except asyncio.IncompleteReadError:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1"


if __name__ == "__main__":
    asyncio.run(main())
