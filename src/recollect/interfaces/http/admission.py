"""How many requests a process works on at once, and which of the others it refuses.

Without a limit a server that is asked more than it can do takes ever longer for everybody. See
docs/decisions/0049-overload-is-refused.md.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from time import thread_time
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.interfaces.http.errors import error_response
from recollect.ports.admission import current_place
from recollect.ports.metrics import HTTP_REFUSED
from recollect.ports.telemetry import UNMEASURED, Telemetry

ALWAYS_ADMITTED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""What is asked to find out how the server is, overload or not."""
_MIN_LIMIT: Final = 2
"""The concurrency limit while the processor is busy: one request works, one awaits the database."""
_ADJUSTMENT_SECONDS: Final = 0.02
"""Between two adjustments of the limit while requests wait."""
_RAISED_SECONDS: Final = 1.0
"""How long a raised limit lasts after it was last raised."""
_BUSY_SHARE: Final = 0.5
"""The share of that interval the thread works from which on the processor is the bottleneck."""
_MOST_WAITING: Final = 2_000
_STANDING: Final = 0.1
"""The share of the patience that is left once a queue lasts: what comes then waits too long."""
_RETRY_SECONDS: Final = (1, 3)
"""At random, so that those who were refused together do not return together."""
_LONGEST_PAUSE: Final = 0.05
"""Seconds for which a piece of long work waits while others are at work: about two turns."""
_QUIET_SECONDS: Final = 0.005
"""For so long nobody must be at work: one who has got an answer often asks again at once."""
_OVERLOADED: Final = "the server has more requests than it can answer now; try again"


def _ignore(_: object) -> None:
    """Do nothing with it."""


class _Waiting(NamedTuple):
    admitted: asyncio.Future[bool]
    since: float


class Admission:
    """Counts the requests that are worked on; others wait for a place, in the order they came.

    The concurrency limit adapts. It is low while the processor is busy, so that requests of a burst
    are answered one after the other instead of all at its end. While requests wait and the
    processor is idle, because those at work wait for the database, it rises up to `max_at_work`.

    A burst may wait as long as the patience says. If there have been more than may be at work for
    that long, it is no burst: then only a tenth of it, so that what is admitted is answered soon,
    and the rest is refused early.
    """

    def __init__(
        self,
        *,
        max_at_work: int,
        patience: float,
        longest_pause: float = _LONGEST_PAUSE,
        note_wait: Callable[[float], None] = _ignore,
        note_load: Callable[[int], None] | None = None,
    ) -> None:
        """Tell `note_wait` how many seconds somebody waited for a place, or in vain.

        `note_load` is told how many are worked on or wait, whenever that changes.
        """
        self._min_limit = self._limit = min(_MIN_LIMIT, max_at_work)
        self._max_at_work = max_at_work
        self._patience = patience
        self._longest_pause = longest_pause
        self._note_wait = note_wait
        self._note_load = note_load or _ignore
        self._at_work = 0
        self._waiting: deque[_Waiting] = deque()
        self._exceeded_at = 0.0
        """When there came to be more than may be at work."""
        self._adjustment: asyncio.TimerHandle | None = None
        """The next adjustment of the limit; None while no request waits."""
        self._raised_at = 0.0
        self._processor_seconds = 0.0
        """The processor time of this thread at the last adjustment."""
        self._next_piece = asyncio.Lock()
        """Of those who give way, one goes on at a time."""
        self._all_left: asyncio.Future[None] | None = None
        """What the next of them waits for."""

    async def enter(self) -> bool:
        """Wait for a place, or return False where there will be none in time."""
        loop = asyncio.get_running_loop()
        if self._limit > self._min_limit and loop.time() - self._raised_at > _RAISED_SECONDS:
            self._limit = max(self._min_limit, min(self._limit - 1, self._at_work))
        if self._at_work < self._limit and not self._waiting:
            self._change(1)
            return True
        if len(self._waiting) >= _MOST_WAITING:
            return False
        waiting = _Waiting(loop.create_future(), loop.time())
        self._waiting.append(waiting)
        if self._load == self._max_at_work + 1:
            self._exceeded_at = waiting.since
        self._change(0)
        if self._adjustment is None:
            self._schedule_adjustment()
        timer = loop.call_later(self._patience, self._refuse, waiting)
        try:
            return await waiting.admitted
        except asyncio.CancelledError:
            if waiting.admitted.done() and not waiting.admitted.cancelled():
                self._give_up(waiting)
            raise
        finally:
            timer.cancel()

    def leave(self) -> None:
        """Give a place back, to the next one if it is still free in a moment."""
        self._change(-1)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._admit)
        if self._all_left is not None and not self._at_work and not self._all_left.done():
            self._all_left.set_result(None)

    def come_back(self) -> None:
        """Take a place again that was given back only for a while, even if there are too many."""
        self._change(1)

    async def give_way(self) -> None:
        """Wait until nobody is at work, for a moment at most, after others who give way, too."""
        loop = asyncio.get_running_loop()
        async with self._next_piece:
            await asyncio.sleep(0)
            deadline = loop.time() + self._longest_pause
            while self._at_work and (seconds := deadline - loop.time()) > 0:
                self._all_left = loop.create_future()
                await asyncio.wait([self._all_left], timeout=seconds)
                await asyncio.sleep(min(_QUIET_SECONDS, max(deadline - loop.time(), 0)))

    def _admit(self) -> None:
        """Begin those who wait for the places that are free."""
        while self._waiting and self._at_work < self._limit:
            self._admit_next()
        self._change(0)

    def _schedule_adjustment(self) -> None:
        self._processor_seconds = thread_time()
        self._adjustment = asyncio.get_running_loop().call_later(
            _ADJUSTMENT_SECONDS, self._adjust_limit
        )

    def _adjust_limit(self) -> None:
        """Raise the limit by one if requests have waited while the processor was idle."""
        self._adjustment = None
        if not self._waiting:
            return
        if thread_time() - self._processor_seconds < _BUSY_SHARE * _ADJUSTMENT_SECONDS:
            self._limit = min(max(self._limit, self._at_work) + 1, self._max_at_work)
            self._raised_at = asyncio.get_running_loop().time()
        self._admit()
        self._schedule_adjustment()

    def _admit_next(self) -> None:
        """Begin the one who waits longest, or refuse it where that is too long."""
        now = asyncio.get_running_loop().time()
        longest_wait = self._longest_wait(now)
        waiting = self._waiting.popleft()
        while waiting.admitted.done():  # it was refused meanwhile, or its client has gone
            if not self._waiting:
                return
            waiting = self._waiting.popleft()
        waited = now - waiting.since
        self._note_wait(waited)
        is_in_time = waited <= longest_wait
        self._change(is_in_time)
        waiting.admitted.set_result(is_in_time)

    def _change(self, number: int) -> None:
        """Let so many more be at work, after others have begun to wait or wait no longer."""
        self._at_work += number
        self._note_load(self._load)

    @property
    def _load(self) -> int:
        """How many are at work or wait."""
        return self._at_work + len(self._waiting)

    def _longest_wait(self, now: float) -> float:
        is_exceeded = self._load > self._max_at_work
        is_standing = is_exceeded and now - self._exceeded_at > self._patience
        return self._patience * (_STANDING if is_standing else 1)

    def _refuse(self, waiting: _Waiting) -> None:
        if not waiting.admitted.done():
            self._note_wait(self._patience)
            waiting.admitted.set_result(False)

    def _give_up(self, waiting: _Waiting) -> None:
        """Give back the place of a request that was admitted and cancelled at the same time."""
        if waiting.admitted.result():
            self.leave()


