import inspect
from pathlib import Path
from uuid import uuid4

import pytest

from recollect import History, Memory, NotFound, SessionHandle, blocking


def test_the_blocking_memory_does_what_the_async_one_does(shared_home: Path) -> None:
    user = f"user-{uuid4()}"
    with blocking.Memory.open(home=shared_home) as memory:
        session = memory.session("chat-1", user=user)
        session.add("user", "Show me total sales by region for 2024")
        session.add("assistant", "North 2.5M, South 1.8M", sql_query="SELECT 1")
        assert [message.role for message in session.last()] == ["user", "assistant"]
        assert memory.session("chat-1", user=user).id == session.id
        assert memory.is_ready()
        session.delete()
        with pytest.raises(NotFound):
            session.info()


def test_the_blocking_memory_for_tests_needs_no_database() -> None:
    with blocking.Memory.in_memory() as memory:
        memory.session("chat-1", user="alice").add_exchange("Hello?", "Hello.")
        history = memory.history("alice")
        assert history.count() == 2
        history.add("user", "And in no session at all?")
        assert memory.session(history.session_id, user="alice").last()[0].turn_number == 1


@pytest.mark.parametrize("twin", [blocking.Memory, blocking.SessionHandle, blocking.History])
def test_blocking_and_async_memory_have_the_same_methods_and_docstrings(twin: type) -> None:
    originals = {"Memory": Memory, "SessionHandle": SessionHandle, "History": History}
    original = originals[twin.__name__]
    names = {name for name in vars(original) if not name.startswith("_")}
    assert names == {name for name in vars(twin) if not name.startswith("_")}
    for name in names:
        ours, theirs = getattr(original, name), getattr(twin, name)
        assert inspect.getdoc(ours) == inspect.getdoc(theirs)
        if callable(ours):
            parameters = inspect.signature(ours).parameters
            assert parameters == inspect.signature(theirs).parameters
