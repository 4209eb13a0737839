"""The numbers of one process in a block of memory that other processes can read.

Each process of a server writes to a block of its own, which the first process has made. A process
that is killed leaves its numbers there, and the one that takes its place counts on from them: no
counter goes back, and no file is left behind.
"""

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from ctypes import Array, c_double
from typing import Final, TypeAlias

_BLOCK_BYTES: Final = 2_000_000
"""Room for 4,000 counters or 900 histograms."""
SMALL_BLOCK_BYTES: Final = 200_000
"""Room for what the dashboard shows: 280 histograms."""
_WORD: Final = 8
Block: TypeAlias = "Array[c_double]"
SeriesKey: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a metric, and the values of its labels."""


def new_block(size: int = _BLOCK_BYTES) -> Block:
    """Memory for one process, which it and those it is handed to share."""
    return multiprocessing.get_context("spawn").RawArray(c_double, size // _WORD)


class Segment:
    """Series of numbers in a block: written by one process, from any of its threads.

    The first word counts the words in use. Then come records: the length of the key in bytes, how
    many numbers follow it, the key, the numbers. A record counts once it is whole, so a process
    may be killed at any moment.
    """

    def __init__(self, block: Block) -> None:
        view = memoryview(block).cast("B")
        self._words = view.cast("d")
        self._bytes = view
        self._lock = threading.Lock()
        self._starts: dict[SeriesKey, int] = {}
        for key, start, _ in self._records():
            self._starts[key] = start

    def add(self, key: SeriesKey, amounts: Sequence[tuple[int, float]], *, size: int) -> bool:
        """Add to some numbers of a series of `size`; False if there is no room for it."""
        with self._lock:
            start = self._starts.get(key) or self._begin(key, size)
            if not start:
                return False
            for position, amount in amounts:
                self._words[start + position] += amount
            return True

    def put(self, key: SeriesKey, values: Sequence[float], *, at: int, size: int) -> bool:
        """Set some numbers of a series, from a position on."""
        with self._lock:
            start = self._starts.get(key) or self._begin(key, size)
            if not start:
                return False
            for position, value in enumerate(values, start + at):
                self._words[position] = value
            return True

    def series(self) -> Iterator[tuple[SeriesKey, Sequence[float]]]:
        """All series with their numbers as they are now."""
        for key, start, size in self._records():
            yield key, self._words[start : start + size].tolist()

    def __contains__(self, key: SeriesKey) -> bool:
        return key in self._starts

    def _begin(self, key: SeriesKey, size: int) -> int:
        """Make a record and return where its numbers start; 0 if there is no room."""
        name = "\x1f".join((key[0], *key[1])).encode()
        used = int(self._words[0]) or 1
        start = used + 2 + -(-len(name) // _WORD)
        if start + size > len(self._words):
            return 0
        self._words[used], self._words[used + 1] = len(name), size
        offset = (used + 2) * _WORD
        self._bytes[offset : offset + len(name)] = name
        for position in range(start, start + size):
            self._words[position] = 0.0
        self._words[0] = start + size
        self._starts[key] = start
        return start

    def _records(self) -> Iterator[tuple[SeriesKey, int, int]]:
        position, used = 1, int(self._words[0])
        while position < used:
            length, size = int(self._words[position]), int(self._words[position + 1])
            offset = (position + 2) * _WORD
            name, *labels = bytes(self._bytes[offset : offset + length]).decode().split("\x1f")
            start = position + 2 + -(-length // _WORD)
            yield (name, tuple(labels)), start, size
            position = start + size
