"""A server with interfaces of Amazon's services, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from support.servers.http_servers import free_port

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}
_MOTO = """
import sys
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=int(sys.argv[1]), verbose=False)
server.start()
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def moto_server() -> Iterator[str]:
    """Start the server; its address."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", _MOTO, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