class _Place:
    """The place of one request: counted while nothing makes the request wait."""

    __slots__ = ("_admission", "_gives_way", "_has_left", "_times_aside")

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._times_aside = 0
        self._has_left = False
        self._gives_way = False

    def step_aside(self) -> None:
        self._times_aside += 1
        if self._times_aside == 1 and not self._has_left:
            self._admission.leave()

    def step_back(self) -> None:
        self._times_aside -= 1
        if self._times_aside == 0 and not self._has_left:
            self._admission.come_back()

    async def give_way(self) -> None:
        if not self._gives_way:
            self._gives_way = True
            self.step_aside()
        await self._admission.give_way()

    def leave(self) -> None:
        """End it; tasks that outlive the request do not count."""
        if self._times_aside == 0:
            self._admission.leave()
        self._has_left = True


class OverloadGuard:
    """Refuses requests with 503 and Retry-After while a process has more than it can do."""

    def __init__(
        self, app: ASGIApp, *, admission: Admission, telemetry: Telemetry = UNMEASURED
    ) -> None:
        self._app = app
        self._admission = admission
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http" or scope["path"] in ALWAYS_ADMITTED:
            await self._app(scope, receive, send)
        elif await self._admission.enter():
            await self._serve(scope, receive, send)
        else:
            await self._refuse(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = _Place(self._admission)
        token = current_place.set(place)

        # A client may be slow: to send its body, or to take a long response.
        async def receive_aside() -> Message:
            place.step_aside()
            try:
                return await receive()
            finally:
                place.step_back()

        async def send_aside(message: Message) -> None:
            place.step_aside()
            try:
                await send(message)
            finally:
                place.step_back()

        try:
            await self._app(scope, receive_aside, send_aside)
        finally:
            place.leave()
            current_place.reset(token)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._telemetry.count(HTTP_REFUSED)
        status = HTTPStatus.SERVICE_UNAVAILABLE
        response = error_response(status, status.phrase, _OVERLOADED, path=scope["path"])
        response.headers["Retry-After"] = str(random.randint(*_RETRY_SECONDS))  # noqa: S311
        await response(scope, receive, send)
