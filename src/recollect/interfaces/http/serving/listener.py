"""The sockets that a server listens on."""

import resource
import socket
import sys
from contextlib import suppress
from typing import Final

from recollect.errors import ConfigurationError

_OPEN_FILES: Final = 65_536
_BACKLOG: Final = 2048


def allow_open_files() -> None:
    """Raise the limit on open files, and so on connections; a shell's is often 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(ValueError, OSError):  # macOS has a lower limit than the one it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listening(host: str, port: int, *, processes: int = 1) -> list[socket.socket]:
    """Listen on an address, with a socket for each process that will accept from it.

    On Linux each process has its own socket (SO_REUSEPORT), and the kernel distributes connections
    evenly; elsewhere it does not, and all accept from one. Connections wait until a process is
    ready, and while another takes the place of one that died. `ConfigurationError` if another
    program has the address.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Without SO_REUSEPORT first: with it, another server that has it would not be noticed.
        only = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        if processes == 1 or sys.platform != "linux":
            return [only] * processes
        address = only.getsockname()
        only.close()
        return [
            socket.create_server(address, family=family, backlog=_BACKLOG, reuse_port=True)
            for _ in range(processes)
        ]
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error


def address_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
