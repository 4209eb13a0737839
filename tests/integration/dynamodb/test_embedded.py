"""What a worker reads of the table to find what the model in use has not embedded."""

from collections import Counter
from typing import Any

import pytest

from conformance.contracts.facts_shared import a_fact, commit
from conformance.contracts.recall_shared import EAST, MODEL, Log, index_of
from recollect.engines.dynamodb.conversations.purging import CHANGES
from recollect.engines.dynamodb.recall.entries_head import read_head
from recollect.engines.dynamodb.table.keys import ENTRIES, key_of
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.work.embedded import MIXED, note_model
from recollect.ports import Stores

NEXT_MODEL = "model-b:3"


@pytest.fixture
def requests(table: Table, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many requests of each kind were sent."""
    counted, call = Counter[str](), table.client.call

    async def count(operation: str, request: Any) -> dict[str, Any]:  # noqa: ANN401
        counted[operation] += 1
        return await call(operation, request)

    monkeypatch.setattr(table.client, "call", count)
    return counted


async def outdated_texts(stores: Stores, model: str) -> list[str]:
    entries = await index_of(stores).outdated(model=model, limit=99)
    facts = await stores.facts.outdated(model=model, limit=99)
    return sorted([*(entry.text for _, entry in entries), *(fact.content for _, fact in facts)])


async def test_a_round_reads_no_owner_while_everything_is_embedded(
    stores: Stores, requests: Counter[str]
) -> None:
    for number in range(12):
        log = await Log.start(stores)
        await log.say(f"entry {number}")
        await log.say(f"entry {number}, too")
        assert await commit(stores, log.scope, a_fact(f"Fact {number}."), vector=EAST, model=MODEL)
    requests.clear()
    assert await outdated_texts(stores, MODEL) == []
    assert await index_of(stores).count_outdated(model=MODEL) == 0
    assert requests == {"Query": 3 * 8}, "of four parts of a queue, what is before and after"


async def test_an_owner_is_read_until_everything_is_embedded(
    stores: Stores, requests: Counter[str]
) -> None:
    log = await Log.start(stores)
    said = await log.say("skis")
    fact = a_fact("Skis.")
    assert await commit(stores, log.scope, fact, vector=EAST, model=MODEL)
    assert await outdated_texts(stores, NEXT_MODEL) == ["Skis.", "skis"]
    await index_of(stores).embed(log.scope, [(said.entry, EAST)], model=NEXT_MODEL)
    await stores.facts.embed(log.scope, {fact.fact_id: (1, EAST)}, model=NEXT_MODEL)
    assert await outdated_texts(stores, NEXT_MODEL) == []
    requests.clear()
    assert await outdated_texts(stores, NEXT_MODEL) == []
    assert {*requests} == {"Query"}
    await log.say("sledge", vector=None)
    assert await outdated_texts(stores, NEXT_MODEL) == ["sledge"]


async def test_what_is_written_while_a_worker_reads_is_found_by_the_next_round(
    stores: Stores, table: Table
) -> None:
    log = await Log.start(stores)
    await log.say("skis")
    read = await read_head(table, log.scope.owner_id)
    await log.say("sledge", vector=None)
    key = key_of(log.scope.owner_id, ENTRIES)
    await note_model(table, key, MODEL, counter=CHANGES, read=read.changes)
    assert (await read_head(table, log.scope.owner_id)).model == MIXED
    assert await outdated_texts(stores, MODEL) == ["sledge"]
