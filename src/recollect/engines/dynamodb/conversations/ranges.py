"""Numbers in ranges, so that the state of a long conversation fits into one small item."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from typing import Any, Final

Run = list[Any]
"""First key, last key, value of the first key, what is added for each next key; see `to_runs`."""
_UNEVEN: Final = 3
_EVEN: Final = 8
"""So many keys a run are at least worth it."""


class Ranges:
    """A set of numbers, stored as ranges that are far fewer than the numbers."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, ranges: Iterable[Sequence[int]] = ()) -> None:
        pairs = sorted((first, last) for first, last in ranges)
        self._starts: list[int] = []
        self._ends: list[int] = []
        for first, last in pairs:
            if self._ends and first <= self._ends[-1] + 1:
                self._ends[-1] = max(self._ends[-1], last)
            elif first <= last:
                self._starts.append(first)
                self._ends.append(last)

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "Ranges":
        """The ranges of single numbers."""
        return cls((number, number) for number in numbers)

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._starts, number) - 1
        return at >= 0 and number <= self._ends[at]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self)

    def __or__(self, other: "Ranges") -> "Ranges":
        return Ranges([*self, *other])

    def __sub__(self, other: "Ranges") -> "Ranges":
        left: list[tuple[int, int]] = []
        for first, last in self:
            start = first
            for begin, end in other:
                if end < start or begin > last:
                    continue
                left.append((start, begin - 1))
                start = end + 1
            left.append((start, last))
        return Ranges(pair for pair in left if pair[0] <= pair[1])

    def count_within(self, first: int, last: int) -> int:
        """How many of the numbers lie between two, both included."""
        return sum(max(0, min(end, last) - max(start, first) + 1) for start, end in self)


def to_runs(numbers: Mapping[int, int]) -> list[Run]:
    """Write a mapping of numbers: in runs of keys without a gap whose values grow evenly.

    Where that would be most of the numbers again, a run is the first key, its value, and in a list
    what is added for each next key: small numbers, which compress to a part of a byte each.
    """
    even = _even_runs(numbers)
    return even if len(even) <= 1 + len(numbers) // _EVEN else _uneven_runs(numbers)


def _even_runs(numbers: Mapping[int, int]) -> list[Run]:
    runs: list[Run] = []
    for key in sorted(numbers):
        value = numbers[key]
        if runs and key == runs[-1][1] + 1:
            first, last, begin, step = runs[-1]
            if first == last:
                runs[-1] = [first, key, begin, value - begin]
                continue
            if value == begin + step * (key - first):
                runs[-1][1] = key
                continue
        runs.append([key, key, value, 0])
    return runs


def _uneven_runs(numbers: Mapping[int, int]) -> list[Run]:
    runs: list[Run] = []
    last_key = last = 0
    for key in sorted(numbers):
        value = numbers[key]
        if runs and key == last_key + 1:
            runs[-1][2].append(value - last)
        else:
            runs.append([key, value, []])
        last_key, last = key, value
    return runs


def from_runs(runs: Iterable[Run]) -> dict[int, int]:
    """Read what `to_runs` wrote."""
    numbers: dict[int, int] = {}
    for run in runs:
        if len(run) == _UNEVEN:
            first, begin, added = run
            numbers.update(enumerate(accumulate([begin, *added]), start=first))
        else:
            first, last, begin, step = run
            keys = range(first, last + 1)
            values = range(begin, begin + step * len(keys), step) if step else repeat(begin)
            numbers.update(zip(keys, values, strict=False))
    return numbers
