"""A memory that is used without `with` says how it is opened."""

from collections.abc import Callable

import pytest
from anyio.from_thread import start_blocking_portal

from recollect import Memory, RecollectError, blocking
from recollect.errors import NotOpened
from recollect.opening import OpenPortal


@pytest.mark.parametrize("name", ["open", "in_memory"])
async def test_a_memory_used_without_with_says_how_to_open_it(name: str) -> None:
    opening = getattr(Memory, name)()
    told = f"use `async with Memory.{name}\\(\\) as memory:`"
    with pytest.raises(NotOpened, match=told):
        await opening.session(user="alice")
    with pytest.raises(NotOpened, match=told):
        await opening
    with pytest.raises(NotOpened, match=r"recollect\.blocking"), opening:
        pass


@pytest.mark.parametrize("opener", [blocking.Memory.open, blocking.Memory.in_memory])
def test_the_blocking_memory_says_the_same_without_async(opener: Callable[[], object]) -> None:
    told = f"use `with Memory.{opener.__name__}\\(\\) as memory:`"
    with pytest.raises(NotOpened, match=told):
        opener().session(user="alice")  # type: ignore[attr-defined]


async def test_an_unopened_memory_can_be_inspected_without_an_error() -> None:
    opening = Memory.in_memory()

    assert not hasattr(opening, "session")
    assert "AsyncOpening" in repr(opening)
    assert issubclass(NotOpened, RecollectError)
    async with opening as memory:
        assert await memory.is_ready()


def test_a_blocking_memory_and_its_handles_say_that_they_are_closed() -> None:
    with blocking.Memory.in_memory() as memory:
        session = memory.session(user="alice")
        session.add("user", "I have a dog.")
        history = memory.history("alice")
        pieces = session.stream("What do I have?")
    uses: list[Callable[[], object]] = [
        lambda: session.add("user", "I have a cat, too."),
        history.count,
        lambda: memory.session(user="bob"),
        lambda: next(pieces),
    ]
    for use in uses:
        with pytest.raises(NotOpened, match=r"is closed.*with Memory\.in_memory\(\) as memory"):
            use()


def test_an_error_of_a_call_is_not_taken_for_a_closed_memory() -> None:
    async def fail() -> None:
        raise RuntimeError("no permissions today")

    with (
        start_blocking_portal() as portal,
        OpenPortal(portal, "open") as opened,
        pytest.raises(RuntimeError, match="no permissions today"),
    ):
        opened.call(fail)
