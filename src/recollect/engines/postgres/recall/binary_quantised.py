"""The signs of the vectors of an owner with many entries, and which are nearest to another's."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.domain.recall.entry import Vector
from recollect.engines.postgres.recall.rows import bits_as_binary, integers_as_binary

_WORD: Final = 64
_NUMBERS: Final = 2**31
"""Beyond all numbers of entries: a distance times this, plus a number, sorts by both."""
_SPARE: Final = 64
_AT_ONCE: Final = 2**14
"""What is compared at once stays in the processor's cache."""


class BinaryQuantisedVectors:
    """Signs of vectors of one model, in the order of their entries' numbers; only more of them.

    They lie by columns: the first 64 signs of all entries, then the next. A pass over columns
    takes a third of the time of one over rows.
    """

    def __init__(self, key_of_model: int, *, dimensions: int, changes: int) -> None:
        self.key_of_model = key_of_model
        self.changes = changes
        self.last_number = 0
        self._count = 0
        self._numbers: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._columns: NDArray[np.uint64] = np.empty((_words(dimensions), 0), dtype=np.uint64)

    def __len__(self) -> int:
        """Of how many entries there are signs."""
        return self._count

    @property
    def size(self) -> int:
        """How much memory they take, in bytes."""
        return self._numbers.nbytes + self._columns.nbytes

    def are_newer_than(self, other: "BinaryQuantisedVectors | None") -> bool:
        """Whether these are rather to be kept than others of the owner, or are the same."""
        if other is None or other.key_of_model != self.key_of_model:
            return True
        return other.changes <= self.changes

    def add(self, sent: Iterable[tuple[bytes, bytes]], *, last: int) -> None:
        """Take in numbers and signs as the database sends them, up to the last number there is.

        What is here already is passed over.
        """
        for numbers, signs in sent:
            self._add(integers_as_binary(numbers, size=4), signs)
        self.last_number = max(self.last_number, last)

    def _add(self, numbers: NDArray[np.int64], signs: bytes) -> None:
        columns = _columns(bits_as_binary(signs, count=len(numbers)))
        order = np.argsort(numbers)
        order = order[numbers[order] > self.last_number]
        start, end = self._count, self._count + len(order)
        self._make_room(end)
        self._numbers[start:end] = numbers[order]
        self._columns[:, start:end] = columns[:, order]
        self._count = end

    def nearest(self, vector: Vector, count: int, out: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the nearest by the signs that differ, but for those left out.

        Others may be added meanwhile: they come after those that are counted first.
        """
        end = self._count
        numbers, columns, signs = self._numbers[:end], self._columns[:, :end], _signs_of(vector)
        ranked = np.empty(end, dtype=np.int64)
        for start in range(0, end, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            ranked[some] = _distances(columns[:, some], signs) * _NUMBERS + numbers[some]
        if len(out):
            ranked = ranked[~np.isin(numbers, out)]
        if len(ranked) > count:
            ranked = np.partition(ranked, count - 1)[:count]
        return ranked % _NUMBERS

    def _make_room(self, count: int) -> None:
        """Have room for so many, and some more: one is added with every turn."""
        if count <= len(self._numbers):
            return
        room = count + count // 16 + _SPARE
        numbers = np.empty(room, dtype=np.int64)
        columns = np.empty((len(self._columns), room), dtype=np.uint64)
        numbers[: self._count] = self._numbers[: self._count]
        columns[:, : self._count] = self._columns[:, : self._count]
        self._numbers, self._columns = numbers, columns


def bytes_of(dimensions: int) -> int:
    """How much memory the signs of a vector take, with the number of their entry."""
    return (_words(dimensions) + 1) * _WORD // 8


def _words(dimensions: int) -> int:
    return -(-dimensions // _WORD)


def _signs_of(vector: Vector) -> NDArray[np.uint64]:
    """The signs of a vector, which is rounded as those in the database are."""
    half = np.array(vector, dtype=np.float32).astype(np.float16)
    return _columns(np.packbits(half > 0)[np.newaxis])[:, 0]


def _distances(columns: NDArray[np.uint64], signs: NDArray[np.uint64]) -> NDArray[np.int64]:
    """In how many signs each differs."""
    distances = np.zeros(columns.shape[1], dtype=np.int64)
    for column, sign in zip(columns, signs, strict=True):
        distances += _ones(column ^ sign).astype(np.int64)
    return distances


def _columns(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Rows of bytes as columns of 64 bits, filled up with zeros."""
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % (_WORD // 8))))
    return np.ascontiguousarray(padded).view(np.uint64).T


def _ones_by_adding(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """How many bits are set: of each two, then each four, each eight, and all."""
    one, two, four, most = (np.uint64(shift) for shift in (1, 2, 4, 56))
    twos = words - ((words >> one) & np.uint64(0x5555555555555555))
    fours = (twos & np.uint64(0x3333333333333333)) + ((twos >> two) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> four)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    ones: NDArray[np.uint64] = (eights * np.uint64(0x0101010101010101)) >> most
    return ones


# numpy counts bits from its second version on, several times as fast.
_ones: Final = getattr(np, "bitwise_count", _ones_by_adding)
