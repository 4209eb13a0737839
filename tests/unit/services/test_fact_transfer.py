"""Facts out of one memory and into another: whole, once, and checked before any is stored."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import ChangeKind, Evidence, FactStatus
from recollect.domain.facts.query import FactFilter
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.vectors import Vector
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import InvalidInput
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.facts.facts import edited
from recollect.services.services import ServiceDependencies, Services
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.examples import a_scope
from support.tables import for_each

EVERYTHING = FactFilter(status=None)


def some_services(stores: Stores, clock: FixedClock, embedder: WordEmbedder) -> Services:
    needs = ServiceDependencies(
        clock=clock, ids=CountingIds(), counter_for=token_counter_for, embedder=embedder
    )
    return build_services(stores, needs)


class InterruptedEmbedder(WordEmbedder):
    """Something happens while it embeds for the first time."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if self.meanwhile is not None:
            work, self.meanwhile = self.meanwhile, None
            await work()
        return await super().embed(texts)


class Scene:
    def __init__(self) -> None:
        self.clock = FixedClock()
        self.stores = in_memory_stores(self.clock)
        self.embedder = InterruptedEmbedder()
        self.services = some_services(self.stores, self.clock, self.embedder)
        self.transfer = self.services.fact_transfer

    async def export(self, scope: Scope) -> list[JsonObject]:
        return [item async for item in self.transfer.export(scope)]

    async def take_in(self, scope: Scope, items: Sequence[JsonValue]) -> tuple[int, int, int]:
        report = await self.transfer.take_in(scope, items)
        return report.added, report.skipped, report.conflicting

    async def contents(self, scope: Scope) -> list[str]:
        page = await self.services.facts.list(scope, PageRequest(), filters=EVERYTHING)
        return sorted(fact.content for fact in page.items)


async def test_an_export_imported_elsewhere_is_the_same_but_for_ids_and_history() -> None:
    scene, alice, bob = Scene(), a_scope(), a_scope()
    evidence = Evidence(session_id=uuid4(), message_id=uuid4(), turn_number=3, quote="bij ACME")
    plain = await scene.services.facts.add(alice, "I know ACME.")
    learnt = replace(
        plain,
        fact_id=uuid4(),
        content="Ik werk bij ACME.",
        slot=Slot.EMPLOYER,
        evidence=evidence,
        tables=("hr.staff",),
        language="nl",
        confidence=0.75,
        access_count=4,
    )
    assert await scene.stores.facts.commit(alice, [edited(learnt, ChangeKind.CREATED)], {})
    await scene.services.facts.forget(alice, learnt.fact_id)
    scene.clock.move(timedelta(days=3))

    exported = json.loads(json.dumps(await scene.export(alice)))
    assert await scene.take_in(bob, exported) == (2, 0, 0)

    page = await scene.services.facts.list(bob, PageRequest(), filters=EVERYTHING)
    by_content = {fact.content: fact for fact in page.items}
    for known in (plain, (await scene.services.facts.get(alice, learnt.fact_id)).fact):
        copy = by_content[known.content]
        assert copy.fact_id != known.fact_id
        assert copy == replace(known, fact_id=copy.fact_id, version=1, updated_at=scene.clock.now())
        (line,) = (await scene.services.facts.get(bob, copy.fact_id)).history
        assert (line.kind, line.reason, line.actor) == ("created", "imported", "api")
    assert [len(item["history"]) for item in exported] == [1, 2]  # type: ignore[arg-type]  # lists


async def test_an_import_can_be_repeated_and_brings_nothing_back_that_was_forgotten() -> None:
    scene, scope = Scene(), a_scope()
    items: list[JsonValue] = [{"content": f"Number {n}."} for n in range(450)]
    done: list[int] = []
    report = await scene.transfer.take_in(scope, [*items, items[0]], progress=done.append)
    assert (report.added, report.skipped, done) == (450, 1, [*range(48, 450, 48), 450])
    page = await scene.services.facts.list(scope, PageRequest(limit=1))
    await scene.services.facts.forget(scope, page.items[0].fact_id)
    scene.embedder.embedded.clear()
    assert await scene.take_in(scope, items) == (0, 450, 0)
    assert scene.embedder.embedded == []
    assert (await scene.services.facts.stats(scope)).by_status == {"active": 449, "retracted": 1}


async def test_imported_facts_are_found_by_meaning() -> None:
    scene, scope = Scene(), a_scope()
    await scene.take_in(scope, [{"content": "My dog is Rex."}, {"content": "I live in Gent."}])
    (found, *_) = await scene.services.facts.search(scope, "my dog Rex")
    assert (found.fact.content, found.similarity is not None) == ("My dog is Rex.", True)


