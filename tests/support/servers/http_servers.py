"""Real HTTP servers for tests: in this process, or as the program that users start."""

import asyncio
import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Final

import httpx
import uvicorn
from fastapi import FastAPI

from support.servers.programs import Program, start_program
from support.timeouts import PATIENCE

_LISTENS: Final = re.compile(r"Recollect listens on http://127\.0\.0\.1:(\d+)")


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


class _PromptServer(uvicorn.Server):
    """Stops as soon as it should; uvicorn looks every tenth of a second, and waits another."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_over = asyncio.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.is_over.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.005)


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """Serve an application on a free port of loopback; the address."""
    server = _PromptServer(
        uvicorn.Config(
            app, host="127.0.0.1", port=0, lifespan="off", log_config=None, access_log=False
        )
    )
    task = asyncio.create_task(server._serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn tells it by this flag alone
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.is_over.set()
        await task


class ServerProgram:
    """`recollect serve` in a process of its own, which can be killed and started again.

    It listens on a port that the system chooses at its first start, and keeps that one.
    """

    def __init__(
        self,
        home: Path,
        *,
        port: int = 0,
        env: Mapping[str, str] | None = None,
        is_preloaded: bool = True,
    ) -> None:
        self._env = {**os.environ, "MEMORY_HOME": str(home), **(env or {})}
        self.port = port
        self._is_preloaded = is_preloaded
        self._process: Program | None = None

    @property
    def url(self) -> str:
        """Its address, once it has been started."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process's number."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has been started and not ended since."""
        return self._process is not None

    def start(self) -> None:
        """Start the program and wait until it answers."""
        with tempfile.TemporaryFile() as log:
            self._process = start_program(
                "recollect",
                "serve",
                env={**self._env, "MEMORY_PORT": str(self.port)},
                streams=(None, None, log),
                is_preloaded=self._is_preloaded,
            )
            self._wait(log)

    def _wait(self, log: IO[bytes]) -> None:
        assert self._process is not None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            has_ended = self._process.poll() is not None
            log.seek(0)
            text = log.read().decode()
            assert not has_ended, f"the server ended by itself: {text}"
            if match := _LISTENS.search(text):
                self.port = int(match[1])
                if httpx.get(f"{self.url}/readyz", timeout=PATIENCE).is_success:
                    return
            time.sleep(0.05)
        raise TimeoutError("the server did not become ready")

    def kill(self) -> None:
        """End it with no chance to clean up."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> None:
        """Send it a signal that ends it, and wait until it has."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None
