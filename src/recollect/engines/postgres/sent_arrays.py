"""Arrays as PostgreSQL sends them, read at once: the driver would make an object of each item."""

import numpy as np
from numpy.typing import NDArray

_HEADER = 20  # bytes: how many dimensions, whether any is null, the type, how many, from where


def sent_integers(sent: bytes, *, size: int) -> NDArray[np.int64]:
    """The numbers of an array of integers of so many bytes each."""
    item = np.dtype([("length", ">i4"), ("value", f">i{size}")])
    return np.frombuffer(sent, dtype=item, offset=_HEADER)["value"].astype(np.int64)


def sent_bits(sent: bytes, *, count: int) -> NDArray[np.uint8]:
    """The bytes of an array of as many strings of bits, all of one length; a row for each."""
    items = np.frombuffer(sent, dtype=np.uint8, offset=_HEADER).reshape(count, -1)
    return items[:, 8:]  # after the item's length in bytes, and the string's in bits