async def test_the_worker_embeds_large_imports() -> None:
    scene, scope = Scene(), a_scope()
    items: list[JsonValue] = [{"content": f"My dog is number {n}."} for n in range(101)]
    assert await scene.take_in(scope, items) == (101, 0, 0)
    assert scene.embedder.embedded == []

    (found, *_) = await scene.services.facts.search(scope, "my dog is number 7")
    assert found.similarity is None
    assert scene.services.fact_reembedding is not None
    assert await scene.services.fact_reembedding.do_some() == 101
    (found, *_) = await scene.services.facts.search(scope, "my dog is number 7")
    assert (found.fact.content, found.similarity is not None) == ("My dog is number 7.", True)


async def test_of_what_there_is_one_the_user_keeps_the_one_they_have() -> None:
    scene, scope = Scene(), a_scope()
    assert await scene.take_in(scope, [{"content": "I am Ann.", "slot": "name"}]) == (1, 0, 0)
    items: list[JsonValue] = [
        {"content": "I am Bea.", "slot": "name"},
        {"content": "I was Cat.", "slot": "name", "status": "superseded"},
        {"content": "I work at ACME.", "slot": "employer"},
        {"content": "I work at Globex.", "slot": "employer"},
        {"content": "I like tea.", "slot": "hobby"},
        {"content": "I like cake.", "slot": "hobby"},
    ]
    assert await scene.take_in(scope, items) == (4, 0, 2)
    assert await scene.contents(scope) == [
        *("I am Ann.", "I like cake.", "I like tea.", "I was Cat.", "I work at ACME."),
    ]


async def test_a_fact_that_somebody_adds_meanwhile_is_skipped() -> None:
    scene, scope = Scene(), a_scope()
    scene.embedder.meanwhile = lambda: scene.services.facts.add(scope, "I live in Gent.")
    assert await scene.take_in(
        scope, [{"content": "i live in gent"}, {"content": "I like tea."}]
    ) == (1, 1, 0)
    assert await scene.contents(scope) == ["I like tea.", "I live in Gent."]


@for_each(
    ("item", "problem"),
    [
        ([], "facts[1].fact must be a JSON object"),
        ({}, "facts[1].content must be a text"),
        ({"content": 1}, "facts[1].content must be a text"),
        ({"content": "x", "colour": "red"}, "facts[1].fact may have these members alone"),
        ({"content": "My password is hunter2!x"}, "facts[1].content holds a secret"),
        ({"content": "x", "type": "rumour"}, "facts[1].type must be one of: fact, "),
        ({"content": "x", "priority": []}, "facts[1].priority must be a text"),
        ({"content": "x", "slot": "shoe size"}, "facts[1].slot must be one of: "),
        ({"content": "x", "confidence": 2}, "facts[1].confidence must be a number from 0 to 1"),
        ({"content": "x", "confidence": float("nan")}, "facts[1].confidence must be a number"),
        ({"content": "x", "access_count": -1}, "facts[1].access_count must be a number"),
        ({"content": "x", "access_count": True}, "facts[1].access_count must be a number"),
        ({"content": "x", "access_count": None}, "facts[1].access_count must be a number"),
        ({"content": "x", "created_at": "2026-01-01"}, "facts[1].created_at must have a time zone"),
        ({"content": "x", "accessed_at": "3026-01-01T00:00:00Z"}, "more than a day in the future"),
        ({"content": "x", "tables": ["a"] * 101}, "facts[1].tables must be a list"),
        ({"content": "x", "tables": [1]}, "facts[1].tables must be text"),
        ({"content": "x", "language": "x" * 36}, "facts[1].language is longer"),
        ({"content": "x", "evidence": "said so"}, "facts[1].evidence must be an object"),
        (
            {"content": "x", "evidence": {"session_id": "1", "message_id": "2", "quote": "x"}},
            "facts[1].evidence.session_id must be a valid UUID",
        ),
        (
            {
                "content": "x",
                "evidence": {
                    "session_id": str(uuid4()),
                    "message_id": str(uuid4()),
                    "quote": "het wachtwoord is hunter2!x",
                },
            },
            "facts[1].evidence.quote holds a secret",
        ),
    ],
)
async def test_one_that_is_no_fact_keeps_all_from_being_stored(
    item: JsonValue, problem: str
) -> None:
    scene, scope = Scene(), a_scope()
    with pytest.raises(InvalidInput) as error:
        await scene.take_in(scope, [{"content": "I live in Gent."}, item])
    assert problem in str(error.value)
    assert await scene.contents(scope) == []


async def test_too_many_are_refused_at_once() -> None:
    scene, scope = Scene(), a_scope()
    with pytest.raises(InvalidInput, match="at most 10,000"):
        await scene.take_in(scope, [None] * 10_001)


async def test_an_export_reads_pages_and_has_every_fact_once() -> None:
    scene, scope = Scene(), a_scope()
    await scene.take_in(scope, [{"content": f"Number {n}."} for n in range(410)])
    exported = await scene.export(scope)
    assert len({item["fact_id"] for item in exported}) == len(exported) == 410
    assert all(item["status"] == FactStatus.ACTIVE for item in exported)
