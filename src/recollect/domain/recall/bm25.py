"""How well the words of an entry answer to those of a question: Okapi BM25.

Every index scores with these functions, or with the same arithmetic in its own language.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

K1: Final = 0.9
"""How soon saying a word again stops to matter."""
B: Final = 0.4
"""How much a long entry is held against its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What the entries of one owner have in common; never those of two."""

    entries: int
    mean_length: float
    """How many words an entry has on average; each counts as often as it is said."""
    entries_with: Mapping[str, int]
    """In how many entries a word occurs."""

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, int]]) -> Self:
        """Count the words of all entries."""
        count = length = 0
        entries_with: dict[str, int] = {}
        for terms in entries:
            count += 1
            length += sum(terms.values())
            for term in terms:
                entries_with[term] = entries_with.get(term, 0) + 1
        mean = length / count if count else 0.0
        return cls(entries=count, mean_length=mean, entries_with=entries_with)

    def rarity(self, term: str) -> float:
        """How much finding this word tells; always more than nothing."""
        return rarity(self.entries_with.get(term, 0), of=self.entries)


def rarity(found: int, *, of: int) -> float:
    """How much finding a word tells that so many entries have, of all."""
    return math.log(1 + (of - found + 0.5) / (found + 0.5))


def score(question: Mapping[str, float], terms: Mapping[str, int], statistics: Statistics) -> float:
    """The sum over the question's words of their weight, their rarity and how often they occur."""
    length = sum(terms.values())
    relative = length / statistics.mean_length if statistics.mean_length else 0.0
    norm = K1 * (1 - B + B * relative)
    return math.fsum(
        weight * statistics.rarity(term) * terms[term] * (K1 + 1) / (terms[term] + norm)
        for term, weight in question.items()
        if term in terms
    )
