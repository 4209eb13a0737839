"""Real HTTP servers for tests: in this process, or as the program that users start."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from .patience import PATIENCE


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """Serve an application on a free port of loopback; the address."""
    server = uvicorn.Server(
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
        server.should_exit = True
        await task


class ServerProgram:
    """`recollect serve` in a process of its own, which can be killed and started again."""

    def __init__(self, home: Path, *, port: int, env: Mapping[str, str] | None = None) -> None:
        self._env = {
            **os.environ,
            "MEMORY_HOME": str(home),
            "MEMORY_PORT": str(port),
            **(env or {}),
        }
        self.url = f"http://127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None

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
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "serve"],
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "the server ended by itself"
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).is_success:
                    return
            except httpx.TransportError:
                pass
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
