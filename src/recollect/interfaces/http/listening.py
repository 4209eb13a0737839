"""The sockets that a server listens on."""

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from recollect.errors import ConfigurationError

_BACKLOG = 2048


@contextmanager
def listening(host: str, port: int, *, sockets: int) -> Iterator[list[socket.socket]]:
    """So many sockets on one address; whether it is free is known before anything is started.

    Where the system can, each process gets its own, and new connections are spread over all:
    of one socket the process that wakes first may take them all. What waits at the socket of one
    that died waits for who takes its place, for they stay open here.
    """
    with ExitStack() as opened:
        first = opened.enter_context(_listen(host, port))
        if sockets == 1 or sys.platform != "linux":
            yield [first] * sockets
            return
        taken = first.getsockname()[1]
        first.close()  # it was alone there: nobody else had the address
        yield [opened.enter_context(_listen(host, taken, is_shared=True)) for _ in range(sockets)]


def address_of(listener: socket.socket) -> str:
    """Where a socket can be reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int, *, is_shared: bool = False) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server(
            (host, port), family=family, backlog=_BACKLOG, reuse_port=is_shared
        )
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error
