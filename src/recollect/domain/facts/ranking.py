"""Which of a user's facts matter to a question, and in which order."""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.fact import Fact, Priority
from recollect.errors import InvalidInput

DEFAULT_FACTS: Final = 5
MAX_FACTS: Final = 50
DEFAULT_RELEVANCE: Final = 0.1
DEFAULT_STANDING: Final = 10
MAX_STANDING: Final = 50
_WORDS: Final = 0.15
"""What sharing all words adds to a cosine."""
_BY_WORDS: Final = 0.3
"""The least share of the words where meanings are not compared."""
_PRIORITIES: Final = {
    Priority.CRITICAL: 1.15,
    Priority.HIGH: 1.05,
    Priority.MEDIUM: 1.0,
    Priority.LOW: 0.95,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPolicy:
    """Whether contexts have facts about the user, and which; standing instructions are facts."""

    is_enabled: bool = True
    k: int = DEFAULT_FACTS
    """How many at most, beside standing instructions."""
    threshold: float = DEFAULT_RELEVANCE
    """The least relevance to the question, where meanings are compared."""
    standing: int = DEFAULT_STANDING
    """How many standing instructions at most; 0 for none."""

    def __post_init__(self) -> None:
        if not 0 <= self.k <= MAX_FACTS:
            raise InvalidInput("facts_k", f"must lie between 0 and {MAX_FACTS}")
        if not 0 <= self.threshold <= 1:
            raise InvalidInput("facts_threshold", "must lie between 0 and 1")
        if not 0 <= self.standing <= MAX_STANDING:
            raise InvalidInput("standing_instructions", f"must lie between 0 and {MAX_STANDING}")

    @property
    def is_on(self) -> bool:
        """Whether contexts have any."""
        return self.is_enabled and max(self.k, self.standing) > 0


NO_FACTS: Final = FactPolicy(is_enabled=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCandidate:
    """A fact that may matter to a question."""

    fact: Fact
    stems: frozenset[Hashable]
    """Of the words of its content, or what stands for them."""
    cosine: float | None
    """How near its meaning is to the question's; None where meanings are not compared."""


def rank(
    candidates: Sequence[FactCandidate],
    query_stems: Collection[Hashable],
    *,
    policy: FactPolicy,
    decay: DecayPolicy,
    now: datetime,
) -> tuple[Fact, ...]:
    """The facts relevant to a question, best first, at most as many as the policy allows.

    Those that matter more and those used lately come before others of about the same relevance;
    whether a fact is relevant at all depends on neither.
    """
    weights = _weights(candidates, frozenset(query_stems))
    ranked: list[tuple[float, datetime, UUID, Fact]] = []
    for one in candidates:
        share = math.fsum(weights[stem] for stem in one.stems & weights.keys())
        is_compared = one.cosine is not None
        relevance = share if one.cosine is None else one.cosine + _WORDS * share
        if relevance < (policy.threshold if is_compared else _BY_WORDS):
            continue
        fact = one.fact
        freshness = 0.5 + 0.5 * decay.score(fact, now)
        score = relevance * _PRIORITIES[fact.priority] * freshness
        ranked.append((score, fact.created_at, fact.fact_id, fact))
    ranked.sort(key=lambda one: one[:3], reverse=True)
    return tuple(fact for *_, fact in ranked[: policy.k])


def _weights(
    candidates: Sequence[FactCandidate], query_stems: frozenset[Hashable]
) -> dict[Hashable, float]:
    """The share of each word in the question: the fewer facts have it, the more it tells."""
    counts = Counter(stem for one in candidates for stem in one.stems & query_stems)
    total = len(candidates)
    weights = {
        stem: math.log1p((total - counts[stem] + 0.5) / (counts[stem] + 0.5))
        for stem in query_stems
    }
    whole = math.fsum(weights.values())
    return {stem: weight / whole for stem, weight in weights.items()} if whole else {}
