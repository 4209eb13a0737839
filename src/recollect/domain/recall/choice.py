"""Which of an owner's entries are worth ranking, where the scores of all are known."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from recollect.domain.recall.entry import Scores


def best_places(scores: Sequence[Scores], meant: Sequence[int], *, count: int) -> set[int]:
    """The places of the best by words and of the best by meaning among these, so many of each."""
    by_words = [(scores[at].lexical, at) for at in meant if scores[at].lexical > 0]
    by_meaning = [(meaning, at) for at in meant if (meaning := scores[at].semantic) is not None]
    by_words.sort(reverse=True)
    by_meaning.sort(reverse=True)
    return {at for _, at in by_words[:count]} | {at for _, at in by_meaning[:count]}


def places_beside(
    places: Iterable[int], sessions: Sequence[UUID], speakers: Sequence[str | None]
) -> set[int]:
    """The places right before and after these in logs, where both name their speakers."""
    named = (at for at in places if speakers[at] is not None)
    return {
        beside
        for at in named
        for beside in (at - 1, at + 1)
        if 0 <= beside < len(sessions)
        and speakers[beside] is not None
        and sessions[beside] == sessions[at]
    }
