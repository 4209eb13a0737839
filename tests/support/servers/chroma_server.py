"""A Chroma server, in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from support.servers.http_servers import free_port
from support.timeouts import PATIENCE


@contextmanager
def running_chroma(folder: Path) -> Iterator[str]:
    """The address of a Chroma server on a folder."""
    url = f"http://127.0.0.1:{free_port()}"
    port = url.rpartition(":")[2]
    with subprocess.Popen(
        [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(folder), "--port", port],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(f"{url}/api/v2/heartbeat")
            yield url
        finally:
            server.kill()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            httpx.get(url).raise_for_status()
            return  # noqa: TRY300  # it answers
        except httpx.HTTPError:
            assert time.monotonic() < deadline, f"{url} does not answer"
            time.sleep(0.05)
