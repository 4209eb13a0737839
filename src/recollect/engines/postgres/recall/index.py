"""The recall index in PostgreSQL."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID
from zlib import crc32

import orjson
from asyncpg import Record

from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    REACH,
    Candidate,
    Entry,
    IndexedEntry,
    RecallFilter,
    RecallQuery,
)
from recollect.domain.recall.ranking import K1, B, neighbouring_positions
from recollect.domain.vectors import Vector
from recollect.engines.postgres.connection.database import Database, PostgresStore
from recollect.engines.postgres.rows import worker_scope
from recollect.errors import ContentUnreadable
from recollect.ports.runtime import Clock

_MAX_KEY: Final = 0x7FFFFFFF  # the largest integer of PostgreSQL
_MAX_COUNT: Final = 32_767  # the largest smallint
_RESCORED_AT_LEAST: Final = 150
_RESCORED_FOR_EACH: Final = 2  # the first pass is approximate: the best are among twice as many
EXACT_UP_TO: Final = 1_000
"""Comparing this many vectors is as fast as choosing first which to compare."""
_OWNERS_AT_LEAST: Final = 100  # to choose from
_CHANCE: Final = random.Random()  # noqa: S311  # keeps workers apart, keeps no secrets
_FIRST: Final = UUID(int=0)


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


def search_parameters(
    query: RecallQuery, weights: Mapping[int, float], *, now: datetime, exact_up_to: int
) -> dict[str, object]:
    """The parameters of `search_entries`, all but the owner."""
    filters, outside = query.filters, query.nearest
    vector = None if outside is not None else query.vector
    return {
        "terms": list(weights),
        "weights": list(weights.values()),
        # As text: the driver takes ten times as long over an array of numbers.
        "vector": None if vector is None else json_text(vector),
        "model_key": query_model_key(query),
        "outside_numbers": None if outside is None else list(outside),
        "outside_cosines": None if outside is None else list(outside.values()),
        "chosen": None if query.chosen is None else list(query.chosen),
        "count": query.count,
        "rescored": rescored_count(query),
        "exact_up_to": exact_up_to,
        "reach": REACH,
        "k1": K1,
        "b": B,
        "now": now,
        # Whether a filter needs columns that the index of the first pass does not have.
        "is_filtered": any(
            column is not None
            for column in (filters.session_id, filters.tables, filters.databases, filters.speaker)
        ),
        "session_id": filters.session_id,
        "since": filters.since,
        "until": filters.until,
        "tables": None if filters.tables is None else list(filters.tables),
        "databases": None if filters.databases is None else list(filters.databases),
        "speaker": filters.speaker,
        "without": list(filters.without) or None,
    }


def rescored_count(query: RecallQuery) -> int:
    """How many entries the first pass chooses."""
    return max(_RESCORED_AT_LEAST, query.count * _RESCORED_FOR_EACH)


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


def identity(entry: Entry) -> dict[str, object]:
    """What tells an entry from others, as statements take it."""
    return {
        "session_id": entry.session_id,
        "sequence": entry.sequence,
        "message_ids": entry.message_ids,
        "texts": [entry.text],
    }


def _indexed(one: IndexedEntry, number_of: Callable[[int], int]) -> dict[str, object]:
    """An entry with its words and its vector, as `replace_entries` takes it."""
    entry = one.entry
    counts: dict[int, int] = {}
    for term, count in one.terms.items():
        key = number_of(term_key(term))
        counts[key] = min(counts.get(key, 0) + count, _MAX_COUNT)
    embedding: dict[str, object] = {}
    if one.model is not None and one.vector is not None:
        embedding = {"model": one.model, **_embedding(one.vector, one.model)}
    return {
        "sequence": entry.sequence,
        "turn_number": entry.turn_number,
        "said_at": entry.said_at,
        "length": one.length,
        "speaker": entry.speaker,
        "tables": entry.tables,
        "message_ids": entry.message_ids,
        "text": entry.text,
        "terms": list(counts),
        "counts": list(counts.values()),
        **embedding,
    }


def _embedding(vector: Vector, model: str) -> dict[str, object]:
    return {"vector": json_text(vector), "model_key": model_key(model, len(vector))}


def json_text(value: object) -> str:
    """JSON as PostgreSQL reads it; the driver's own kind of UUID is written as others are."""
    return orjson.dumps(value, default=str).decode()


