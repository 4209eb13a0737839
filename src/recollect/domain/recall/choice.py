"""Which of an owner's entries are worth ranking, where the scores of all are known."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest


def best_places(
    lexical: Mapping[int, float], semantic: Mapping[int, float], *, count: int
) -> set[int]:
    """The places of the best by words and of the best by meaning, so many of each.

    A place without a score has no word in common with the question, or no vector.
    """
    by_words = nlargest(count, lexical, key=lexical.__getitem__)
    return {*by_words, *nlargest(count, semantic, key=semantic.__getitem__)}


def places_beside(
    places: Iterable[int], sessions: Sequence[object], is_named: Sequence[bool]
) -> set[int]:
    """The places right before and after these in logs, where both name their speakers."""
    return {
        beside
        for at in places
        if is_named[at]
        for beside in (at - 1, at + 1)
        if 0 <= beside < len(sessions) and is_named[beside] and sessions[beside] == sessions[at]
    }
