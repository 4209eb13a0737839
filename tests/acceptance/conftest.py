from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.engines.postgres.embedded import EmbeddedServer
from support.servers.http_servers import ServerProgram


@pytest.fixture
def home(open_folder: Path) -> Path:
    return open_folder / "home"


@pytest.fixture
def server(home: Path) -> Iterator[ServerProgram]:
    """The program that users start, running on a folder of its own."""
    program = ServerProgram(home)
    program.start()
    yield program
    program.stop()
    left_over = EmbeddedServer(home)
    if left_over.is_running():  # its last user was killed
        left_over.start()
        left_over.stop()
