"""What every recall index promises about standing instructions."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from conformance.contracts.recall_shared import EAST, MODEL, Log, entry_of, index_of
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import IndexedEntry
from recollect.domain.standing.instruction import StandingInstruction
from recollect.ports import Stores
from recollect.testing import FIRST_MOMENT
from support.examples import a_message, a_scope, append, seconds_on


class RecallInstructionsContract:
    """Returns what is there, newest first, and nothing that is gone or another owner's."""

    async def test_the_newest_come_first_as_they_were_said(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await _instruct(log, "Never use tables.", at=1)
        await log.say("What were the sales?", now=seconds_on(2))
        two = await _instruct(log, "Call me Sam.", "Altijd in euro's, ook 数据!", at=3)
        newest = await index_of(stores).instructions(log.scope, limit=9)
        texts = ["Altijd in euro's, ook 数据!", "Call me Sam.", "Never use tables."]
        assert [one.text for one in newest] == texts
        assert newest[0] == two.instructions[1]
        assert await _texts(stores, log.scope, limit=2) == texts[:2]
        assert await _texts(stores, log.scope, limit=0) == []

    async def test_of_repeated_ones_the_newest_counts_once(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await _instruct(log, "Never use tables.", at=1)
        await _instruct(log, "Call me Sam.", at=2)
        again = await _instruct(log, "Never use tables.", at=3)
        newest = await index_of(stores).instructions(log.scope, limit=2)
        assert [one.text for one in newest] == ["Never use tables.", "Call me Sam."]
        assert newest[0].message_id == again.instructions[0].message_id

    async def test_one_session_has_its_own(self, stores: Stores) -> None:
        log = await Log.start(stores)
        other = await Log.start(stores, log.scope)
        await _instruct(log, "Never use tables.")
        await _instruct(other, "Call me Sam.")
        assert await _texts(stores, log.scope, session_id=log.session_id) == ["Never use tables."]
        assert sorted(await _texts(stores, log.scope)) == ["Call me Sam.", "Never use tables."]

    async def test_indexing_a_turn_again_replaces_its_instructions(self, stores: Stores) -> None:
        log = await Log.start(stores)
        said = await _instruct(log, "Never use tables.")
        await log.index([said])
        assert await _texts(stores, log.scope) == ["Never use tables."]
        await log.index([replace(said, instructions=())])
        assert await _texts(stores, log.scope) == []

    async def test_new_vectors_leave_them_as_they_are(self, stores: Stores) -> None:
        log = await Log.start(stores)
        said = await _instruct(log, "Never use tables.")
        await index_of(stores).embed(log.scope, [(said.entry, (0.0, 1.0))], model="model-b:2")
        assert await _texts(stores, log.scope) == ["Never use tables."]

    async def test_they_go_with_their_message_session_and_owner(self, stores: Stores) -> None:
        scope = a_scope()
        logs = [await Log.start(stores, scope) for _ in range(4)]
        said = [await _instruct(log, f"Never use list {n}.") for n, log in enumerate(logs)]
        first = said[0].instructions[0].message_id
        await stores.messages.delete(scope, logs[0].session_id, first, now=seconds_on(1))
        await stores.messages.clear(scope, logs[1].session_id, now=seconds_on(1))
        await stores.sessions.delete(scope, logs[2].session_id, now=seconds_on(1))
        assert await _texts(stores, scope) == ["Never use list 3."]
        await stores.history.clear(scope, now=seconds_on(2))
        assert await _texts(stores, scope) == []

    async def test_those_of_an_expired_session_are_gone(self, stores: Stores) -> None:
        scope = a_scope()
        ends = datetime.now(UTC) + timedelta(seconds=0.3)
        dead = await Log.start(stores, scope, expires_at=ends)
        await _instruct(dead, "Never use tables.")
        while True:
            if await stores.sessions.get(scope, dead.session_id) is None:
                break
            await asyncio.sleep(0.02)
        assert await _texts(stores, scope) == []

    async def test_only_those_of_the_active_branch_are_there(self, stores: Stores) -> None:
        log = await Log.start(stores)
        question, first = await append(
            stores, log.scope, log.session_id, a_message(), a_message("assistant", "Nine.")
        )
        entry = entry_of([question, first], "Question: …")
        instruction = _instruction(log, question.message_id, "Never use tables.")
        indexed = IndexedEntry(entry=entry, terms={"nine": 1}, instructions=(instruction,))
        await log.index([indexed])
        assert await _texts(stores, log.scope) == ["Never use tables."]
        ten = a_message("assistant", "Ten.")
        await stores.branches.reply(
            log.scope, log.session_id, question.message_id, ten, now=seconds_on(1)
        )
        assert await _texts(stores, log.scope) == []
        await log.index([indexed])
        assert await _texts(stores, log.scope) == []

    @pytest.mark.parametrize("stranger_is", ["another user", "another tenant"])
    async def test_other_owners_have_none_of_them(self, stores: Stores, stranger_is: str) -> None:
        log = await Log.start(stores)
        await _instruct(log, "Never use tables.")
        tenant = log.scope.tenant if stranger_is == "another user" else None
        stranger = a_scope(tenant, "bob" if tenant else log.scope.user)
        assert await _texts(stores, stranger) == []
        assert await _texts(stores, stranger, session_id=log.session_id) == []


async def _instruct(log: Log, *texts: str, at: int = 0) -> IndexedEntry:
    """Store a message with these instructions, and index it."""
    now = FIRST_MOMENT + timedelta(seconds=at)
    content = a_message(content=" ".join(texts))
    stored = await append(log.stores, log.scope, log.session_id, content, now=now)
    known = [_instruction(log, stored[0].message_id, text) for text in texts]
    indexed = IndexedEntry(
        entry=entry_of(stored, content.content),
        terms={"word": 1},
        model=MODEL,
        vector=EAST,
        instructions=tuple(
            replace(one, turn_number=stored[0].turn_number or 0, said_at=stored[0].created_at)
            for one in known
        ),
    )
    await log.index([indexed])
    return indexed


def _instruction(log: Log, message_id: UUID, text: str) -> StandingInstruction:
    return StandingInstruction(
        session_id=log.session_id,
        turn_number=1,
        message_id=message_id,
        text=text,
        said_at=FIRST_MOMENT,
    )


async def _texts(
    stores: Stores, scope: Scope, *, session_id: UUID | None = None, limit: int = 9
) -> list[str]:
    found = await index_of(stores).instructions(scope, session_id=session_id, limit=limit)
    return [one.text for one in found]
