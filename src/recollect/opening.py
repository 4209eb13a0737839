"""Opening a memory: it is open within a `with` block, and nowhere else."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, NoReturn, ParamSpec, Self, TypeVar

from recollect.errors import NotOpened

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

Opened = TypeVar("Opened")
Returned = TypeVar("Returned")
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


class OpenPortal:
    """Runs the calls of a blocking memory on its event loop, until its `with` block ends."""

    def __init__(self, portal: "BlockingPortal", opener: str) -> None:
        self._portal = portal
        self._opener = opener
        self._is_closed = False

    def __enter__(self) -> Self:
        """Take calls."""
        return self

    def __exit__(self, *_: object) -> None:
        """Refuse calls from now on."""
        self._is_closed = True

    def call(self, function: Callable[[], Awaitable[Returned]]) -> Returned:
        """Run an async function and return its result; `NotOpened` once the memory is closed."""
        if self._is_closed:
            raise self._closed()
        try:
            return self._portal.call(function)
        except RuntimeError as error:
            if self._is_closed:  # by another thread, before the call began
                raise self._closed() from error
            raise

    def _closed(self) -> NotOpened:
        return NotOpened(
            "the memory is closed: its `with` block has ended. Use it within the block, or open "
            f"it again: {_how('with', self._opener)}"
        )


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
    return f"the memory is not open: use {_how(words, name)}"


def _how(words: str, name: str) -> str:
    return f"`{words} Memory.{name}() as memory:`."
