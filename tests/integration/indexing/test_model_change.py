"""Another model: everything is embedded again while searches are served, whatever happens."""

import asyncio
from contextlib import suppress

import asyncpg
import pytest

from recollect.domain.recall.entry import RecallQuery, Scores
from recollect.domain.scope import Scope
from recollect.engines.postgres.recall_keys import model_key, term_key
from recollect.ports.recall_index import IndexSize, RecallIndex
from recollect.ports.stores import Stores
from recollect.services.reindexing import Reindexing
from recollect.testing.contracts.recall_shared import CLOSE, index_of
from recollect.testing.examples import a_scope
from recollect.testing.fakes import WordEmbedder

EXCHANGES = 50_000
OLD = "old:8"
NEW = WordEmbedder(dimensions=8, model="new:8")

LOAD = """
WITH owner AS (
    INSERT INTO owners VALUES ($1, $2, $3, now()) RETURNING owner_id
), session AS (
    INSERT INTO sessions (
        owner_id, session_id, metadata, databases, tags, created_at, updated_at, last_accessed_at
    )
    SELECT owner_id, gen_random_uuid(), '{}', '{}', '{}', now(), now(), now()
    FROM owner CROSS JOIN generate_series(1, $4::integer / 100)
    RETURNING owner_id, session_id
), numbered AS (
    SELECT owner_id, session_id, row_number() OVER () - 1 AS place FROM session
)
INSERT INTO recall_entries (
    owner_id, session_id, sequence, last_sequence, turn_number, said_at, number, length, model_key,
    vector, model, bits, tables, message_ids, text, terms, counts
)
SELECT
    owner_id, session_id, turn * 2 - 1, turn * 2, turn, now(), place * 100 + turn, 2, $5,
    '[1,0,0,0,0,0,0,0]', $6, b'10000000', '{}', ARRAY[gen_random_uuid()],
    'word ' || place * 100 + turn, ARRAY[$7::integer, (place * 100 + turn)::integer],
    ARRAY[1, 1]
FROM numbered CROSS JOIN generate_series(1, 100) AS turn
"""


async def load(dsn: str, scope: Scope) -> None:
    """Put the exchanges of one owner straight into the tables, as the old model left them."""
    admin = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    key = model_key(OLD, 8)
    word = term_key("word")
    await admin.execute(LOAD, scope.owner_id, scope.tenant, scope.user, EXCHANGES, key, OLD, word)
    await admin.close()


async def searched(index: RecallIndex, scope: Scope, text: str) -> dict[str, Scores]:
    (vector,) = await NEW.embed([text])
    query = RecallQuery(terms={"word": 1.0}, model=NEW.model, vector=vector, count=20)
    found = await index.search(scope, query)
    return {one.entry.text: one.scores for one in found}


async def search_until(done: asyncio.Event, index: RecallIndex, scope: Scope) -> int:
    """Search again and again, and check that no vector of the old model is ever compared."""
    count = 0
    while not done.is_set():
        found = await searched(index, scope, "word 77")
        assert found
        for text, scores in found.items():
            assert scores.lexical > 0
            if scores.semantic is not None:
                (theirs,), (ours,) = await NEW.embed([text]), await NEW.embed(["word 77"])
                cosine = sum(a * b for a, b in zip(theirs, ours, strict=True))
                assert scores.semantic == pytest.approx(cosine, abs=CLOSE)
        count += 1
        await asyncio.sleep(0.05)
    return count


@pytest.mark.slow
async def test_a_new_model_takes_over_while_searches_go_on_and_workers_die(
    own_dsn: str, own_stores: Stores
) -> None:
    scope, index = a_scope(), index_of(own_stores)
    await load(own_dsn, scope)
    workers = [Reindexing(index=index, embedder=NEW) for _ in range(3)]
    assert await workers[0].waiting() == EXCHANGES
    before = await searched(index, scope, "word 77")
    assert {scores.semantic for scores in before.values()} == {None}
    done = asyncio.Event()
    searching = asyncio.create_task(search_until(done, index, scope))

    killed = asyncio.create_task(workers[0].do_all())
    while await workers[1].waiting() > EXCHANGES * 0.9:
        await searched(index, scope, "word 77")
    killed.cancel()
    with suppress(asyncio.CancelledError):
        await killed
    left = await workers[1].waiting()
    assert 0 < left < EXCHANGES
    embedded = await asyncio.gather(*(worker.do_all() for worker in workers[1:]))

    done.set()
    assert await searching > 0
    assert left <= sum(embedded) < left * 1.5, "they seldom embed the same"
    assert await workers[0].waiting() == 0
    size = await index.size(scope, model=NEW.model)
    assert size == IndexSize(entries=EXCHANGES, embedded=EXCHANGES)
    (best, *_) = sorted((await searched(index, scope, "word 77")).values(), key=_semantic)
    assert best.semantic == pytest.approx(1, abs=CLOSE)


def _semantic(scores: Scores) -> float:
    return -(scores.semantic or 0)
