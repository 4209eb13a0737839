"""The sockets that a server listens on."""

import resource
import socket
import sys
from contextlib import suppress
from typing import Final

from recollect.errors import ConfigurationError

_OPEN_FILES: Final = 65_536


def allow_open_files() -> None:
    """Raise the limit on open files, and so on connections; a shell's is often 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(ValueError, OSError):  # macOS has a lower limit than the one it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def bound(host: str, port: int) -> socket.socket:
    """Bind a socket to an address; `ConfigurationError` if another program has it."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Not yet with SO_REUSEPORT: another server that has it would not be noticed.
        with socket.create_server((host, port), family=family) as free:
            address = free.getsockname()
        return _bound(family, address)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error


def of_one_process(shared: socket.socket) -> socket.socket:
    """Make the socket from which one of several processes accepts.

    On Linux each has its own, and the kernel distributes connections evenly; elsewhere it does
    not, and all accept from the one that they inherit.
    """
    if sys.platform != "linux":
        return shared
    with shared:
        return _bound(shared.family, shared.getsockname())


def address_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _bound(family: int, address: tuple[object, ...]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener
