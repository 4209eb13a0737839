"""Which of an owner's entries are worth ranking, where the scores of all are known."""

from collections.abc import Iterable, Mapping, Sequence


def best_places(
    lexical: Mapping[int, float], semantic: Mapping[int, float], *, count: int
) -> set[int]:
    """The places of the best by words and of the best by meaning, so many of each.

    A place without a score has no word in common with the question, or no vector.
    """
    by_words = sorted(lexical, key=lexical.__getitem__, reverse=True)
    by_meaning = sorted(semantic, key=semantic.__getitem__, reverse=True)
    return {*by_words[:count], *by_meaning[:count]}


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
