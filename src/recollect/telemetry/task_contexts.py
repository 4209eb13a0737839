"""The context variables of an event loop's tasks, as another thread may read them."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

current_route: Final[ContextVar[Callable[[], str]]] = ContextVar("current_route")
"""Tells the route of the request being served, once it is known; set at the edge."""
BACKGROUND: Final = "background"
"""Stands for the route of what no request does."""

Result = TypeVar("Result")


class TaskContexts:
    """Remembers the context of every task, which tasks tell from Python 3.12 on only."""

    def __init__(self) -> None:
        self._contexts: WeakKeyDictionary[asyncio.Task[Any], Context] = WeakKeyDictionary()

    def create_task(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Result] | Generator[Any, None, Result],
        *,
        context: Context | None = None,
        **options: Any,  # noqa: ANN401  # what later Pythons add
    ) -> asyncio.Task[Result]:
        """Make a task as the loop itself does: a task factory."""
        own = copy_context() if context is None else context
        task = asyncio.Task(work, loop=loop, context=own, **options)
        self._contexts[task] = own
        return task

    def route_of(self, task: "asyncio.Task[Any] | None") -> str:
        """The route of the request that a task works for."""
        context = None if task is None else self._contexts.get(task)
        route = None if context is None else context.get(current_route)
        return BACKGROUND if route is None else route()
