"""How the CPU time of a call grows with the length of its text.

Python's `re` counts no steps, so growth is told by the ratio of CPU times. CPU time of one
thread leaves out what other programs take; the least of several runs leaves out the rest. Eight
times the text takes a linear call 8 times as long and a quadratic one 64 times: `LIMIT` lies far
from both, on machines of any speed.
"""

import gc
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

SIZES = (1_000, 2_000, 4_000, 8_000)
LIMIT = 22.0
"""How many times as long eight times the text may take."""
FLOOR = 0.003
"""Seconds below which a call on the longest text needs no second look.

A quadratic pattern takes at least a nanosecond for each of 32 million steps there: ten times
this.
"""
_REPEATS = 3
_GIVE_UP = 2.0
"""Seconds of CPU for the first call on the longest text: more is exponential, or as good as that.

Linear calls take a tenth of it at most, so that a machine ten times as slow keeps it.
"""
_ALL_CALLS = 5 * LIMIT
"""How many times as long as one call on the short text all further calls may take."""


class _TookTooLong(Exception):  # a signal, not an error of the program
    pass


def grows_faster_than_linear(
    call: Callable[[str], object], text_of: Callable[[int], str], *, sizes: Sequence[int] = SIZES
) -> bool:
    """Whether a call on ever longer texts takes more than its share of time."""
    longest = text_of(sizes[-1])
    try:
        with _guard(_GIVE_UP):
            if _seconds(call, longest) < FLOOR:
                return False
        short = text_of(sizes[0])
        with _guard(max(_GIVE_UP / 2, _ALL_CALLS * _seconds(call, short))):
            for _ in range(_REPEATS):  # a busy machine spoils single measurements, never all
                if _ratio(call, short, longest) <= LIMIT:
                    return False
    except _TookTooLong:
        return True
    return True


def _ratio(call: Callable[[str], object], short: str, longest: str) -> float:
    least_short = min(_seconds(call, short) for _ in range(_REPEATS))
    return _seconds(call, longest) / max(least_short, 1e-6)


def _seconds(call: Callable[[str], object], text: str) -> float:
    gc.disable()  # what it takes depends on all objects of the program
    try:
        started = time.thread_time()
        call(text)
        return time.thread_time() - started
    finally:
        gc.enable()


@contextmanager
def _guard(seconds: float) -> Iterator[None]:
    """End a call that would never return; `re` looks for signals while it matches."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise _TookTooLong

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
