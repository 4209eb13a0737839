"""What `recollect.ports.facts.FactStore` promises of vectors, and of workers for all owners."""

from dataclasses import replace
from uuid import uuid4

import pytest

from conformance.contracts.facts_shared import a_fact, commit, store, superseded
from conformance.contracts.recall_shared import CLOSE, EAST, NORTH, NORTH_EAST
from recollect.domain.facts.fact import Priority
from recollect.domain.identity.scope import Scope
from recollect.domain.vectors import Vector
from recollect.ports import Stores
from support.examples import a_scope, seconds_on, start_conversation

MODEL = "model-a:3"
EVERYTHING = 100_000
"""More than all tests together store."""


class FactEmbeddingContract:
    """A vector stands for the content it was made of."""

    async def test_the_nearest_facts_come_first_and_those_without_a_vector_last(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        for content, vector in (("east", EAST), ("north-east", NORTH_EAST), ("north", NORTH)):
            assert await commit(stores, scope, a_fact(content), vector=vector)
        west = (-1.0, 0.0, 0.0)
        assert await commit(stores, scope, a_fact("west"), vector=west)
        assert await commit(stores, scope, a_fact("shorter"), vector=(1.0, 0.0))
        await store(stores, scope, a_fact("bare", created_at=seconds_on(1)))
        other = a_fact("other model", created_at=seconds_on(2))
        assert await commit(stores, scope, other, vector=EAST, model="model-b:3")
        found = await stores.facts.nearest(scope, EAST, model=MODEL, limit=9)
        assert [fact.content for fact, _ in found] == [
            *("east", "north-east", "north", "west"),
            *("other model", "bare", "shorter"),
        ]
        cosines = [cosine for _, cosine in found]
        assert cosines == pytest.approx([1, 0.8, 0, -1, 0, 0, 0], abs=CLOSE)
        (best,) = await stores.facts.nearest(scope, NORTH, model=MODEL, limit=1)
        assert best[0].content == "north"

    async def test_the_last_changed_about_some_slots_come_however_far_they_are(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        for content, vector in (("east", EAST), ("near", EAST), ("north-east", NORTH_EAST)):
            slot = "near" if content == "near" else None
            assert await commit(stores, scope, a_fact(content, slot=slot), vector=vector)
        for number in range(4):
            fact = a_fact(f"far {number}", slot="far", created_at=seconds_on(9 - number))
            fact = replace(fact, updated_at=seconds_on(number))
            assert await commit(stores, scope, fact, vector=NORTH)
        gone = superseded(a_fact("gone", slot="far", created_at=seconds_on(9)))
        await store(stores, scope, replace(gone, version=1))
        await store(stores, a_scope(), a_fact("another's", slot="far"))
        found = await stores.facts.nearest(
            scope, EAST, model=MODEL, limit=3, slots=("far", "near", "none")
        )
        assert sorted(fact.content for fact, _ in found[:2]) == ["east", "near"]
        assert [fact.content for fact, _ in found[2:]] == ["north-east", "far 1", "far 2", "far 3"]
        assert [cosine for _, cosine in found] == pytest.approx([1, 1, 0.8, 0, 0, 0], abs=CLOSE)

    async def test_facts_that_ended_are_not_found(self, stores: Stores) -> None:
        scope, fact = a_scope(), a_fact()
        assert await commit(stores, scope, fact, vector=EAST)
        await store(stores, scope, superseded(fact))
        assert await stores.facts.nearest(scope, EAST, model=MODEL, limit=9) == ()

    async def test_active_facts_come_with_their_vectors(self, stores: Stores) -> None:
        scope = a_scope()
        assert await commit(stores, scope, a_fact("Tea."), vector=NORTH_EAST)
        await store(stores, scope, a_fact("Bare.", created_at=seconds_on(1)))
        embedded, bare = await stores.facts.active(scope)
        assert embedded.model == MODEL
        assert embedded.vector == pytest.approx(NORTH_EAST, abs=CLOSE)
        assert (bare.model, bare.vector) == (None, None)

    async def test_a_vector_goes_with_the_content_it_was_made_of(self, stores: Stores) -> None:
        scope, fact = a_scope(), a_fact("Tea.")
        assert await commit(stores, scope, fact, vector=EAST)
        reprioritised = fact.changed(seconds_on(1), priority=Priority.LOW)
        await store(stores, scope, reprioritised)
        assert await _vector_of(stores, scope) == pytest.approx(EAST, abs=CLOSE)
        reworded = reprioritised.changed(seconds_on(2), content="Coffee.")
        await store(stores, scope, reworded)
        assert await _vector_of(stores, scope) is None
        again = reworded.changed(seconds_on(3), content="Milk.")
        assert await commit(stores, scope, again, vector=NORTH)
        assert await _vector_of(stores, scope) == pytest.approx(NORTH, abs=CLOSE)

    async def test_active_facts_of_other_models_and_none_are_outdated(self, stores: Stores) -> None:
        scope, other, model = a_scope(), a_scope(), f"model-{uuid4()}:3"
        bare, old, current, gone = (a_fact(text) for text in ("Bare.", "Old.", "Current.", "Gone."))
        await store(stores, scope, bare, gone)
        await store(stores, scope, superseded(gone))
        assert await commit(stores, scope, old, vector=EAST)
        assert await commit(stores, scope, current, vector=EAST, model=model)
        await store(stores, other, a_fact())
        found = await stores.facts.outdated(model=model, limit=EVERYTHING)
        own = [fact for scope_, fact in found if scope_ == scope]
        assert sorted(own, key=lambda fact: fact.content) == [bare, old]
        assert other in {scope_ for scope_, _ in found}
        assert len(await stores.facts.outdated(model=model, limit=1)) == 1

    async def test_embedded_facts_are_outdated_no_longer(self, stores: Stores) -> None:
        scope, model = a_scope(), f"model-{uuid4()}:3"
        (fact,) = await store(stores, scope, a_fact())
        assert await _is_outdated(stores, scope, model)
        await stores.facts.embed(scope, {fact.fact_id: (1, NORTH)}, model=model)
        assert not await _is_outdated(stores, scope, model)
        assert await stores.facts.get(scope, fact.fact_id) == fact, "that is no change of it"
        ((_, cosine),) = await stores.facts.nearest(scope, NORTH, model=model, limit=9)
        assert cosine == pytest.approx(1, abs=CLOSE)
        await store(stores, scope, fact.changed(seconds_on(1), content="Something else."))
        assert await _is_outdated(stores, scope, model)

    async def test_a_vector_of_a_version_that_moved_on_is_not_stored(self, stores: Stores) -> None:
        scope, model = a_scope(), f"model-{uuid4()}:3"
        fact, gone = await store(stores, scope, a_fact(), a_fact("Gone."))
        await store(stores, scope, fact.changed(seconds_on(1), content="Something else."))
        await stores.facts.delete(scope, [gone.fact_id])
        vectors = {fact.fact_id: (1, EAST), gone.fact_id: (1, EAST)}
        await stores.facts.embed(scope, vectors, model=model)
        assert await _vector_of(stores, scope) is None
        assert await _is_outdated(stores, scope, model)
        await stores.facts.embed(scope, {fact.fact_id: (2, EAST)}, model=model)
        assert not await _is_outdated(stores, scope, model)

    async def test_owners_with_active_facts_are_listed_in_order_of_their_ids(
        self, stores: Stores
    ) -> None:
        scopes = sorted((a_scope() for _ in range(4)), key=lambda scope: scope.owner_id)
        for scope in scopes:
            await store(stores, scope, a_fact())
        talking = a_scope()
        await start_conversation(stores, talking)
        owners = await stores.facts.owners(limit=EVERYTHING)
        assert [scope for scope in owners if scope in scopes] == scopes
        assert talking not in owners
        following = await stores.facts.owners(after=scopes[1].owner_id, limit=EVERYTHING)
        assert [scope for scope in following if scope in scopes] == scopes[2:]
        assert len(await stores.facts.owners(limit=1)) == 1

    async def test_owners_without_active_facts_are_not_listed(self, stores: Stores) -> None:
        deleted, ended = a_scope(), a_scope()
        await store(stores, deleted, a_fact())
        (fact,) = await store(stores, ended, a_fact())
        assert {deleted, ended} <= set(await stores.facts.owners(limit=EVERYTHING))
        await stores.facts.delete(deleted)
        await store(stores, ended, superseded(fact))
        assert not {deleted, ended} & set(await stores.facts.owners(limit=EVERYTHING))
        await store(stores, ended, superseded(fact).restored(seconds_on(1)))
        assert ended in await stores.facts.owners(limit=EVERYTHING)


async def _vector_of(stores: Stores, scope: Scope) -> Vector | None:
    (only,) = await stores.facts.active(scope)
    return only.vector


async def _is_outdated(stores: Stores, scope: Scope, model: str) -> bool:
    found = await stores.facts.outdated(model=model, limit=EVERYTHING)
    return any(owner == scope for owner, _ in found)
