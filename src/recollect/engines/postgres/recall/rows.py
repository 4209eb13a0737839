"""Entries and searches as the engine's statements take and return them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from zlib import crc32

import orjson
from asyncpg import Record

from recollect.domain.recall.entry import (
    REACH,
    Candidate,
    Entry,
    IndexedEntry,
    RecallFilter,
    RecallQuery,
    Vector,
)
from recollect.domain.recall.ranking import neighbouring_positions
from recollect.domain.recall.words import K1, B

_MAX_KEY: Final = 0x7FFFFFFF  # the largest integer of PostgreSQL
_MAX_COUNT: Final = 32_767  # the largest smallint
_RESCORED_AT_LEAST: Final = 150
_RESCORED_FOR_EACH: Final = 2  # the first pass is approximate: the best are among twice as many


def term_key(term: str) -> int:
    """The number that is stored for a word; two words of an owner rarely share one."""
    return crc32(term.encode("utf-8", "surrogatepass")) & _MAX_KEY


def model_key(model: str, dimensions: int) -> int:
    """The number that is stored for a model and the length of its vectors."""
    return crc32(f"{model}\n{dimensions}".encode("utf-8", "surrogatepass")) & _MAX_KEY


def term_weights(query: RecallQuery) -> dict[int, float]:
    """The weights of a query's words, by their stored numbers."""
    weights: dict[int, float] = {}
    for term, weight in query.terms.items():
        key = term_key(term)
        weights[key] = weights.get(key, 0) + weight
    return weights


def query_model_key(query: RecallQuery) -> int | None:
    """The key of the vectors that a query's vector can be compared with."""
    if query.vector is None or query.model is None:
        return None
    return model_key(query.model, len(query.vector))


def search_parameters(query: RecallQuery, *, now: datetime, exact_up_to: int) -> dict[str, object]:
    """The parameters of `search_entries`, all but the owner."""
    filters, weights, outside = query.filters, term_weights(query), query.nearest
    vector = None if outside is not None else query.vector
    return {
        "terms": list(weights),
        "weights": list(weights.values()),
        # As text: the driver takes ten times as long over an array of numbers.
        "vector": None if vector is None else vector_text(vector),
        "model_key": query_model_key(query),
        "outside_numbers": None if outside is None else list(outside),
        "outside_cosines": None if outside is None else list(outside.values()),
        "count": query.count,
        "rescored": max(_RESCORED_AT_LEAST, query.count * _RESCORED_FOR_EACH),
        "exact_up_to": exact_up_to,
        "reach": REACH,
        "k1": K1,
        "b": B,
        "now": now,
        "is_filtered": _needs_entries(filters),
        "session_id": filters.session_id,
        "since": filters.since,
        "until": filters.until,
        "tables": None if filters.tables is None else list(filters.tables),
        "databases": None if filters.databases is None else list(filters.databases),
        "speaker": filters.speaker,
        "without": list(filters.without) or None,
    }


def _needs_entries(filters: RecallFilter) -> bool:
    """Whether a filter needs columns that the index of the first pass does not have."""
    columns = (filters.session_id, filters.tables, filters.databases, filters.speaker)
    return any(column is not None for column in columns)


def entry_from(row: Record) -> Entry:
    """The entry in a row."""
    return Entry(
        row["session_id"],
        row["turn_number"],
        row["sequence"],
        tuple(row["message_ids"]),
        row["text"],
        row["said_at"],
        row["speaker"],
        tuple(row["tables"]),
    )


def candidates_from(rows: Sequence[Record], filters: RecallFilter) -> Iterator[Candidate]:
    """The best of the rows of `search_entries` and, in logs, the entries next to them.

    The nearest entries of each of the best are among the rows, hence next to it.
    """
    sessions = [row["session_id"] for row in rows]
    words = tuple(row["lexical"] for row in rows)
    meanings = tuple(row["semantic"] for row in rows)
    best = {at for at, row in enumerate(rows) if row["is_best"]}
    is_named = [row["speaker"] is not None for row in rows]
    for at in sorted(best | neighbouring_positions(best, sessions, is_named)):
        entry = entry_from(rows[at])
        if at in best or filters.matches(entry):
            yield Candidate.among(entry, words, meanings, at, sessions=sessions)


def indexed_json(entries: Sequence[IndexedEntry]) -> str:
    """Entries with their words and vectors, as `replace_entries` takes them."""
    return _json([_indexed(one) for one in entries])


def embedded_json(vectors: Sequence[tuple[Entry, Vector]], model: str) -> str:
    """The vectors of entries, as `embed_entries` takes them."""
    return _json(
        [
            _identity(entry)
            | {"vector": vector_text(vector), "model_key": model_key(model, len(vector))}
            for entry, vector in vectors
        ]
    )


def entries_json(entries: Sequence[Entry]) -> str:
    """What tells entries from others, as `claim_entries` takes it."""
    return _json([_identity(entry) for entry in entries])


def vector_text(vector: Vector) -> str:
    """A vector as PostgreSQL reads it."""
    return _json(vector)


def _identity(entry: Entry) -> dict[str, object]:
    return {
        "session_id": entry.session_id,
        "sequence": entry.sequence,
        "message_ids": entry.message_ids,
        "text": entry.text,
    }


def _indexed(one: IndexedEntry) -> dict[str, object]:
    entry = one.entry
    counts: dict[int, int] = {}
    for term, count in one.terms.items():
        key = term_key(term)
        counts[key] = min(counts.get(key, 0) + count, _MAX_COUNT)
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
