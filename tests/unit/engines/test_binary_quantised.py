"""What is compared in the process of an owner with many entries, against plain arithmetic."""

import struct
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.recall.words import Statistics, score
from recollect.engines.postgres.recall import binary_quantised as kept_signs
from recollect.engines.postgres.recall.binary_quantised import BinaryQuantisedVectors, bytes_of
from recollect.engines.postgres.recall.word_scores import WordScores

NOBODY = np.empty(0, dtype=np.int64)


def sent(items: Sequence[bytes]) -> bytes:
    """An array as PostgreSQL sends it."""
    header = struct.pack(">iiiii", 1, 0, 0, len(items), 1)
    return header + b"".join(struct.pack(">i", len(item)) + item for item in items)


def sent_signs(vectors: Mapping[int, Sequence[float]]) -> tuple[bytes, bytes]:
    signs = [np.packbits(np.array(vector) > 0).tobytes() for vector in vectors.values()]
    bits = [
        struct.pack(">i", len(vector)) + one
        for vector, one in zip(vectors.values(), signs, strict=True)
    ]
    return sent([struct.pack(">i", number) for number in vectors]), sent(bits)


def vectors_of(dimensions: int, numbers: Sequence[int]) -> dict[int, tuple[float, ...]]:
    chance = np.random.default_rng(dimensions)
    return {number: tuple(chance.normal(size=dimensions).tolist()) for number in numbers}


@pytest.fixture(params=["counted by numpy", "counted by adding"])
def _counted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "counted by adding":
        monkeypatch.setattr(kept_signs, "_ones", kept_signs._ones_by_adding)
    return


@pytest.mark.usefixtures("_counted")
@pytest.mark.parametrize("dimensions", [3, 64, 65, 384, 4000])
def test_the_nearest_differ_in_the_fewest_signs(dimensions: int) -> None:
    known = vectors_of(dimensions, [7, 3, 12, 40, 41, 2_000_000_000])
    later = vectors_of(dimensions + 1, [2_000_000_001, 2_000_000_002])
    known |= {number: vector[:dimensions] for number, vector in later.items()}
    signs = BinaryQuantisedVectors(1, dimensions=dimensions, changes=1)
    first = {number: known[number] for number in [7, 3, 12, 40, 41, 2_000_000_000]}
    signs.add([sent_signs(first)], last=2_000_000_000)
    signs.add([sent_signs(known)], last=2_000_000_002)  # most of which are here already
    assert len(signs) == len(known)
    assert signs.size >= len(known) * bytes_of(dimensions)

    (question,) = vectors_of(dimensions + 2, [1]).values()
    asked = np.array(question[:dimensions]) > 0
    distances = {
        number: int(((np.array(vector) > 0) != asked).sum()) for number, vector in known.items()
    }
    order = sorted(known, key=lambda number: (distances[number], number))
    out = np.array([order[1], 99], dtype=np.int64)
    assert set(signs.nearest(question[:dimensions], 4, NOBODY).tolist()) == set(order[:4])
    assert set(signs.nearest(question[:dimensions], 3, out).tolist()) == {order[0], *order[2:4]}
    assert set(signs.nearest(question[:dimensions], 99, NOBODY).tolist()) == set(known)


def test_there_is_room_for_as_many_as_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_signs, "_AT_ONCE", 16)
    known = vectors_of(100, range(1, 500))
    signs = BinaryQuantisedVectors(1, dimensions=100, changes=1)
    for number, vector in known.items():
        signs.add([sent_signs({number: vector})], last=number)
    assert [int(signs.nearest(vector, 1, NOBODY)[0]) for vector in known.values()] == [*known]


entries = st.lists(
    st.dictionaries(st.integers(0, 5), st.integers(1, 20_000), min_size=1), min_size=1, max_size=9
)


@given(said=entries, weights=st.dictionaries(st.integers(0, 7), st.floats(0.1, 3)))
def test_words_score_as_everywhere(
    said: Sequence[Mapping[int, int]], weights: Mapping[int, float]
) -> None:
    told = [
        {
            "term": term,
            "said": sent(
                [_packed(at + 1, one, term) for at, one in enumerate(said) if term in one]
            ),
        }
        for term in weights
        if any(term in one for one in said)
    ]
    length = sum(sum(one.values()) for one in said)
    words = WordScores.of(told, weights, entries=len(said), length=length)

    named = [{str(term): count for term, count in one.items()} for one in said]
    question = {str(term): weight for term, weight in weights.items()}
    statistics = Statistics.of(named)
    expected = [score(question, one, statistics) for one in named]
    assert words.of_entries([*range(1, len(said) + 1), 99]) == pytest.approx([*expected, 0.0])

    best = words.best(3, np.array([1]))
    of_best = [expected[number - 1] for number in best.tolist()]
    others = sorted((one for one in expected[1:] if one), reverse=True)
    assert of_best == pytest.approx(others[:3])


def _packed(number: int, terms: Mapping[int, int], term: int) -> bytes:
    return struct.pack(
        ">q", (number << 32) + (terms[term] << 17) + min(sum(terms.values()), 2**17 - 1)
    )
