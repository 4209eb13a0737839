"""What every recall index promises about what it keeps, and for whom."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from conformance.contracts.indexing import due, finish
from conformance.contracts.recall_shared import (
    CLOSE,
    EAST,
    MODEL,
    NORTH,
    Log,
    entry_of,
    index_of,
    search,
)
from recollect.domain.recall.entry import IndexedEntry, RecallFilter
from recollect.ports import Stores
from support.examples import a_message, a_scope, append, seconds_on


class RecallKeepingContract:
    """Keeps what is there, once, and nothing that is gone. A fixture `stores` names the engine."""

    async def test_replacing_twice_is_replacing_once(self, stores: Stores) -> None:
        log = await Log.start(stores)
        said = [await log.say("one"), await log.say("two")]
        await log.index(said)
        await log.index(said)
        assert await log.texts() == ["one", "two"]

    async def test_only_the_named_turns_are_replaced(self, stores: Stores) -> None:
        log = await Log.start(stores)
        one, two = await log.say("one"), await log.say("two")
        changed = entry_of(log.messages[:1], "changed")
        await index_of(stores).replace(
            log.scope,
            log.session_id,
            [one.entry.turn_number],
            [IndexedEntry(entry=changed, terms={"changed": 1}, model=MODEL, vector=EAST)],
        )
        assert await log.texts() == ["changed", "two"]
        await index_of(stores).replace(log.scope, log.session_id, [two.entry.turn_number], [])
        assert await log.texts() == ["changed"]
        assert await log.texts("one two", None) == []

    async def test_an_entry_of_missing_messages_is_left_out_silently(self, stores: Stores) -> None:
        log = await Log.start(stores)
        kept, gone = await log.say("kept"), await log.say("gone")
        await stores.messages.delete(
            log.scope, log.session_id, gone.entry.message_ids[0], now=seconds_on(1)
        )
        await log.index([kept, gone])
        assert await log.texts() == ["kept"]

    async def test_a_session_that_is_not_there_keeps_nothing(self, stores: Stores) -> None:
        log = await Log.start(stores)
        said = await log.say("one")
        await stores.sessions.delete(log.scope, log.session_id, now=seconds_on(1))
        await log.index([said])
        assert await log.texts() == []

    async def test_entries_of_deleted_messages_are_not_found(self, stores: Stores) -> None:
        scope = a_scope()
        logs = [await Log.start(stores, scope) for _ in range(3)]
        for number, log in enumerate(logs):
            await log.say(f"{number} first")
            await log.say(f"{number} second")
        first = logs[0].messages[0].message_id
        await stores.messages.delete(scope, logs[0].session_id, first, now=seconds_on(1))
        await stores.messages.clear(scope, logs[1].session_id, now=seconds_on(1))
        await stores.sessions.delete(scope, logs[2].session_id, now=seconds_on(1))
        assert await logs[0].texts("first second") == ["0 second"]
        await stores.history.clear(scope, now=seconds_on(2))
        assert await logs[0].texts("first second") == []

    async def test_deleting_question_or_answer_deletes_the_entry_of_the_exchange(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        stored = await append(
            stores, log.scope, log.session_id, a_message(), a_message("assistant", "Nine.")
        )
        entry = entry_of(stored, "Question: …")
        await log.index([IndexedEntry(entry=entry, terms={"nine": 1}, model=MODEL, vector=EAST)])
        assert await log.texts("nine") == ["Question: …"]
        await stores.history.delete(log.scope, stored[1].message_id, now=seconds_on(1))
        assert await log.texts("nine") == []

    async def test_only_the_active_branch_is_found_and_indexed(self, stores: Stores) -> None:
        log = await Log.start(stores)
        question, first = await append(
            stores, log.scope, log.session_id, a_message(), a_message("assistant", "Nine.")
        )
        entry = entry_of([question, first], "Question: …")
        indexed = IndexedEntry(entry=entry, terms={"nine": 1}, model=MODEL, vector=EAST)
        await log.index([indexed])
        await finish(stores, log.scope, log.session_id)
        second = await stores.branches.reply(
            log.scope,
            log.session_id,
            question.message_id,
            a_message("assistant", "Ten."),
            now=seconds_on(1),
        )
        assert await log.texts("nine") == []
        await log.index([indexed])
        assert await log.texts("nine") == []
        (turn,) = await due(stores, log.scope, log.session_id)
        assert turn.messages == (question, second)

    async def test_trimmed_messages_are_not_found(self, stores: Stores) -> None:
        log = await Log.start(stores)
        for number in range(3):
            await log.say(f"text {number}", now=seconds_on(number))
        await stores.history.trim(log.scope, keep_last=1, now=seconds_on(9))
        assert await log.texts("text") == ["text 2"]

    async def test_an_expired_session_is_not_found(self, stores: Stores) -> None:
        ends = datetime.now(UTC) + timedelta(hours=1)
        scope = a_scope()
        living = await Log.start(stores, scope, expires_at=ends)
        await living.say("living")
        dead = await Log.start(stores, scope, expires_at=datetime.now(UTC) + timedelta(seconds=0.3))
        said = await dead.say("dead")
        while True:
            if await stores.sessions.get(scope, dead.session_id) is None:
                break
            await asyncio.sleep(0.02)
        assert await living.texts("living dead") == ["living"]
        await dead.index([said])
        assert await living.texts("living dead") == ["living"]

    async def test_entries_of_other_models_and_none_are_outdated(self, stores: Stores) -> None:
        log, other = await Log.start(stores), await Log.start(stores)
        model = f"model-{uuid4()}:3"
        current = await log.say("current", model=model)
        old = await log.say("old")
        bare = await log.say("bare", vector=None)
        theirs = await other.say("theirs")
        found = await index_of(stores).outdated(model=model, limit=100_000)
        entries = [entry for scope, entry in found if scope.owner_id == log.scope.owner_id]
        assert sorted(one.text for one in entries) == ["bare", "old"]
        assert {one.message_ids for one in entries} == {
            old.entry.message_ids,
            bare.entry.message_ids,
        }
        assert other.scope.owner_id in {scope.owner_id for scope, _ in found}
        assert len(await index_of(stores).outdated(model=model, limit=1)) == 1
        assert current.entry.message_ids != theirs.entry.message_ids

    async def test_speakers_are_named_once_and_to_their_owner_alone(self, stores: Stores) -> None:
        log, other = await Log.start(stores), await Log.start(stores)
        for speaker in ("Ann", "Bob B.", "Ann", None):
            await log.say(f"{speaker} speaks", speaker=speaker)
        gone = await log.say("gone", speaker="Eve")
        await stores.history.delete(log.scope, gone.entry.message_ids[0], now=seconds_on(1))
        await other.say("other", speaker="Mallory")
        assert sorted(await index_of(stores).speakers(log.scope, limit=9)) == ["Ann", "Bob B."]
        assert len(await index_of(stores).speakers(log.scope, limit=1)) == 1
        assert await index_of(stores).speakers(a_scope(), limit=9) == ()

    async def test_new_vectors_take_the_place_of_old_ones(self, stores: Stores) -> None:
        log = await Log.start(stores)
        old, bare = await log.say("old", NORTH), await log.say("bare", vector=None)
        vectors = [(old.entry, (1.0, 0.0)), (bare.entry, (0.0, 1.0))]
        await index_of(stores).embed(log.scope, vectors, model="model-b:2")
        found = {
            one.entry.text: one.meanings[one.own]
            for one in await search(stores, log.scope, "", (1.0, 0.0), model="model-b:2")
        }
        assert found == pytest.approx({"old": 1, "bare": 0}, abs=CLOSE)
        assert await log.texts(vector=NORTH) == [], "nothing has a vector of the old model"

    async def test_a_vector_of_a_deleted_or_changed_entry_is_not_stored(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        gone, before = await log.say("gone"), await log.say("before")
        after = entry_of(log.messages[1:], "after")
        await log.index([IndexedEntry(entry=after, terms={"after": 1}, model=MODEL, vector=NORTH)])
        await stores.messages.delete(
            log.scope, log.session_id, gone.entry.message_ids[0], now=seconds_on(1)
        )
        vectors = [(gone.entry, EAST), (before.entry, EAST)]
        await index_of(stores).embed(log.scope, vectors, model=MODEL)
        (found,) = await search(stores, log.scope)
        assert found.entry == after
        assert found.meanings[found.own] == pytest.approx(0, abs=CLOSE)

    @pytest.mark.parametrize("stranger_is", ["another user", "another tenant"])
    async def test_other_owners_neither_find_nor_change_entries(
        self, stores: Stores, stranger_is: str
    ) -> None:
        log = await Log.start(stores)
        said = await log.say("mine")
        tenant = log.scope.tenant if stranger_is == "another user" else None
        stranger = a_scope(tenant, "bob" if tenant else log.scope.user)
        assert await search(stores, stranger, "mine") == ()
        filters = RecallFilter(session_id=log.session_id)
        assert await search(stores, stranger, "mine", filters=filters) == ()
        await index_of(stores).embed(stranger, [(said.entry, NORTH)], model=MODEL)
        await index_of(stores).replace(stranger, log.session_id, [said.entry.turn_number], [])
        await index_of(stores).replace(stranger, log.session_id, [9], [said])
        assert await search(stores, stranger, "mine") == ()
        (found,) = await search(stores, log.scope, "mine")
        assert found.meanings[found.own] == pytest.approx(1, abs=CLOSE)

    async def test_huge_and_odd_texts_are_kept(self, stores: Stores) -> None:
        log = await Log.start(stores)
        odd = "quotes ' \" \\ % $1 {x} 数据库 👩‍👩‍👧 \u202e"
        await log.say(odd)
        await log.say("long " + "x" * 100_000 + " " + "".join(f" w{n}" for n in range(1000)))
        stored = await append(stores, log.scope, log.session_id, a_message())
        wordless = IndexedEntry(entry=entry_of(stored, "?"), terms={}, model=MODEL, vector=EAST)
        await log.index([wordless])
        assert await log.texts("数据库 $1", None) == [odd]
        assert len(await log.texts("w999 ' % \\ nothing")) == 3

    async def test_an_empty_index_finds_nothing(self, stores: Stores) -> None:
        assert await search(stores, a_scope(), "anything") == ()
        log = await Log.start(stores)
        assert await search(stores, log.scope, "anything") == ()
