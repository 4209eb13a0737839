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
# One request at a time: a transaction of moto's that fails puts the whole table back as it was
# before it, and so undoes what others have written meanwhile.
_MOTO = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
app = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", int(sys.argv[1]), app, threaded=False)
print("ready", flush=True)
server.serve_forever()
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
