"""Stores outside the database, as processes of their own: a Chroma server, and one like S3."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from support.servers.http_servers import free_port
from support.timeouts import PATIENCE

S3_CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
}
_MOTO: Final = """
import sys
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=int(sys.argv[1]), verbose=False)
server.start()
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def running_s3() -> Iterator[str]:
    """The address of a server with S3's interface."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", _MOTO, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield f"http://127.0.0.1:{port}"
        server.kill()


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
