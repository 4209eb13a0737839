"""Entries as rows, their keys and their locks."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import Final
from uuid import UUID
from zlib import crc32

import numpy as np
import orjson
from asyncpg import Connection, Record
from numpy.typing import NDArray

from recollect.domain.recall.entry import Candidate, Entry, IndexedEntry, Vector
from recollect.engines.postgres.sql import statement

_MOST_KEYS: Final = 0x7FFFFFFF  # what fits a PostgreSQL integer, without its sign
_HEADER = 20  # bytes: how many dimensions, whether any is null, the type, how many, from where
_MOST: Final = 32_767  # what a count is kept in


def term_key(term: str) -> int:
    """Stand for a word: two words of one owner share a number once in thousands of owners."""
    return crc32(term.encode("utf-8", "surrogatepass")) & _MOST_KEYS


def model_key(model: str, dimensions: int) -> int:
    """Stand for a model and the length of its vectors, which may differ under one name."""
    return crc32(f"{model}\n{dimensions}".encode("utf-8", "surrogatepass")) & _MOST_KEYS


async def hold_entries(connection: Connection, owner_id: UUID) -> None:
    """Hold the owner's entries against other writers.

    Whoever needs sessions holds these before, so that two never wait for each other in a circle.
    """
    await connection.execute(*statement("lock_recall", owner_id=owner_id))


async def hold_some_sessions(
    connection: Connection, owner_id: UUID, sessions: Collection[UUID], *, now: datetime
) -> frozenset[UUID]:
    """Hold those of the sessions that are there and have not expired."""
    rows = await connection.fetch(
        *statement("lock_some_sessions", owner_id=owner_id, session_ids=sorted(sessions), now=now)
    )
    return frozenset(row["session_id"] for row in rows)


def integers_as_binary(sent: bytes, *, size: int) -> NDArray[np.int64]:
    """The numbers of an array of integers of so many bytes each."""
    item = np.dtype([("length", ">i4"), ("value", f">i{size}")])
    return np.frombuffer(sent, dtype=item, offset=_HEADER)["value"].astype(np.int64)


def bits_as_binary(sent: bytes, *, count: int) -> NDArray[np.uint8]:
    """The bytes of an array of as many strings of bits, all of one length; a row for each."""
    items = np.frombuffer(sent, dtype=np.uint8, offset=_HEADER).reshape(count, -1)
    return items[:, 8:]  # after the item's length in bytes, and the string's in bits


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
    """Rows with their scores in the order of sessions: the best ones, and those around them."""
    return candidates_of(rows, [row["lexical"] for row in rows])


def candidates_of(rows: Sequence[Record], words: Sequence[float]) -> tuple[Candidate, ...]:
    """The best of these rows, which are in the order of sessions, each with what its words score.

    The nearest entries of each of the best are among the rows, hence next to it.
    """
    sessions = groupby(zip(rows, words, strict=True), key=lambda one: one[0]["session_id"])
    return tuple(chain.from_iterable(_of_session(list(found)) for _, found in sessions))


def _of_session(told: Sequence[tuple[Record, float]]) -> Iterator[Candidate]:
    words = tuple(score for _, score in told)
    meanings = tuple(row["semantic"] for row, _ in told)
    for at, (row, _) in enumerate(told):
        if row["is_best"]:
            yield Candidate.among(entry_from(row), words, meanings, at)


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
