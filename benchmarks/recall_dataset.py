"""Owners with a known number of indexed exchanges, and the same vectors in a plain table."""

import asyncio
import random
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final, TypeVar
from uuid import UUID, uuid5

import asyncpg
import numpy as np
from asyncpg import BitString
from numpy.typing import NDArray

from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.postgres.recall.index import model_key, term_key
from recollect.models.stems import SnowballStems

MODEL: Final = "benchmark"
DIMENSIONS: Final = 384
_TENANT: Final = "recall-speed"
_SESSIONS: Final = UUID("b2f5b7a4-2a64-4f0e-9a39-8f1d5bb1c6a1")
_SAID_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)
_EXCHANGES_PER_SESSION: Final = 20
_EXCHANGES_PER_OTHER: Final = 1_000
_TOPICS: Final = 2_000
_WORDS: Final = 30_000
_WORDS_AN_ENTRY: Final = 32
_AT_ONCE: Final = 5_000
_KEY: Final = model_key(MODEL, DIMENSIONS)
_COLUMNS: Final = (
    *("owner_id", "session_id", "sequence", "last_sequence", "turn_number", "said_at", "number"),
    *("length", "model_key", "vector", "model", "bits", "tables", "message_ids", "text"),
    *("terms", "counts"),
)

Floats = NDArray[np.float32]
Item = TypeVar("Item")


def scope_of(name: str) -> Scope:
    """The owner of that name."""
    return Scope(tenant=_TENANT, user=name, actor="benchmark")


class Language:
    """Made-up words, as frequent as those of a real language, and vectors around topics."""

    def __init__(self, seed: int) -> None:
        self._numbers = np.random.default_rng(seed)
        topics = np.random.default_rng(0).normal(size=(_TOPICS, DIMENSIONS))
        self._topics: Floats = topics.astype(np.float32)
        self._words = _made_up_words()
        stems = SnowballStems()
        self._terms = [term_key(stems.stems(word, language="en")[0]) for word in self._words]
        shares = np.cumsum(1 / (np.arange(_WORDS) + 20))
        self._shares = shares / shares[-1]

    def vectors(self, count: int) -> Floats:
        """Unit vectors, each near one of the topics."""
        near = self._topics[self._numbers.integers(0, _TOPICS, count)]
        around = near + self._numbers.normal(size=near.shape).astype(np.float32)
        return (around / np.linalg.norm(around, axis=1, keepdims=True)).astype(np.float32)

    def words(self, count: int) -> list[int]:
        """So many words as they are said, each by its number."""
        return np.searchsorted(self._shares, self._numbers.random(count)).tolist()

    def length(self) -> int:
        """How many words an exchange has."""
        return int(self._numbers.gamma(4, _WORDS_AN_ENTRY / 4)) + 4

    def text(self, words: Sequence[int]) -> str:
        """The words as somebody says them."""
        return " ".join(self._words[word] for word in words)

    def counted(self, words: Sequence[int]) -> Mapping[int, int]:
        """The words as an index keeps them, and how often each is said."""
        counts: dict[int, int] = {}
        for word in words:
            term = self._terms[word]
            counts[term] = counts.get(term, 0) + 1
        return counts

    def question(self) -> tuple[str, Vector]:
        """Six words, some of them rare, and a vector near a topic."""
        words = [int(rank) for rank in 10 ** self._numbers.uniform(1.3, 4, 6)]
        vector = tuple(map(float, self.vectors(1)[0]))
        return f"What was said about {self.text(words)}?", vector


