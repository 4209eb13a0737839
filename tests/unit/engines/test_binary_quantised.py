"""The first pass over binary-quantised vectors in the process."""

import random
import struct

import pytest

from recollect.engines.postgres.recall.binary_quantised import BinaryQuantisedVectors, bytes_for

DIMENSIONS = 70
_HEADER = struct.pack(">iiiii", 1, 0, 0, 0, 1)


def sent_numbers(numbers: list[int]) -> bytes:
    """An array of integers as PostgreSQL sends it."""
    return _HEADER + b"".join(struct.pack(">ii", 4, number) for number in numbers)


def sent_bits(rows: list[list[bool]]) -> bytes:
    """An array of strings of bits as PostgreSQL sends it."""
    return _HEADER + b"".join(_sent(row) for row in rows)


def _sent(bits: list[bool]) -> bytes:
    text = "".join("1" if bit else "0" for bit in bits).ljust(-(-len(bits) // 8) * 8, "0")
    content = int(text, 2).to_bytes(len(text) // 8, "big")
    return struct.pack(">ii", 4 + len(content), len(bits)) + content


@pytest.fixture
def rows() -> list[list[bool]]:
    chance = random.Random(3)  # noqa: S311  # the same on every run
    return [[chance.random() < 0.5 for _ in range(DIMENSIONS)] for _ in range(500)]


def test_the_entries_with_the_fewest_differing_bits_are_nearest(rows: list[list[bool]]) -> None:
    vectors = BinaryQuantisedVectors(1, dimensions=DIMENSIONS, changes=0)
    numbers = [number + 1 for number in range(len(rows))]
    for start, end in ((0, 300), (200, 400), (400, 500)):  # some come twice
        vectors.add(sent_numbers(numbers[start:end]), sent_bits(rows[start:end]), last_number=end)
    query = [0.1 if bit else -0.1 for bit in rows[17]]
    distances = {
        number: sum(one != other for one, other in zip(row, rows[17], strict=True))
        for number, row in zip(numbers, rows, strict=True)
    }
    expected = sorted(numbers, key=lambda number: (distances[number], number))[:20]
    assert len(vectors) == 500
    assert sorted(vectors.nearest(tuple(query), 20)) == sorted(expected)
    assert len(vectors.nearest(tuple(query), 1_000)) == 500


def test_memory_is_bounded_by_the_bytes_of_each_vector(rows: list[list[bool]]) -> None:
    vectors = BinaryQuantisedVectors(1, dimensions=DIMENSIONS, changes=0)
    vectors.add(sent_numbers(list(range(1, 501))), sent_bits(rows), last_number=500)
    assert 500 * bytes_for(DIMENSIONS) <= vectors.size < 2 * 500 * bytes_for(DIMENSIONS)
