"""An index embedded by an old model, and searches that fail if two models are mixed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from conformance.contracts.recall_shared import CLOSE
from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.engines.postgres.recall.index import model_key, term_key
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.models import Embedder
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder

DIMENSIONS: Final = 8
QUESTION: Final = "word 77"
_A_SESSION: Final = 20

_LOAD: Final = """
WITH owner AS (
    INSERT INTO owners VALUES ($1, $2, $3, now()) RETURNING owner_id
), session AS (
    INSERT INTO sessions (
        owner_id, session_id, metadata, databases, tags, created_at, updated_at, last_accessed_at
    )
    SELECT owner_id, gen_random_uuid(), '{}', '{}', '{}', now(), now(), now()
    FROM owner CROSS JOIN generate_series(1, $4::integer / $5::integer)
    RETURNING owner_id, session_id
), numbered AS (
    SELECT owner_id, session_id, (row_number() OVER () - 1) * $5::integer AS before FROM session
)
INSERT INTO recall_entries (
    owner_id, session_id, sequence, last_sequence, turn_number, said_at, number, length, model_key,
    vector, model, bits, tables, message_ids, text, terms, counts
)
SELECT
    owner_id, session_id, turn * 2 - 1, turn * 2, turn, now(), before + turn, 2, $6,
    '[1,0,0,0,0,0,0,0]', $7, b'10000000', '{}', ARRAY[gen_random_uuid()],
    'word ' || before + turn, ARRAY[$8::integer, (before + turn)::integer], ARRAY[1, 1]
FROM numbered CROSS JOIN generate_series(1, $5::integer) AS turn
"""


class OldModel:
    """To the old model all texts are the same."""

    model = "old:8"
    dimensions = DIMENSIONS

    async def warm(self) -> None:
        pass

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return (await self.embed_question(""),) * len(texts)

    async def embed_question(self, question: str) -> Vector:  # all are the same
        return (1.0, *(0.0,) * (DIMENSIONS - 1))


OLD: Final = OldModel()
NEW: Final = WordEmbedder(dimensions=DIMENSIONS, model=f"new:{DIMENSIONS}")


async def load(dsn: str, scope: Scope, exchanges: int) -> None:
    """Put exchanges of one owner straight into the tables, embedded by the old model."""
    admin = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    await admin.execute(
        _LOAD,
        *(scope.owner_id, scope.tenant, scope.user, exchanges, _A_SESSION),
        *(model_key(OLD.model, DIMENSIONS), OLD.model, term_key("word")),
    )
    await admin.close()


async def left_behind(dsn: str, scope: Scope, model: str) -> int:
    """How many of the owner's entries the model has still to embed, after its process was killed.

    What the process had sent to PostgreSQL may yet be done: it is waited for, by its lock.
    """
    admin = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    async with admin.transaction():
        await admin.execute(
            "SELECT FROM recall_owners WHERE owner_id = $1 FOR UPDATE", scope.owner_id
        )
        count: int = await admin.fetchval(
            "SELECT count(*) FROM recall_entries WHERE owner_id = $1 AND model <> $2",
            *(scope.owner_id, model),
        )
    await admin.close()
    return count


@dataclass(slots=True, kw_only=True)
class Searcher:
    """Searches again and again with one model, as a server does that was started with it."""

    services: Services
    scope: Scope
    embedder: Embedder
    searches: int = 0
    by_meaning: int = 0
    """How many of all that was found had a vector of its model."""
    _cosines: dict[str, float] = field(default_factory=dict)

    @classmethod
    def on(cls, stores: Stores, scope: Scope, embedder: Embedder) -> "Searcher":
        around = ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            embedder=embedder,
        )
        return cls(services=build_services(stores, around), scope=scope, embedder=embedder)

    async def search_until(self, done: asyncio.Event) -> None:
        """Search, and check each time what was found."""
        while not done.is_set():
            await self.search()
            await asyncio.sleep(0.02)

    async def search(self) -> list[float | None]:
        """Find some exchanges, each compared with a vector of this model, or with none."""
        found = await self.services.recall.search(self.scope, QUESTION, k=20)
        assert len(found.items) == 20
        assert not found.warnings
        for item in found.items:
            assert item.lexical > 0
            if item.semantic is not None:
                cosine = await self._cosine(item.text)
                assert abs(item.semantic - cosine) < CLOSE, "a vector of another model"
                self.by_meaning += 1
        self.searches += 1
        return [item.semantic for item in found.items]

    async def _cosine(self, text: str) -> float:
        """How near a text is to the question, to its model; computed once."""
        if text not in self._cosines:
            (theirs,) = await self.embedder.embed([text])
            ours = await self.embedder.embed_question(QUESTION)
            self._cosines[text] = sum(a * b for a, b in zip(theirs, ours, strict=True))
        return self._cosines[text]