def _made_up_words() -> list[str]:
    chance = random.Random(3)  # noqa: S311  # the same words on every run, no secrets
    syllables = [first + second for first in "bdfgklmnprstv" for second in "aeiou"]
    made: dict[str, None] = {}
    while len(made) < _WORDS:
        made["".join(chance.choices(syllables, k=chance.randint(2, 4))) + "k"] = None
    return list(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Fills a database: the owners to be measured, and others whose rows lie among theirs."""

    owners: Mapping[str, int]
    """How many exchanges each has."""
    others: int
    """Exchanges of other owners, together."""

    async def run(self, dsn: str) -> None:
        """Fill both tables in one order, in which the owners take turns by chance."""
        connection = await asyncpg.connect(
            dsn, server_settings={"search_path": "recollect, public"}
        )
        try:
            for kind in ("halfvec", "vector"):
                await connection.set_type_codec(
                    kind, schema="public", format="binary", encoder=bytes, decoder=bytes
                )
            await self._run(connection)
        finally:
            await connection.close()

    async def _run(self, connection: asyncpg.Connection) -> None:
        await connection.execute(_PLAIN_TABLE)
        sizes = {scope_of(name): size for name, size in self.owners.items()}
        count = self.others // _EXCHANGES_PER_OTHER
        sizes |= {scope_of(f"other-{i}"): _EXCHANGES_PER_OTHER for i in range(count)}
        await _add_owners(connection, sizes)
        # What follows the entries by itself is made at the end, in an order that goes faster.
        await connection.execute("ALTER TABLE recall_entries DISABLE TRIGGER USER")
        done, total = 0, sum(sizes.values())
        for rows in _in_batches(_entries(sizes)):
            await connection.copy_records_to_table("recall_entries", records=rows, columns=_COLUMNS)
            plain = [(row[0], row[6], row[14], row[9]) for row in rows]
            await connection.copy_records_to_table("by_hand", schema_name="public", records=plain)
            done += len(rows)
            print(f"\rloading {done:,} of {total:,} …", end="", file=sys.stderr, flush=True)
            await asyncio.sleep(0)
        print("\ncounting words …", file=sys.stderr)
        await connection.execute(_WHAT_FOLLOWS)
        await connection.execute("ALTER TABLE recall_entries ENABLE TRIGGER USER")
        await connection.execute("CREATE INDEX ON public.by_hand (owner_id)")
        await connection.execute("VACUUM ANALYZE")


async def _add_owners(connection: asyncpg.Connection, sizes: Mapping[Scope, int]) -> None:
    owners = [(scope.owner_id, scope.tenant, scope.user, _SAID_AT) for scope in sizes]
    columns: tuple[str, ...] = ("owner_id", "tenant_id", "user_id", "created_at")
    await connection.copy_records_to_table("owners", records=owners, columns=columns)
    sessions = [
        (scope.owner_id, _session(scope, number), "{}", [], [], _SAID_AT, _SAID_AT, _SAID_AT)
        for scope, size in sizes.items()
        for number in range(-(-size // _EXCHANGES_PER_SESSION))
    ]
    columns = ("owner_id", "session_id", "metadata", "databases", "tags")
    times = ("created_at", "updated_at", "last_accessed_at")
    await connection.copy_records_to_table("sessions", records=sessions, columns=(*columns, *times))


def _session(scope: Scope, number: int) -> UUID:
    return uuid5(_SESSIONS, f"{scope.user}:{number}")


def _entries(sizes: Mapping[Scope, int]) -> Iterator[tuple[object, ...]]:
    language = Language(1)
    scopes = list(sizes)
    turns = np.repeat(np.arange(len(scopes)), list(sizes.values()))
    np.random.default_rng(2).shuffle(turns)
    numbers = [0] * len(scopes)
    for owners in _in_batches(turns.tolist()):
        for owner, vector in zip(owners, language.vectors(len(owners)), strict=True):
            yield _entry(language, scopes[owner], numbers[owner], vector)
            numbers[owner] += 1


def _entry(language: Language, scope: Scope, place: int, vector: Floats) -> tuple[object, ...]:
    words = language.words(language.length())
    counted = language.counted(words)
    session, turn = divmod(place, _EXCHANGES_PER_SESSION)
    session_id = _session(scope, session)
    bits = BitString.frombytes(np.packbits(vector > 0).tobytes(), DIMENSIONS)
    half = struct.pack(">hh", DIMENSIONS, 0) + vector.astype(">f2").tobytes()
    said_at = _SAID_AT + timedelta(minutes=place)
    messages = [uuid5(session_id, str(turn * 2 + side)) for side in (0, 1)]
    text = f"Question: {language.text(words[:12])} Result summary: {language.text(words[12:])}"
    return (
        *(scope.owner_id, session_id, turn * 2 + 1, turn * 2 + 2, turn + 1, said_at, place + 1),
        *(len(words), _KEY, half, MODEL, bits, [], messages, text),
        *(list(counted), list(counted.values())),
    )


def _in_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    left = iter(items)
    while batch := list(islice(left, _AT_ONCE)):
        yield batch


_PLAIN_TABLE: Final = f"""
CREATE TABLE public.by_hand (
    owner_id uuid NOT NULL, id bigint NOT NULL, text text NOT NULL,
    vector public.halfvec({DIMENSIONS}) NOT NULL
)
"""

_WHAT_FOLLOWS: Final = """
INSERT INTO recall_owners
SELECT owner_id, count(*), sum(length), max(number) FROM recall_entries GROUP BY owner_id;
INSERT INTO recall_models
SELECT owner_id, model, count(*) FROM recall_entries GROUP BY owner_id, model;
SET LOCAL work_mem = '1GB';
INSERT INTO recall_words
SELECT entry.owner_id, word.term, entry.number, word.count, entry.length
FROM recall_entries AS entry
CROSS JOIN LATERAL unnest(entry.terms, entry.counts) AS word (term, count)
ORDER BY 1, 2, 3;
"""
