"""Opening a memory: it is open within a `with` block, and nowhere else."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import wraps
from typing import Any, Generic, NoReturn, ParamSpec, TypeVar

from recollect.errors import NotOpened

Opened = TypeVar("Opened")
Given = ParamSpec("Given")


class _Unopened:
    """Raises `NotOpened`, with the way to open it, whatever else is tried with it."""

    _usage: str

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # looked up by Python itself, which goes on without
            raise AttributeError(name)
        raise NotOpened(self._usage)

    def __await__(self) -> Generator[None, None, NoReturn]:
        raise NotOpened(self._usage)


class AsyncOpening(_Unopened, AbstractAsyncContextManager[Opened], Generic[Opened]):
    """What `Memory.open` returns: the memory is opened by `async with`."""

    def __init__(self, manager: AbstractAsyncContextManager[Opened], usage: str) -> None:
        self._manager = manager
        self._usage = usage

    async def __aenter__(self) -> Opened:
        """Open it."""
        return await self._manager.__aenter__()

    async def __aexit__(self, *failure: Any) -> bool | None:  # noqa: ANN401, PYI036  # handed on
        """Close it."""
        return await self._manager.__aexit__(*failure)

    def __enter__(self) -> NoReturn:
        """Say that it is async, and what is not."""
        raise NotOpened(f"{self._usage} Without async: `from recollect.blocking import Memory`.")

    def __exit__(self, *_: object) -> None:
        """Nothing was opened."""


class Opening(_Unopened, AbstractContextManager[Opened], Generic[Opened]):
    """What the blocking `Memory.open` returns: the memory is opened by `with`."""

    def __init__(self, manager: AbstractContextManager[Opened], usage: str) -> None:
        self._manager = manager
        self._usage = usage

    def __enter__(self) -> Opened:
        """Open it."""
        return self._manager.__enter__()

    def __exit__(self, *failure: Any) -> bool | None:  # noqa: ANN401, PYI036  # handed on
        """Close it."""
        return self._manager.__exit__(*failure)


def async_opening(
    opener: Callable[Given, AsyncIterator[Opened]],
) -> Callable[Given, AsyncOpening[Opened]]:
    """Make an opener of a generator that yields what it has opened and closes it afterwards."""
    manager_of, usage = asynccontextmanager(opener), _usage("async with", opener.__name__)

    @wraps(opener)
    def open_it(*given: Given.args, **named: Given.kwargs) -> AsyncOpening[Opened]:
        return AsyncOpening(manager_of(*given, **named), usage)

    return open_it


def opening(opener: Callable[Given, Iterator[Opened]]) -> Callable[Given, Opening[Opened]]:
    """The same without async."""
    manager_of, usage = contextmanager(opener), _usage("with", opener.__name__)

    @wraps(opener)
    def open_it(*given: Given.args, **named: Given.kwargs) -> Opening[Opened]:
        return Opening(manager_of(*given, **named), usage)

    return open_it


def _usage(words: str, name: str) -> str:
    return f"the memory is not open: use `{words} Memory.{name}() as memory:`."
