"""BM25: how well the words of a query match entries, in Python."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Final, Generic, TypeVar

Term = TypeVar("Term", bound=Hashable)
K1: Final = 0.9
"""BM25: how soon a repeated word stops to count."""
B: Final = 0.4
"""BM25: how much the length of an entry counts."""


class Bm25Index(Generic[Term]):
    """The words of an owner's entries, scored by BM25; entries are numbered as they are added."""

    def __init__(self, entries: Iterable[Mapping[Term, int]] = ()) -> None:
        self._postings: defaultdict[Term, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        self._length = 0
        for counts in entries:
            self.add(counts)

    def add(self, counts: Mapping[Term, int]) -> None:
        """Add the words of the next entry, and how often it has each."""
        entry, length = len(self._lengths), sum(counts.values())
        self._lengths.append(length)
        self._length += length
        for term, count in counts.items():
            self._postings[term].append((entry, count))

    def scores(self, weights: Mapping[Term, float]) -> dict[int, float]:
        """The BM25 of each entry that has one of the words, by the entry's number.

        A score is the sum over the words of their weight, their rarity and how often they occur.
        """
        entries, lengths = len(self._lengths), self._lengths
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(self._length, 1)
        scores: dict[int, float] = {}
        for term, weight in weights.items():
            postings = self._postings.get(term, ())
            worth = weight * (K1 + 1) * _rarity(len(postings), of=entries)
            for entry, count in postings:
                norm = fixed + for_length * lengths[entry]
                scores[entry] = scores.get(entry, 0.0) + worth * count / (count + norm)
        return scores


def _rarity(entries: int, *, of: int) -> float:
    """How much a word tells that this many entries have; always more than nothing."""
    return math.log(1 + (of - entries + 0.5) / (entries + 0.5))
