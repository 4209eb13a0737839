"""Binary-quantised vectors of a large owner, cached in the process, and the first pass over them.

For 100,000 entries the pass takes 2 ms where the database takes 22, see docs/decisions/0030.
"""

from typing import TYPE_CHECKING, Final

from recollect.domain.vectors import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD: Final = 64
_NUMBER_BITS: Final = 31
"""A distance, shifted by this, and a number sort as one integer."""
_SPARE: Final = 64
_AT_ONCE: Final = 2**14
"""Entries that are compared at once: they stay in the processor's cache."""
_ARRAY_HEADER: Final = 20  # bytes before the items of an array, as PostgreSQL sends it
_BITS_HEADER: Final = 8  # bytes before each string of bits: its length in bytes, and in bits


class BinaryQuantisedVectors:
    """The binary-quantised vectors of one model, by the numbers of their entries; none is removed.

    They are stored by columns: the first 64 bits of all entries, then the next. A pass over columns
    takes a third of the time of one over rows.
    """

    def __init__(self, model_key: int, *, dimensions: int, changes: int) -> None:
        import numpy as np  # noqa: PLC0415  # loaded with the first search of a large owner

        self.model_key = model_key
        self.changes = changes
        self.last_number = 0
        self._count = 0
        self._numbers = np.empty(0, dtype=np.int64)
        self._columns = np.empty((-(-dimensions // _WORD), 0), dtype=np.uint64)

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    @property
    def size(self) -> int:
        """How much memory they take, in bytes."""
        return self._numbers.nbytes + self._columns.nbytes

    def add(self, numbers: bytes | None, bits: bytes | None, *, last_number: int) -> None:
        """Add vectors as the database sends them; those that are here already are passed over."""
        import numpy as np  # noqa: PLC0415  # as above

        if numbers is not None and bits is not None:
            item = np.dtype([("length", ">i4"), ("value", ">i4")])
            added = np.frombuffer(numbers, dtype=item, offset=_ARRAY_HEADER)["value"]
            rows = np.frombuffer(bits, dtype=np.uint8, offset=_ARRAY_HEADER)
            columns = _columns(rows.reshape(len(added), -1)[:, _BITS_HEADER:])
            order = np.argsort(added)
            order = order[added[order] > self.last_number]
            start, end = self._count, self._count + len(order)
            self._make_room(end)
            self._numbers[start:end] = added[order]
            self._columns[:, start:end] = columns[:, order]
            self._count = end
        self.last_number = max(self.last_number, last_number)

    def nearest(self, vector: Vector, count: int) -> list[int]:
        """The numbers of the entries with the fewest bits that differ from a vector's."""
        import numpy as np  # noqa: PLC0415  # as above

        end = self._count  # others may be added meanwhile
        numbers, columns = self._numbers[:end], self._columns[:, :end]
        half = np.array(vector, dtype=np.float32).astype(np.float16)  # as the database rounds it
        bits = _columns(np.packbits(half > 0)[np.newaxis])[:, 0]
        ranked = np.empty(end, dtype=np.int64)
        for start in range(0, end, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            distances = np.zeros(len(numbers[part]), dtype=np.int64)
            for column, word in zip(columns[:, part], bits, strict=True):
                distances += np.bitwise_count(column ^ word)
            ranked[part] = (distances << _NUMBER_BITS) | numbers[part]
        if len(ranked) > count:
            ranked = np.partition(ranked, count - 1)[:count]
        nearest: list[int] = (ranked & (2**_NUMBER_BITS - 1)).tolist()
        return nearest

    def _make_room(self, count: int) -> None:
        """Have room for this many, and some more: one is added with every turn."""
        import numpy as np  # noqa: PLC0415  # as above

        if count <= len(self._numbers):
            return
        room = count + count // 16 + _SPARE
        numbers = np.empty(room, dtype=np.int64)
        columns = np.empty((len(self._columns), room), dtype=np.uint64)
        numbers[: self._count] = self._numbers[: self._count]
        columns[:, : self._count] = self._columns[:, : self._count]
        self._numbers, self._columns = numbers, columns


def bytes_for(dimensions: int) -> int:
    """How much memory the bits of a vector take, with the number of their entry."""
    return (-(-dimensions // _WORD) + 1) * _WORD // 8


def _columns(rows: "NDArray[np.uint8]") -> "NDArray[np.uint64]":
    """Rows of bytes as columns of 64 bits, filled up with zeros."""
    import numpy as np  # noqa: PLC0415  # as above

    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % (_WORD // 8))))
    return np.ascontiguousarray(padded).view(np.uint64).T
