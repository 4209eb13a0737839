"""How the CPU time of a call grows with the length of its text.

Python's `re` counts no steps, so growth is told by the ratio of CPU times. CPU time of one
thread leaves out what other programs take; the least of several runs leaves out the rest. Through
the times of four lengths a power of the length is fitted: its exponent is 1 for a linear call and
2 for a quadratic one, on machines of any speed.
"""

import gc
import math
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

SIZES = (500, 1_000, 2_000, 4_000)
LIMIT = 1.5
"""The exponent that is still taken for linear: what noise adds to 1 stays far below it."""
FLOOR = 0.003
"""Seconds below which a call on the longest text needs no second look.

A quadratic pattern takes at least a nanosecond for each of 8 million steps there.
"""
_ROUNDS = 3
_REPEATS = 2
_GIVE_UP = 2.0
"""Seconds of CPU for the first call on the longest text: more is exponential, or as good as that.

Linear calls take a tenth of it at most, so that a machine ten times as slow keeps it.
"""
_ALL_CALLS = 300
"""How many times as long as one call on the shortest text all further calls may take: 6 times
those on all lengths are 90, and nothing is that regular."""


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
        texts = [text_of(size) for size in sizes]
        with _guard(max(_GIVE_UP / 2, _ALL_CALLS * _seconds(call, texts[0]))):
            for _ in range(_ROUNDS):  # a busy machine spoils single measurements, never all
                if _exponent(call, texts) <= LIMIT:
                    return False
    except _TookTooLong:
        return True
    return True


def _exponent(call: Callable[[str], object], texts: Sequence[str]) -> float:
    least = [min(_seconds(call, text) for _ in range(_REPEATS)) for text in texts]
    lengths = [math.log(len(text)) for text in texts]
    times = [math.log(max(seconds, 1e-7)) for seconds in least]
    return statistics.linear_regression(lengths, times).slope


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
