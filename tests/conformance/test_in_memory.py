import pytest

from recollect.engines.in_memory import in_memory_stores
from recollect.ports.stores import Stores
from recollect.testing.contracts.engine import EngineContract


@pytest.fixture(scope="session")
def stores() -> Stores:
    return in_memory_stores()


class TestInMemory(EngineContract):
    pass
