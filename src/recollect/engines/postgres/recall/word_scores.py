"""How well an owner's many entries answer to the words of a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from asyncpg import Record
from numpy.typing import NDArray

from recollect.domain.recall.words import K1, B, rarity
from recollect.engines.postgres.recall.rows import integers_as_binary

_COUNT: Final = 15
_LENGTH: Final = 17
"""Bits of a packed number: an entry's own number comes before these two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """The BM25 of the entries that share a word with the question; see `domain.recall.bm25`."""

    numbers: NDArray[np.int64]
    """Of the entries, rising."""
    scores: NDArray[np.float64]

    @classmethod
    def of(
        cls, said: Sequence[Record], weights: Mapping[int, float], *, entries: int, length: int
    ) -> Self:
        """Out of what the database tells of each word, and of all entries together."""
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(length, 1)
        numbers, scores = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.float64)]
        for one in said:
            packed = integers_as_binary(one["said"], size=8)
            worth = weights[one["term"]] * (K1 + 1) * rarity(len(packed), of=entries)
            count = (packed >> _LENGTH) & (2**_COUNT - 1)
            norm = fixed + for_length * (packed & (2**_LENGTH - 1))
            numbers.append(packed >> (_COUNT + _LENGTH))
            scores.append(worth * count / (count + norm))
        found, places = np.unique(np.concatenate(numbers), return_inverse=True)
        summed = np.bincount(places, weights=np.concatenate(scores), minlength=len(found))
        return cls(numbers=found, scores=summed.astype(np.float64, copy=False))

    def best(self, count: int, out: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the best entries, best first, but for those left out."""
        numbers, scores = self.numbers, self.scores
        if len(out):
            is_meant = ~np.isin(numbers, out)
            numbers, scores = numbers[is_meant], scores[is_meant]
        if len(scores) > count:
            chosen = np.argpartition(-scores, count - 1)[:count]
            numbers, scores = numbers[chosen], scores[chosen]
        return numbers[np.argsort(-scores, kind="stable")]

    def of_entries(self, numbers: Sequence[int]) -> list[float]:
        """The scores of these entries; 0 where no word is shared."""
        if not len(self.numbers):
            return [0.0] * len(numbers)
        asked = np.array(numbers, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.numbers, asked), len(self.numbers) - 1)
        found: list[float] = np.where(
            self.numbers[places] == asked, self.scores[places], 0.0
        ).tolist()
        return found
