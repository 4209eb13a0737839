"""One address for several processes, and for no other server."""

import socket
import sys

import pytest

from recollect.errors import ConfigurationError
from recollect.interfaces.http.serving.listener import address_of, listening
from support.tables import for_each


@for_each("processes", [1, 2])
@for_each("of_another", [1, 2])
def test_an_address_that_another_server_has_is_refused_while_that_one_starts(
    processes: int, of_another: int
) -> None:
    first = listening("127.0.0.1", 0, processes=processes)
    port = first[0].getsockname()[1]
    with pytest.raises(ConfigurationError, match="in use; choose another address"):
        listening("127.0.0.1", port, processes=of_another)
    for listener in first:
        listener.close()
    listening("127.0.0.1", port)[0].close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all processes share one socket")
def test_processes_share_an_address_and_the_rest_serve_when_one_ends() -> None:
    first, second = listening("127.0.0.1", 0, processes=2)
    address = second.getsockname()
    assert address_of(first) == address_of(second)
    with first, second:
        first.close()
        second.settimeout(10)
        for _ in range(5):
            with socket.create_connection(address, timeout=10), second.accept()[0]:
                pass


def test_connections_wait_for_a_process_that_has_not_started() -> None:
    (listener,) = listening("127.0.0.1", 0)
    with listener, socket.create_connection(listener.getsockname(), timeout=10):
        listener.settimeout(10)
        with listener.accept()[0]:
            pass
