"""The program that users start, in a process of its own."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

_START_SECONDS: Final = 120
_STOP_SECONDS: Final = 90  # the worker has the lowest priority, and ends when others let it
_LISTENING: Final = "Recollect listens on http://127.0.0.1:"


@dataclass(frozen=True, slots=True)
class Served:
    """A server that listens."""

    port: int
    pid: int

    def processor_seconds(self) -> float:
        """How long its processes have worked so far; those of the database are not among them."""
        times = [one.cpu_times() for one in self._processes()]
        return sum(one.user + one.system for one in times)

    def precise_processor_seconds(self) -> float:
        """The same to the microsecond, of threads that are still there; on Linux alone."""
        return sum(map(_run_time, self._processes()))

    def _processes(self) -> list[psutil.Process]:
        first = psutil.Process(self.pid)
        return [first, *first.children(recursive=True)]


def _run_time(process: psutil.Process) -> float:
    """Seconds that the threads of a process have run."""
    nanoseconds = 0
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        with suppress(FileNotFoundError):  # it has ended since
            nanoseconds += int((task / "schedstat").read_text("ascii").split()[0])
    return nanoseconds / 1e9


@asynccontextmanager
async def serving(home: Path, **settings: str) -> AsyncIterator[Served]:
    """A `recollect serve` of its own, which stops at the end."""
    log = home / "serve.log"
    with log.open("wb") as log_file:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "recollect", "serve", "--port", "0", "--home", str(home)),
            stderr=log_file,
            env={**os.environ, **settings},
        )
    try:
        port = await asyncio.wait_for(_port_in(log, server), _START_SECONDS)
        yield Served(port=port, pid=server.pid)
    finally:
        with suppress(ProcessLookupError):  # an interrupt from the keyboard reaches it as well
            server.terminate()
            await asyncio.wait_for(server.wait(), _STOP_SECONDS)


async def _port_in(log: Path, server: asyncio.subprocess.Process) -> int:
    while server.returncode is None:
        _, found, rest = _text_of(log).partition(_LISTENING)
        if found and "\n" in rest:
            return int(rest.partition("\n")[0])
        await asyncio.sleep(0.05)
    raise ConnectionError(f"'recollect serve' ended by itself: {_text_of(log)}")


def _text_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")
