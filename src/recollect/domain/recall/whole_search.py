"""A search that looks at all entries of an owner, in the process."""

from collections.abc import Mapping, Sequence

from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, RecallQuery
from recollect.domain.recall.ranking import Bm25Index, best_positions, neighbouring_positions
from recollect.domain.vectors import cosine


def search_entries(indexed: Sequence[IndexedEntry], query: RecallQuery) -> dict[int, Candidate]:
    """Return the best entries by words and by meaning, by their positions.

    In a log those beside the best come too. The entries are in the order of sessions and numbers.
    """
    words: Bm25Index[str] = Bm25Index()
    for one in indexed:
        words.add(one.terms, length=one.length)
    meanings = tuple(_cosine(one, query) for one in indexed)
    entries = [one.entry for one in indexed]
    return best_candidates(entries, query, lexical=words.scores(query.terms), meanings=meanings)


def best_candidates(
    entries: Sequence[Entry],
    query: RecallQuery,
    *,
    lexical: Mapping[int, float],
    meanings: tuple[float | None, ...],
) -> dict[int, Candidate]:
    """The same, given the scores of all entries, those by words without the ones that are 0."""
    matching = {at for at, entry in enumerate(entries) if query.filters.matches(entry)}
    best = best_positions(
        {at: score for at, score in lexical.items() if at in matching},
        {at: near for at in matching if (near := meanings[at]) is not None},
        count=query.count,
    )
    sessions = [entry.session_id for entry in entries]
    is_named = [entry.speaker is not None for entry in entries]
    beside = neighbouring_positions(best, sessions, is_named)
    shares = tuple(lexical.get(at, 0.0) for at in range(len(entries)))
    return {
        at: Candidate.among(entries[at], shares, meanings, at, sessions=sessions)
        for at in best | beside & matching
    }


def _cosine(indexed: IndexedEntry, query: RecallQuery) -> float | None:
    if indexed.vector is None or query.vector is None or indexed.model != query.model:
        return None
    if len(indexed.vector) != len(query.vector):
        return None
    return cosine(indexed.vector, query.vector)
