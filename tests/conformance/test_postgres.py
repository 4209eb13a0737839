from recollect.testing.contracts.engine import EngineContract


class TestPostgres(EngineContract):
    """On the real role, with the fixture `stores` that all tests share."""
