"""Entries as rows of the database, and back."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

import orjson
from asyncpg import Record

from recollect.domain.recall.choice import best_places, places_beside
from recollect.domain.recall.entry import REACH, Candidate, Entry, IndexedEntry, Scores, Vector
from recollect.engines.postgres.recall_keys import model_key, term_key

_MOST: Final = 32_767  # what a count is kept in
# Where searches tell what; names would take longer.
_IS_MEANT, _SESSION, _LEXICAL, _SEMANTIC, _SPEAKER = range(5)
_session_of: Final = itemgetter(_SESSION)


def entry_from(row: Record) -> Entry:
    """A row of `recall_entries`."""
    return Entry(
        session_id=row["session_id"],
        turn_number=row["turn_number"],
        sequence=row["sequence"],
        message_ids=tuple(row["message_ids"]),
        text=row["text"],
        speaker=row["speaker"],
        tables=tuple(row["tables"]),
        said_at=row["said_at"],
    )


def candidates_from(rows: Sequence[Record]) -> tuple[Candidate, ...]:
    """Rows in the order of sessions: the best ones, and those around them for their scores.

    The nearest entries of each of the best are among the rows, hence next to it.
    """
    best = {at for at, row in enumerate(rows) if row[_IS_MEANT]}
    return tuple(_candidates(rows, _scores_in(rows), best))


def best_candidates_from(rows: Sequence[Record], *, count: int) -> tuple[Candidate, ...]:
    """Of rows with all entries, in the order of sessions, those worth ranking."""
    scores = _scores_in(rows)
    meant = [at for at, row in enumerate(rows) if row[_IS_MEANT]]
    best = best_places(scores, meant, count=count)
    speakers = [row[_SPEAKER] for row in rows]
    beside = places_beside(best, [row[_SESSION] for row in rows], speakers)
    return tuple(_candidates(rows, scores, best | beside.intersection(meant)))


def _scores_in(rows: Sequence[Record]) -> tuple[Scores, ...]:
    return tuple(Scores(row[_LEXICAL], row[_SEMANTIC]) for row in rows)


def _candidates(
    rows: Sequence[Record], scores: tuple[Scores, ...], places: Collection[int]
) -> Iterator[Candidate]:
    """Those at some places, with what lies around each in its session."""
    start = 0
    for _, said in groupby(map(_session_of, rows)):
        around = scores[start : start + len(list(said))]
        for at, own in enumerate(around):
            if start + at in places:
                yield Candidate(
                    _told_entry(rows[start + at]),
                    own,
                    around[max(0, at - REACH) : at][::-1],
                    around[at + 1 : at + 1 + REACH],
                )
        start += len(around)


def _told_entry(row: Record) -> Entry:
    """The entry in a row of a search."""
    _, session_id, _, _, speaker, sequence, turn_number, said_at, tables, message_ids, text = row
    names = tuple(tables) if tables else ()
    return Entry(
        session_id, turn_number, sequence, tuple(message_ids), text, said_at, speaker, names
    )


def indexed_json(entries: Sequence[IndexedEntry]) -> str:
    """Entries with what they are found by, as the statement that adds them takes them."""
    return _json([_indexed(one) for one in entries])


def embedded_json(vectors: Sequence[tuple[Entry, Vector]], model: str) -> str:
    """Vectors of entries, as the statement that changes them takes them."""
    return _json(
        [
            {
                "session_id": entry.session_id,
                "sequence": entry.sequence,
                "message_ids": entry.message_ids,
                "text": entry.text,
                "vector": vector_text(vector),
                "model_key": model_key(model, len(vector)),
            }
            for entry, vector in vectors
        ]
    )


def said_json(entries: Sequence[Entry]) -> str:
    """What tells entries from others, as the statement that claims them takes it."""
    return _json(
        [
            {
                "session_id": entry.session_id,
                "sequence": entry.sequence,
                "message_ids": entry.message_ids,
                "text": entry.text,
            }
            for entry in entries
        ]
    )


def vector_text(vector: Vector) -> str:
    """A vector as PostgreSQL reads it."""
    return _json(vector)


def _indexed(one: IndexedEntry) -> dict[str, object]:
    entry = one.entry
    counts: dict[int, int] = {}
    for term, count in one.terms.items():
        key = term_key(term)
        counts[key] = min(counts.get(key, 0) + count, _MOST)
    embedding: dict[str, object] = {}
    if one.model is not None and one.vector is not None:
        key = model_key(one.model, len(one.vector))
        embedding = {"model": one.model, "model_key": key, "vector": vector_text(one.vector)}
    return {
        "sequence": entry.sequence,
        "turn_number": entry.turn_number,
        "said_at": entry.said_at,
        "length": sum(one.terms.values()),
        "speaker": entry.speaker,
        "tables": entry.tables,
        "message_ids": entry.message_ids,
        "text": entry.text,
        "terms": list(counts),
        "counts": list(counts.values()),
        **embedding,
    }


def _json(value: object) -> str:
    """JSON text; the driver's own kind of UUID is written as others are."""
    return orjson.dumps(value, default=str).decode()
