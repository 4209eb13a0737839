"""One address for several processes, and for no other server."""

import socket
import sys

import pytest

from recollect.errors import ConfigurationError
from recollect.interfaces.http.serving.listener import address_of, bound, of_one_process


def test_an_address_that_another_server_has_is_refused() -> None:
    with bound("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(ConfigurationError, match="in use; choose another address"):
            bound("127.0.0.1", first.getsockname()[1])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all processes share one socket")
def test_processes_share_an_address_and_the_rest_serve_when_one_ends() -> None:
    with bound("127.0.0.1", 0) as shared:
        first, second = (of_one_process(shared.dup()) for _ in range(2))
        address = shared.getsockname()
        assert address_of(first) == address_of(second) == address_of(shared)
        with first, second:
            first.listen()
            second.listen()
            first.close()
            second.settimeout(10)
            for _ in range(5):
                with socket.create_connection(address, timeout=10), second.accept()[0]:
                    pass
