"""The socket that a server listens on."""

import resource
import socket
from contextlib import suppress
from typing import Final

from recollect.errors import ConfigurationError

_BACKLOG: Final = 2048
_OPEN_FILES: Final = 65_536


def allow_open_files() -> None:
    """Let this process have as many open files, and so connections, as it may.

    What a shell gives, often 1,024, is meant for programs that wait for one file at a time.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(ValueError, OSError):  # macOS has a limit beside the one that it tells
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listening(host: str, port: int) -> socket.socket:
    """A socket on an address; whether that is free is known before anything is started."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigurationError(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another address with MEMORY_HOST or MEMORY_PORT"
        ) from error


def address_of(listener: socket.socket) -> str:
    """Where a socket can be reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
