"""What `recollect.ports.facts.FactStore` promises of changes."""

import asyncio
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from conformance.contracts.facts_shared import (
    a_fact,
    accessed,
    an_edit,
    commit,
    contents,
    evidence_of,
    store,
    superseded,
)
from recollect.domain.facts.fact import (
    MAX_CONTENT,
    ChangeKind,
    Fact,
    FactSource,
    FactStatus,
    FactType,
    Priority,
    gist_of,
)
from recollect.domain.facts.query import FactFilter
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import a_scope, seconds_on, start_conversation

WORKERS = 8


class FactStoreContract:
    """Commits are all or nothing, and say nothing twice."""

    async def test_a_fact_comes_back_as_it_was_stored(self, stores: Stores) -> None:
        scope = a_scope()
        whole = Fact(
            fact_id=uuid4(),
            type=FactType.PREFERENCE,
            priority=Priority.CRITICAL,
            content="Wil antwoorden in 'het Nederlands' \\ 数据库 👩‍👧",
            source=FactSource.STATED,
            created_at=seconds_on(1),
            updated_at=seconds_on(2.000001),
            accessed_at=seconds_on(3),
            valid_from=seconds_on(4),
            valid_to=seconds_on(5),
            status=FactStatus.RETRACTED,
            slot=Slot.ANSWER_LANGUAGE,
            language="nl",
            confidence=0.1 + 0.2,
            evidence=replace(evidence_of('"in het\nNederlands"'), turn_number=3),
            access_count=7,
        )
        bare = a_fact()
        await store(stores, scope, whole, bare)
        assert await stores.facts.get(scope, whole.fact_id) == whole
        assert await stores.facts.get(scope, bare.fact_id) == bare
        assert await stores.facts.get(scope, uuid4()) is None

    async def test_each_version_is_a_line_of_the_history(self, stores: Stores) -> None:
        scope, message_id = a_scope(), uuid4()
        first = a_fact("The user likes tea.")
        created = an_edit(first, message_id=message_id, statement=first.gist)
        assert await stores.facts.commit(scope, [created], {})
        second = first.changed(seconds_on(1), content="The user likes tea and coffee.")
        merged = an_edit(second, ChangeKind.MERGED)
        assert await stores.facts.commit(scope, [merged], {})
        await store(stores, scope, a_fact("The user lives in Gent."))
        history = await stores.facts.history(scope, first.fact_id)
        assert history == (created.change, merged.change)
        assert await stores.facts.get(scope, first.fact_id) == second
        assert await stores.facts.history(scope, uuid4()) == ()

    async def test_a_commit_of_nothing_succeeds(self, stores: Stores) -> None:
        scope = a_scope()
        assert await stores.facts.commit(scope, [], {})
        assert await stores.facts.stats(scope) == FactStats(total=0)

    async def test_a_version_that_does_not_follow_the_stored_one_is_refused(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        (first,) = await store(stores, scope, a_fact())
        second = first.changed(seconds_on(1), priority=Priority.LOW)
        (stored,) = await store(stores, scope, second)
        for other in (
            first,
            first.changed(seconds_on(2), content="Something else."),
            replace(second, version=4),
            replace(a_fact("Never stored."), version=2),
        ):
            assert not await commit(stores, scope, other)
        assert await stores.facts.get(scope, first.fact_id) == stored
        assert len(await stores.facts.history(scope, first.fact_id)) == 2

    async def test_a_fact_is_not_given_twice_in_one_commit(self, stores: Stores) -> None:
        scope, fact = a_scope(), a_fact()
        assert not await commit(stores, scope, fact, fact)
        assert not await commit(stores, scope, fact, fact.changed(seconds_on(1)))
        await store(stores, scope, fact)
        second = fact.changed(seconds_on(1))
        assert not await commit(stores, scope, second, second)
        assert not await commit(stores, scope, second, second.changed(seconds_on(2)))
        assert await stores.facts.get(scope, fact.fact_id) == fact

    async def test_a_commit_stores_all_or_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        (known,) = await store(stores, scope, a_fact("The user has a cat."))
        fine = a_fact("The user has a dog.")
        stale = replace(known.changed(seconds_on(1), content="The user had a cat."), version=3)
        assert not await commit(stores, scope, fine, stale)
        assert not await commit(
            stores, scope, fine, superseded(known), a_fact("the user has a DOG")
        )
        assert await contents(stores, scope) == ["The user has a cat."]
        assert await stores.facts.get(scope, known.fact_id) == known
        assert await stores.facts.history(scope, fine.fact_id) == ()

    async def test_no_two_active_facts_say_the_same(self, stores: Stores) -> None:
        scope = a_scope()
        (known,) = await store(stores, scope, a_fact("The user works at Philips."))
        assert not await commit(stores, scope, a_fact("the user works at PHILIPS"))
        await store(stores, scope, superseded(known))
        (again,) = await store(stores, scope, a_fact("the user works at PHILIPS"))
        restored = superseded(known).restored(seconds_on(1))
        assert not await commit(stores, scope, restored)
        await store(stores, scope, superseded(again), restored)
        assert await contents(stores, scope, FactFilter()) == [known.content]

    async def test_long_facts_that_differ_at_the_end_are_two(self, stores: Stores) -> None:
        words = "数据" * (MAX_CONTENT // 2 - 1)
        scope, facts = a_scope(), [a_fact(f"{words}{end}") for end in "甲乙"]
        statements = [an_edit(one, message_id=uuid4(), statement=one.gist) for one in facts]
        assert await stores.facts.commit(scope, statements, {})
        assert not await commit(stores, scope, a_fact(facts[0].content))

    async def test_a_slot_of_one_value_has_one_active_fact(self, stores: Stores) -> None:
        scope = a_scope()
        (old,) = await store(stores, scope, a_fact("Works at ACME.", slot=Slot.EMPLOYER))
        new = a_fact("Works at Globex.", slot=Slot.EMPLOYER)
        assert not await commit(stores, scope, new)
        await store(stores, scope, new, superseded(old))
        assert await contents(stores, scope, FactFilter()) == ["Works at Globex."]
        await store(stores, scope, a_fact("Lives in Delft.", slot=Slot.HOME))

    @pytest.mark.parametrize("slot", [Slot.HOBBY, None, "of another version"])
    async def test_other_slots_have_several(self, stores: Stores, slot: str | None) -> None:
        facts = [a_fact(f"The user likes {what}.", slot=slot) for what in ("tea", "chess")]
        await store(stores, a_scope(), *facts)

    async def test_facts_may_exchange_their_words_and_slots(self, stores: Stores) -> None:
        """What counts is what is there afterwards, in whichever order they are given."""
        scope = a_scope()
        home, birth = a_fact("Gent.", slot=Slot.HOME), a_fact("Delft.", slot=Slot.BIRTHPLACE)
        await store(stores, scope, home, birth)
        swapped = (
            home.changed(seconds_on(1), content="Delft.", slot=Slot.BIRTHPLACE),
            birth.changed(seconds_on(1), content="Gent.", slot=Slot.HOME),
        )
        await store(stores, scope, *swapped)
        assert await stores.facts.get(scope, home.fact_id) == swapped[0]
        assert not await commit(stores, scope, a_fact("Delft.")), "they claim their new words"

    async def test_a_statement_of_a_message_is_learnt_once(self, stores: Stores) -> None:
        scope, message_id = a_scope(), uuid4()
        first, second = a_fact("The user likes tea."), a_fact("The user likes coffee.")
        edits = [an_edit(one, message_id=message_id, statement=one.gist) for one in (first, second)]
        assert await stores.facts.commit(scope, edits, {})
        said_again = first.changed(seconds_on(1))
        repeated = an_edit(said_again, message_id=message_id, statement=first.gist)
        assert not await stores.facts.commit(scope, [repeated], {})
        elsewhere = uuid4()
        another = an_edit(said_again, message_id=elsewhere, statement=first.gist)
        assert await stores.facts.commit(scope, [another], {})
        learnt = await stores.facts.learnt(scope, [message_id, uuid4()])
        assert learnt == {(message_id, first.gist), (message_id, second.gist)}
        assert await stores.facts.learnt(scope, {elsewhere}) == {(elsewhere, first.gist)}
        assert await stores.facts.learnt(scope, []) == frozenset()

    async def test_one_commit_learns_a_statement_of_a_message_once(self, stores: Stores) -> None:
        facts, said = [a_fact("One."), a_fact("Two.")], {"message_id": uuid4()}
        edits = [an_edit(fact, statement="one and two", **said) for fact in facts]
        assert not await stores.facts.commit(a_scope(), edits, {})

    async def test_changes_without_a_statement_are_not_compared(self, stores: Stores) -> None:
        scope, message_id = a_scope(), uuid4()
        edits = [an_edit(a_fact(text), message_id=message_id) for text in ("One.", "Two.")]
        assert await stores.facts.commit(scope, edits, {})
        edits = [an_edit(a_fact(text), statement="said") for text in ("Three.", "Four.")]
        assert await stores.facts.commit(scope, edits, {})
        assert await stores.facts.learnt(scope, [message_id]) == frozenset()

    async def test_accesses_counted_meanwhile_stay(self, stores: Stores) -> None:
        scope = a_scope()
        (read,) = await store(stores, scope, a_fact())
        await stores.facts.touch(scope, [read.fact_id], at=seconds_on(5))
        (changed,) = await store(
            stores, scope, read.changed(seconds_on(1), created_at=seconds_on(1), content="Else.")
        )
        stored = await stores.facts.get(scope, read.fact_id)
        assert stored == replace(accessed(changed, seconds_on(5)), created_at=read.created_at)

    async def test_of_two_that_learn_the_same_at_once_one_succeeds(self, stores: Stores) -> None:
        scope = a_scope()
        stored = await asyncio.gather(*(commit(stores, scope, a_fact()) for _ in range(2)))
        assert sorted(stored) == [False, True]
        assert len(await stores.facts.active(scope)) == 1

    async def test_of_many_that_change_a_fact_at_once_one_succeeds(self, stores: Stores) -> None:
        scope = a_scope()
        (fact,) = await store(stores, scope, a_fact())
        versions = [fact.changed(seconds_on(1), content=f"No {n}.") for n in range(WORKERS)]
        stored = await asyncio.gather(*(commit(stores, scope, one) for one in versions))
        assert sum(stored) == 1
        assert len(await stores.facts.history(scope, fact.fact_id)) == 2

    async def test_many_workers_learn_every_statement_once(self, stores: Stores) -> None:
        """Each in an order of its own, two facts at a time, while others use them."""
        scope, messages = a_scope(), [uuid4() for _ in range(6)]

        async def work(worker: int) -> int:
            order = messages[worker % 6 :] + messages[: worker % 6]
            return sum([await _learn(stores, scope, one) for one in order])

        assert sum(await asyncio.gather(*map(work, range(WORKERS)))) == len(messages)
        learnt = await stores.facts.learnt(scope, messages)
        assert learnt == {(one, gist_of(f"Said {one}.")) for one in messages}
        assert await stores.facts.stats(scope) == FactStats(
            total=12,
            by_type={"fact": 7},
            by_priority={"high": 7},
            by_status={"active": 7, "superseded": 5},
            by_week={"2025-12-29": 12},
        )

    async def test_facts_outlive_the_session_they_come_from(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(stores, scope)
        evidence = replace(
            evidence_of("user 1"), session_id=session_id, message_id=messages[0].message_id
        )
        (fact,) = await store(stores, scope, a_fact(evidence=evidence))
        assert await stores.sessions.delete(scope, session_id, now=seconds_on(1))
        assert await stores.facts.get(scope, fact.fact_id) == fact


async def _learn(stores: Stores, scope: Scope, message_id: UUID) -> bool:
    """Learn what a message says and a new employer from it, however often others come first."""
    statement = f"Said {message_id}."
    while True:
        if (message_id, gist_of(statement)) in await stores.facts.learnt(scope, [message_id]):
            return False
        active = await stores.facts.active(scope)
        await stores.facts.touch(scope, [one.fact.fact_id for one in active], at=seconds_on(9))
        employers = [one.fact for one in active if one.fact.slot == Slot.EMPLOYER]
        edits = [
            an_edit(a_fact(statement), message_id=message_id, statement=gist_of(statement)),
            an_edit(a_fact(f"Works at {message_id}.", slot=Slot.EMPLOYER)),
            *(an_edit(superseded(one)) for one in employers),
        ]
        if await stores.facts.commit(scope, edits, {}):
            return True
        await asyncio.sleep(0)
