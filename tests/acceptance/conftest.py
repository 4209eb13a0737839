from collections.abc import Iterator
from pathlib import Path

import pytest

from support.servers.http_servers import ServerProgram


@pytest.fixture
def home(new_home: Path) -> Path:
    return new_home


@pytest.fixture
def server(home: Path) -> Iterator[ServerProgram]:
    """The program that users start, running on a folder of its own."""
    program = ServerProgram(home)
    program.start()
    yield program
    program.stop()
