"""The socket that a server listens on."""

import socket

from recollect.errors import ConfigurationError

_BACKLOG = 2048


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
