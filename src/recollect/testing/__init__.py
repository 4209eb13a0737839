"""What tests of programs and engines need: fakes, examples, and a contract for each port.

`recollect.testing.fakes` and `recollect.testing.examples` need nothing but Recollect. The
classes of `recollect.testing.contracts` need pytest with pytest-asyncio in auto mode; an engine
proves itself by subclassing them in a test module that has a fixture `stores`:

    pytest.register_assert_rewrite("recollect.testing.contracts")  # in conftest.py

    @pytest.fixture
    def stores() -> Stores:
        return my_stores()

    class TestMyEngine(EngineContract):
        pass
"""
