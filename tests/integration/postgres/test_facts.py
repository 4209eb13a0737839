"""Facts in PostgreSQL: what goes with their owner, what workers see, and who waits for whom."""

import asyncio
from dataclasses import dataclass
from uuid import UUID

import pytest

from conformance.contracts.facts_shared import a_fact, commit, store
from recollect.domain.facts.fact import Fact
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores
from recollect.system import SystemClock
from support.examples import seconds_on
from support.row_snapshots import rows_of

KEPT = 6
TABLES = ("facts", "fact_changes", "fact_models")


async def test_facts_go_with_their_owner(stores: Stores, database: Database, scope: Scope) -> None:
    await store(stores, scope, a_fact())
    before = await rows_of(database, scope.owner_id)
    assert all(before[table] for table in (*TABLES, "owners"))
    async with database.owned_by(scope.owner_id) as connection:
        await connection.execute("DELETE FROM owners WHERE owner_id = $1", scope.owner_id)
    assert not any((await rows_of(database, scope.owner_id)).values())


@pytest.mark.parametrize("table", ["facts", "fact_changes"])
async def test_a_worker_sees_no_fact_of_anybody(
    table: str, stores: Stores, database: Database, scope: Scope
) -> None:
    await store(stores, scope, a_fact())
    async with database.working(now=SystemClock().now()) as connection:
        assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 0  # noqa: S608  # from a constant
        models = "SELECT model FROM fact_models WHERE owner_id = $1"
        assert await connection.fetchval(models, scope.owner_id) == ""
        assert await connection.execute("DELETE FROM fact_models") == "DELETE 0"


async def test_changes_accesses_vectors_and_deletions_at_once_do_not_block_each_other(
    stores: Stores, scope: Scope
) -> None:
    """Each takes the facts in an order of its own; a deadlock would fail one of them."""
    facts = [a_fact(f"No {n}.", created_at=seconds_on(n)) for n in range(2 * KEPT)]
    await store(stores, scope, *facts)
    crowd = Crowd(stores=stores, scope=scope, ids=[fact.fact_id for fact in facts])
    first, second, *_ = await asyncio.gather(
        *(crowd.change(1), crowd.change(-1), crowd.use(1), crowd.use(-1), crowd.use(-2)),
        *(crowd.embed("model-a:2"), crowd.embed("model-b:2")),
        *(crowd.forget(), crowd.repeat(), crowd.repeat()),
    )
    active = await crowd.active()
    assert [fact.fact_id for fact in active] == crowd.ids[:KEPT]
    assert {fact.version for fact in active} == {1 + first + second}
    assert sum(fact.access_count for fact in active) == 25 * KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Those who work on the facts of one owner; all but the first ones are deleted meanwhile."""

    stores: Stores
    scope: Scope
    ids: list[UUID]

    async def active(self) -> list[Fact]:
        return [one.fact for one in await self.stores.facts.active(self.scope)]

    async def use(self, step: int) -> None:
        for round_ in range(10):
            await self.stores.facts.touch(self.scope, self.ids[::step], at=seconds_on(round_))

    async def embed(self, model: str) -> None:
        for version in range(1, 11):
            vectors = dict.fromkeys(self.ids, (version, (1.0, 0.0)))
            await self.stores.facts.embed(self.scope, vectors, model=model)

    async def change(self, step: int) -> int:
        """Change the facts that stay, ten times at most; how often that was stored."""
        changed = 0
        for round_ in range(10):
            versions = [fact.changed(seconds_on(round_)) for fact in (await self.active())[:KEPT]]
            changed += await commit(self.stores, self.scope, *versions[::step], vector=(0.0, 1.0))
        return changed

    async def repeat(self) -> None:
        """Say again what is known, which is refused without waiting for those who use it."""
        for _ in range(10):
            known = await self.active()
            last, again = known[KEPT - 1].changed(seconds_on(0)), a_fact(known[0].content)
            assert not await commit(self.stores, self.scope, last, again)

    async def forget(self) -> None:
        for fact_id in self.ids[KEPT:]:
            await self.stores.facts.delete(self.scope, [fact_id])
