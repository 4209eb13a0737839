"""A memory with something of every kind, to be exported and imported."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from conformance.contracts.branch_client import Talk
from conformance.contracts.facts_shared import a_fact, an_edit, evidence_of, superseded
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.fact import FactEdit, FactSource
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import ProfileChange
from recollect.ports import Stores
from support.examples import (
    EVERY_KIND_OF_JSON,
    a_message,
    a_summary,
    append,
    put_summary,
    seconds_on,
    start_conversation,
    start_session,
)


async def fill(stores: Stores, scope: Scope) -> None:
    """Store something of every kind."""
    await branched(stores, scope)
    await _plain(stores, scope)
    await start_session(stores, scope, name="Nothing was said")
    await start_session(stores, scope, expires_at=datetime(2999, 1, 1, tzinfo=UTC))
    await _deleted(stores, scope)
    gone = await start_session(stores, scope, expires_at=seconds_on(1))
    assert gone.expires_at is not None
    for key, value in (("everything", EVERY_KIND_OF_JSON), ("long", 10**40)):
        await stores.profiles.change(scope, ProfileChange.of(key, value), now=seconds_on(3))
    await stores.states.put(scope, "halted", now=seconds_on(4))
    await _facts(stores, scope)


async def _plain(stores: Stores, scope: Scope) -> None:
    """A session with metadata, details, a pending, a failed and a complete turn."""
    new = NewSession(
        session_id=uuid4(),
        name="Ünïcödé 数据库 👩‍👩‍👧",
        metadata=EVERY_KIND_OF_JSON,
        databases=("sales", "stock"),
        tags=("a", "b"),
    )
    session, _ = await stores.sessions.start(scope, new, now=seconds_on(0))
    details = AnswerDetails(
        sql_query="SELECT 1",
        tables_used=("sales.orders",),
        execution_result={"rows": [[1e17, 1.0, 1]]},
        tokens={"total": 7},
        execution_time_ms=12.5,
        citations=({"url": "a"},),
        model="m",
        database="sales",
    )
    await append(
        stores,
        scope,
        session.session_id,
        a_message("system", "Be brief."),
        a_message("user", "العربية\t\u2028?", metadata=EVERY_KIND_OF_JSON),
        a_message("assistant", "2.5M", details=details, created_at=seconds_on(-1000)),
        now=seconds_on(1),
    )
    await put_summary(
        stores, scope, session.session_id, a_summary(through=3, tables=("t",)), replaces=0
    )
    await append(stores, scope, session.session_id, a_message("user", "Failing?"))
    await stores.messages.fail_turn(scope, session.session_id, 2)
    await append(stores, scope, session.session_id, a_message("user", "Open?"), now=seconds_on(2))


async def _deleted(stores: Stores, scope: Scope) -> None:
    """A session that has lost its first, one of its middle and its last messages."""
    session_id, stored = await start_conversation(stores, scope, ("user", "assistant") * 4)
    for place in (0, 3, 6, 7):
        message_id = stored[place].message_id
        assert await stores.messages.delete(scope, session_id, message_id, now=seconds_on(5))


async def _facts(stores: Stores, scope: Scope) -> None:
    """A fact that another has taken the place of, and one that was learnt from a message."""
    before = a_fact("Works at ACME.", slot=Slot.EMPLOYER)
    after = a_fact("Works at Globex ☕.", slot=Slot.EMPLOYER, evidence=evidence_of("at Globex"))
    stated = replace(a_fact("Counts in 1e17."), source=FactSource.STATED, confidence=0.25)
    first = an_edit(before, message_id=uuid4(), statement="works at acme")
    assert await stores.facts.commit(scope, [first, an_edit(stated)], {})
    edits: list[FactEdit] = [an_edit(superseded(before, seconds_on(60))), an_edit(after)]
    assert await stores.facts.commit(scope, edits, {})
    await stores.facts.touch(scope, [after.fact_id], at=seconds_on(90))


async def branched(stores: Stores, scope: Scope) -> Talk:
    """A client that has edited a question and regenerated an answer."""
    session = await start_session(stores, scope)
    client = Talk(stores, scope, session.session_id)
    await client.say("Sales?")
    await client.say("Sales?", "re: Sales?", "By region?")
    await client.say("Sales?", "re: Sales?", "By month?")
    again = await client.follow("Sales?", "re: Sales?", "By month?")
    await client.reply(again, "May 1M")
    return client


def numbers_in(value: object) -> list[object]:
    """All numbers of a document, in order."""
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in numbers_in(value[key])]
    if isinstance(value, list):
        return [number for item in value for number in numbers_in(item)]
    return [value] if isinstance(value, int | float) else []