class PostgresRecallIndex(PostgresStore):
    """A `RecallIndex` in the tables `recall_…`.

    What changes entries locks their session first, then the owner's row of `recall_owners`.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        kept_in: str | None = None,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        """With `kept_in`, new entries are noted as perhaps copied to the store of that name.

        The vectors of owners with more entries than `exact_up_to` are searched in two stages.
        """
        super().__init__(database, clock)
        self._kept_in = kept_in
        self._exact_up_to = exact_up_to

    async def replace(
        self,
        scope: Scope,
        session_id: UUID,
        turns: Sequence[int],
        entries: Sequence[IndexedEntry],
    ) -> None:
        key = await self._database.data_key(scope.owner_id, for_writing=True)
        number_of = int if key is None else key.cipher.keyed_number
        await self._database.write(
            "replace_entries",
            owner_id=scope.owner_id,
            session_id=session_id,
            turn_numbers=turns,
            entries=json_text([_indexed(one, number_of) for one in entries]),
            store=self._kept_in,
            now=self._clock.now(),
        )

    async def search(self, scope: Scope, query: RecallQuery) -> tuple[Candidate, ...]:
        weights = await self._weights(scope.owner_id, query)
        parameters = search_parameters(
            query, weights, now=self._clock.now(), exact_up_to=self._exact_up_to
        )
        rows = await self._database.read("search_entries", owner_id=scope.owner_id, **parameters)
        return tuple(candidates_from(rows, query.filters))

    async def speakers(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        rows = await self._database.read("list_speakers", owner_id=scope.owner_id, limit=limit)
        return tuple(row["speaker"] for row in rows)

    async def outdated(self, *, model: str, limit: int) -> tuple[tuple[Scope, Entry], ...]:
        """Some entries of any owner that this model has not embedded.

        Which ones is left to chance, so that several workers seldom embed the same.
        """
        rows = await self._database.run_for_all(
            "outdated_owners",
            at=self._clock.now(),
            model=model,
            limit=max(limit, _OWNERS_AT_LEAST),
        )
        outdated: list[tuple[Scope, Entry]] = []
        for row in _CHANCE.sample(rows, len(rows)):
            scope = worker_scope(row["tenant_id"], row["user_id"])
            with suppress(ContentUnreadable):  # those of other owners are embedded all the same
                entries = await self._outdated_of(scope, model, limit - len(outdated))
                outdated += [(scope, entry) for entry in entries]
            if len(outdated) >= limit:
                break
        return tuple(outdated)

    async def count_outdated(self, *, model: str) -> int:
        return await self._database.count("count_outdated", at=self._clock.now(), model=model)

    async def embed(
        self, scope: Scope, vectors: Sequence[tuple[Entry, Vector]], *, model: str
    ) -> None:
        embedded = [identity(entry) | _embedding(vector, model) for entry, vector in vectors]
        await self._database.write(
            "embed_entries",
            owner_id=scope.owner_id,
            session_ids=sorted({entry.session_id for entry, _ in vectors}),
            model=model,
            entries=json_text(embedded),
            now=self._clock.now(),
        )

    async def _weights(self, owner_id: UUID, query: RecallQuery) -> Mapping[int, float]:
        """The weights of a query's words, by the numbers that are stored for the owner."""
        weights, key = term_weights(query), await self._database.data_key(owner_id)
        if key is None:
            return weights
        keyed = {key.cipher.keyed_number(term): weight for term, weight in weights.items()}
        # Of an owner with entries from before encryption was on, both are looked for.
        return keyed if key.is_complete else {**weights, **keyed}

    async def _outdated_of(self, scope: Scope, model: str, limit: int) -> list[Entry]:
        """From a session by chance on; from the first one where nothing comes after that."""
        for first in (UUID(int=_CHANCE.getrandbits(128)), _FIRST):
            rows = await self._database.run(
                "outdated_entries",
                owner_id=scope.owner_id,
                first_session=first,
                model=model,
                limit=limit,
                now=self._clock.now(),
            )
            if rows:
                return [entry_from(row) for row in rows]
        return []
