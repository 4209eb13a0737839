"""Facts managed by hand: each change has its line of history, and no look is a use."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.conversation.message import Visibility
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import ChangeKind, Fact, FactStatus, FactType, Priority
from recollect.domain.facts.query import FactFilter, FactSort
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.permissions import WITHHELD, Access
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import FactConflict, FactNotFound, InvalidInput, VersionConflict
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.facts.facts import Facts, edited
from recollect.services.facts.transfer import FactTransfer
from recollect.services.services import ServiceDependencies
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.examples import a_scope
from support.permissions import ByHand
from support.tables import for_each

ANY_STATUS = FactFilter(status=None)
PAGE = PageRequest()
A_DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Scene:
    facts: Facts
    transfer: FactTransfer
    stores: Stores
    clock: FixedClock
    scope: Scope

    async def add_about(self, content: str, slot: Slot, *, tables: tuple[str, ...] = ()) -> Fact:
        """A fact as it was learnt about a slot."""
        fact = replace(await self.facts.add(self.scope, content), slot=slot, tables=tables)
        await self.stores.facts.delete(self.scope, [fact.fact_id])
        assert await self.stores.facts.commit(self.scope, [edited(fact, ChangeKind.CREATED)], {})
        return fact

    async def contents(self, filters: FactFilter = ANY_STATUS) -> list[str]:
        page = await self.facts.list(self.scope, PAGE, filters=filters)
        return [fact.content for fact in page.items]

    async def found(self, query: str, **more: int) -> list[str]:
        return [one.fact.content for one in await self.facts.search(self.scope, query, **more)]


def a_scene(*, embedder: WordEmbedder | None = None, permissions: ByHand | None = None) -> Scene:
    clock = FixedClock()
    stores = in_memory_stores(clock)
    needs = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        embedder=embedder,
        permissions=permissions,
    )
    services = build_services(stores, needs)
    return Scene(
        facts=services.facts,
        transfer=services.fact_transfer,
        stores=stores,
        clock=clock,
        scope=a_scope(),
    )


async def test_an_added_fact_matters_as_its_type_does_unless_told_otherwise() -> None:
    scene = a_scene()
    one = await scene.facts.add(scene.scope, "  I work\nat Philips. ")
    two = await scene.facts.add(scene.scope, "In euros.", type=FactType.PREFERENCE)
    three = await scene.facts.add(scene.scope, "Nuts kill me.", priority=Priority.CRITICAL)
    assert (one.content, one.type, one.source) == ("I work at Philips.", "fact", "api")
    assert [fact.priority for fact in (one, two, three)] == ["high", "medium", "critical"]
    record = await scene.facts.get(scene.scope, one.fact_id)
    (line,) = record.history
    assert (line.kind, line.actor, line.version) == (ChangeKind.CREATED, "api", 1)


@for_each(
    ("content", "problem"),
    [
        (" \n", "must not be blank"),
        ("x" * 501, "longer than 500"),
        ("a\0b", "NUL"),
        ("My password is hunter2!x", "secret"),
    ],
)
async def test_what_is_no_fact_is_refused_and_changes_nothing(content: str, problem: str) -> None:
    scene = a_scene()
    fact = await scene.facts.add(scene.scope, "I live in Gent.")
    with pytest.raises(InvalidInput, match=problem):
        await scene.facts.add(scene.scope, content)
    with pytest.raises(InvalidInput, match=problem):
        await scene.facts.update(scene.scope, fact.fact_id, content=content)
    assert await scene.contents() == ["I live in Gent."]


async def test_what_an_active_fact_says_already_is_not_said_twice() -> None:
    scene = a_scene()
    known = await scene.facts.add(scene.scope, "I like Gent.")
    other = await scene.facts.add(scene.scope, "I like Brugge.")
    with pytest.raises(FactConflict, match=f"{known.fact_id} says the same") as conflict:
        await scene.facts.add(scene.scope, "i like GENT")
    assert conflict.value.fact_id == known.fact_id
    with pytest.raises(FactConflict):
        await scene.facts.update(scene.scope, other.fact_id, content="I like Gent!")
    assert await scene.contents() == ["I like Brugge.", "I like Gent."]


@for_each(
    ("content", "other", "slot"),
    [
        ("I live in Gent.", "I live in Brugge.", Slot.HOME),
        ("Ik werk bij KPN.", "I work at Philips.", Slot.EMPLOYER),
        ("Ich heiße Emma.", "Mein Name ist Eva.", Slot.NAME),
    ],
)
async def test_nobody_gets_two_homes_by_hand(content: str, other: str, slot: Slot) -> None:
    scene = a_scene()
    known = await scene.facts.add(scene.scope, content)
    assert known.slot == slot
    with pytest.raises(FactConflict) as conflict:
        await scene.facts.add(scene.scope, other)
    assert conflict.value.fact_id == known.fact_id

    fact = await scene.facts.add(scene.scope, "I like tea.")
    with pytest.raises(FactConflict):
        await scene.facts.update(scene.scope, fact.fact_id, content=other)
    assert await scene.contents() == ["I like tea.", content]


@for_each(
    "content",
    [
        "I live alone.",
        "I also live in Brugge.",
        "I live in Brugge in summer.",
        "I don't live in Brugge.",
        "I live in Brugge and work at KBC.",
        "I live in Brugge. My wife works at KBC.",
        "I live in Brugge?",
        "I used to live in Brugge.",
        "My sister lives in Brugge.",
        "The user lives in Brugge.",
        "I live in a small house.",
    ],
)
async def test_what_does_not_surely_tell_the_home_alone_stands_beside_it(content: str) -> None:
    scene = a_scene()
    await scene.facts.add(scene.scope, "I live in Gent.")
    fact = await scene.facts.add(scene.scope, content)
    assert fact.slot is None


async def test_a_change_has_a_version_and_a_line_of_history() -> None:
    scene = a_scene()
    fact = await scene.facts.add(scene.scope, "I live in Gent.")
    scene.clock.move(A_DAY)
    changed = await scene.facts.update(
        scene.scope, fact.fact_id, content="I live in Brugge.", priority=Priority.LOW, version=1
    )
    same = await scene.facts.update(scene.scope, fact.fact_id, priority=Priority.LOW, version=2)
    assert (changed.content, changed.priority, changed.version) == ("I live in Brugge.", "low", 2)
    assert (changed.created_at, changed.updated_at) == (fact.created_at, scene.clock.now())
    assert same == changed, "what changes nothing makes no version"
    with pytest.raises(VersionConflict):
        await scene.facts.update(scene.scope, fact.fact_id, type=FactType.ENTITY, version=1)
    history = (await scene.facts.get(scene.scope, fact.fact_id)).history
    assert [(line.kind, line.content) for line in history] == [
        ("created", "I live in Gent."),
        ("edited", "I live in Brugge."),
    ]


async def test_two_changes_at_once_are_both_done() -> None:
    scene = a_scene()
    fact = await scene.facts.add(scene.scope, "I live in Gent.")
    await asyncio.gather(
        scene.facts.update(scene.scope, fact.fact_id, priority=Priority.LOW),
        scene.facts.update(scene.scope, fact.fact_id, type=FactType.CONTEXT),
        scene.facts.forget(scene.scope, fact.fact_id),
    )
    record = await scene.facts.get(scene.scope, fact.fact_id)
    assert (record.fact.priority, record.fact.type) == ("low", "context")
    assert (record.fact.status, record.fact.version) == (FactStatus.RETRACTED, 4)


async def test_a_forgotten_fact_can_be_restored_and_an_erased_one_is_gone() -> None:
    scene = a_scene()
    fact = await scene.facts.add(scene.scope, "I live in Gent.")
    for _ in range(2):
        await scene.facts.forget(scene.scope, fact.fact_id)
    gone = (await scene.facts.get(scene.scope, fact.fact_id)).fact
    assert (gone.status, gone.valid_to, gone.version) == ("retracted", scene.clock.now(), 2)
    assert await scene.contents(FactFilter()) == []

    scene.clock.move(A_DAY)
    restored = await scene.facts.restore(scene.scope, fact.fact_id)
    assert (restored.status, restored.valid_to, restored.version) == ("active", None, 3)
    assert restored.accessed_at == scene.clock.now(), "it does not fade at once"
    assert await scene.facts.restore(scene.scope, fact.fact_id) == restored

    await scene.facts.forget(scene.scope, fact.fact_id, erase=True)
    for use in (scene.facts.get, scene.facts.restore, scene.facts.forget):
        with pytest.raises(FactNotFound):
            await use(scene.scope, fact.fact_id)
    with pytest.raises(FactNotFound):
        await scene.facts.forget(scene.scope, uuid4(), erase=True)


async def test_a_fact_whose_place_is_taken_is_not_restored() -> None:
    scene = a_scene()
    old = await scene.add_about("I work at ACME.", Slot.EMPLOYER)
    await scene.facts.forget(scene.scope, old.fact_id)
    new = await scene.add_about("I work at Globex.", Slot.EMPLOYER)
    said = await scene.facts.add(scene.scope, "I live in Gent.")
    await scene.facts.forget(scene.scope, said.fact_id)
    again = await scene.facts.add(scene.scope, "I live in Gent.")

    with pytest.raises(FactConflict, match=f"{new.fact_id} is the user's one employer"):
        await scene.facts.restore(scene.scope, old.fact_id)
    with pytest.raises(FactConflict, match=f"{again.fact_id} says the same"):
        await scene.facts.restore(scene.scope, said.fact_id)

    for fact in (old, said):
        record = await scene.facts.get(scene.scope, fact.fact_id)
        assert (record.fact.status, len(record.history)) == ("retracted", 2)


async def test_facts_are_filtered_sorted_counted_and_cleared() -> None:
    scene = a_scene()
    for content, priority in (("Low one.", "low"), ("High one.", "high"), ("Gone one.", "medium")):
        fact = await scene.facts.add(scene.scope, content, priority=Priority(priority))
        scene.clock.move(A_DAY)
    await scene.facts.forget(scene.scope, fact.fact_id)
    page = await scene.facts.list(scene.scope, PAGE, sort=FactSort.PRIORITY)
    assert [fact.content for fact in page.items] == ["High one.", "Low one."]
    assert await scene.contents(FactFilter(text="LOW")) == ["Low one."]
    assert await scene.contents(FactFilter(status=FactStatus.RETRACTED)) == ["Gone one."]
    stats = await scene.facts.stats(scene.scope)
    assert (stats.total, stats.by_status) == (3, {"active": 2, "retracted": 1})
    assert await scene.facts.clear(scene.scope) == 3
    assert await scene.contents() == []


async def test_a_search_finds_the_nearest_by_meaning_and_new_content_by_its_new_meaning() -> None:
    scene = a_scene(embedder=WordEmbedder())
    for content in ("We report in euros.", "My dog is Rex.", "I live in Gent."):
        fact = await scene.facts.add(scene.scope, content)
    assert (await scene.found("my dog Rex", limit=1)) == ["My dog is Rex."]
    await scene.facts.update(scene.scope, fact.fact_id, content="My cat is Tom.")
    (first, *_) = await scene.facts.search(scene.scope, "my cat Tom")
    assert first.fact.content == "My cat is Tom."
    assert first.similarity is not None
    assert first.similarity > 0.5
    of_type = FactFilter(type=FactType.ENTITY)
    assert await scene.facts.search(scene.scope, "my cat Tom", filters=of_type) == ()


async def test_without_a_model_facts_are_stored_and_found_by_their_words() -> None:
    failing = WordEmbedder()
    failing.is_available = False
    for scene in (a_scene(), a_scene(embedder=failing)):
        for content in ("We report in euros.", "My dog is Rex.", "Rex the dog eats meat."):
            await scene.facts.add(scene.scope, content)
        assert await scene.found("What does the dog eat, meat?") == [
            "Rex the dog eats meat.",
            "My dog is Rex.",
        ]
        assert await scene.found("the in is") == [], "such words say nothing"
    failing.is_available = True
    assert await scene.found("my dog Rex") == ["Rex the dog eats meat.", "My dog is Rex."]


@for_each(
    ("query", "limit", "filters"),
    [
        (" ", 5, FactFilter()),
        ("x", 0, FactFilter()),
        ("x" * 2001, 5, FactFilter()),
        ("x", 5, ANY_STATUS),
    ],
)
async def test_a_search_that_makes_no_sense_is_refused(
    query: str, limit: int, filters: FactFilter
) -> None:
    scene = a_scene()
    with pytest.raises(InvalidInput):
        await scene.facts.search(scene.scope, query, limit=limit, filters=filters)


async def test_no_look_counts_as_a_use() -> None:
    scene = a_scene(embedder=WordEmbedder())
    fact = await scene.facts.add(scene.scope, "I live in Gent.")
    scene.clock.move(A_DAY)
    await scene.contents(FactFilter(text="gent"))
    assert await scene.found("live in Gent") == [fact.content]
    assert [item["content"] async for item in scene.transfer.export(scene.scope)] == [fact.content]
    await scene.facts.stats(scene.scope)
    assert (await scene.facts.get(scene.scope, fact.fact_id)).fact == fact


async def test_a_fact_of_hidden_tables_keeps_its_place_and_its_words_to_itself() -> None:
    source = ByHand(Access(tables={"sales.orders": Visibility.ALL}))
    scene = a_scene(permissions=source)
    seen = await scene.add_about("I run the orders.", Slot.ROLE, tables=("sales.orders",))
    hidden = await scene.add_about("I run the salaries.", Slot.TEAM, tables=("hr.salaries",))

    assert await scene.contents() == [WITHHELD, seen.content]
    assert await scene.contents(FactFilter(text="run")) == [seen.content]
    assert await scene.found("run") == [seen.content]
    record = await scene.facts.get(scene.scope, hidden.fact_id)
    assert (record.fact.content, record.fact.tables) == (WITHHELD, ())
    assert [line.content for line in record.history] == [WITHHELD]
    changed = await scene.facts.update(scene.scope, hidden.fact_id, priority=Priority.LOW)
    assert changed.content == WITHHELD
    exported = [item["content"] async for item in scene.transfer.export(scene.scope)]
    assert exported == [seen.content]

    source.access = None  # nobody can tell
    assert await scene.contents() == [WITHHELD, WITHHELD]


@for_each(
    ("content", "slot"),
    [
        ("I live in York.", Slot.HOME),
        ("My house is in Leeds.", Slot.HOME),
        ("I am allergic to peanuts.", None),
    ],
)
async def test_a_fact_that_is_changed_to_be_about_something_else_has_no_slot(
    content: str, slot: Slot | None
) -> None:
    scene = a_scene()
    fact = await scene.add_about("I live in Leeds.", Slot.HOME)
    changed = await scene.facts.update(scene.scope, fact.fact_id, content=content)
    assert changed.slot == slot
