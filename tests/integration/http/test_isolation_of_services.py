"""Every use case, called for somebody who does not own what it is asked for."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from recollect.domain.chat.answers import Inquiry
from recollect.domain.chat.requests import ChatRequest, ClientIds, CompletionCall
from recollect.domain.conversation.paging import Page, PageRequest
from recollect.domain.conversation.session import NewSession, SessionChanges
from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.permissions import EVERYTHING
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.recall.entry import RecallFilter, RecallPolicy, Recollection
from recollect.domain.recall.query import AlreadyInContext
from recollect.domain.text import JsonValue
from recollect.engines.postgres.connection.database import Database
from recollect.errors import NotFound, UserHalted
from recollect.ports import Stores
from recollect.services.recall.indexing import Indexing
from recollect.services.services import Services
from support.examples import a_message
from support.recall.scripted_index import index_messages
from support.row_snapshots import rows_of
from support.stored_conversations import a_stored_message
from support.transfers import exported, imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What Alice and her tenant own."""

    scope: Scope
    session_id: UUID
    message_id: UUID
    fact_id: UUID
    key_id: UUID
    key_text: str
    erasure_id: UUID


Call: TypeAlias = Callable[[Services, Scope, Owned], Awaitable[object]]

SECRET: Final = "kiwi"
EMPTY: Final[Page[object]] = Page(items=(), next_cursor=None)
PAGE: Final = PageRequest()


def tenant_of(scope: Scope) -> TenantScope:
    return TenantScope(tenant=scope.tenant, actor="test")


async def build_requested(services: Services, scope: Scope, session_id: UUID) -> object:
    request = await services.contexts.request("And now?")
    return await services.contexts.build_requested(scope, session_id, request)


def indexing_of(services: Services) -> Indexing:
    assert services.indexing is not None
    return services.indexing


NOT_FOUND: Final[dict[str, Call]] = {
    "sessions.get": lambda s, scope, o: s.sessions.get(scope, o.session_id),
    "sessions.change": lambda s, scope, o: s.sessions.change(
        scope, o.session_id, SessionChanges(name="mine now")
    ),
    "sessions.delete": lambda s, scope, o: s.sessions.delete(scope, o.session_id),
    "messages.append": lambda s, scope, o: s.messages.append(scope, o.session_id, [a_message()]),
    "messages.last": lambda s, scope, o: s.messages.last(scope, o.session_id, count=10),
    "messages.window": lambda s, scope, o: s.messages.window(scope, o.session_id, count=10),
    "messages.list": lambda s, scope, o: s.messages.list(scope, o.session_id, PAGE),
    "messages.delete": lambda s, scope, o: s.messages.delete(scope, o.session_id, o.message_id),
    "messages.clear": lambda s, scope, o: s.messages.clear(scope, o.session_id),
    "messages.turn_status": lambda s, scope, o: s.messages.turn_status(scope, o.session_id, 1),
    "messages.fail_turn": lambda s, scope, o: s.messages.fail_turn(scope, o.session_id, 1),
    "turns.begin": lambda s, scope, o: s.turns.begin(scope, o.session_id, a_message()),
    "turns.follow": lambda s, scope, o: s.turns.follow(
        scope, o.session_id, [a_message()], continues=False
    ),
    "turns.reply": lambda s, scope, o: s.turns.reply(
        scope,
        replace(a_stored_message(1), session_id=o.session_id, message_id=o.message_id),
        a_message("assistant"),
    ),
    "history.delete": lambda s, scope, o: s.history.delete(scope, o.message_id),
    "profiles.get": lambda s, scope, _: s.profiles.get(scope, SECRET),
    "profiles.delete": lambda s, scope, _: s.profiles.delete(scope, SECRET),
    "erasing.get": lambda s, scope, o: s.erasing.get(scope, o.erasure_id),
    "facts.get": lambda s, scope, o: s.facts.get(scope, o.fact_id),
    "facts.update": lambda s, scope, o: s.facts.update(scope, o.fact_id, content="Mine now."),
    "facts.forget": lambda s, scope, o: s.facts.forget(scope, o.fact_id),
    "facts.restore": lambda s, scope, o: s.facts.restore(scope, o.fact_id),
    "rewriting.in_session": lambda s, scope, o: s.rewriting.in_session(
        scope, o.session_id, "And now?"
    ),
    "recall.search": lambda s, scope, o: s.recall.search(
        scope, SECRET, filters=RecallFilter(session_id=o.session_id)
    ),
    "contexts.build": lambda s, scope, o: s.contexts.build(scope, o.session_id, "And now?"),
    "contexts.build_requested": lambda s, scope, o: build_requested(s, scope, o.session_id),
}
NOTHING: Final[dict[str, tuple[Call, object]]] = {
    "sessions.list": (lambda s, scope, _: s.sessions.list(scope, PAGE), EMPTY),
    "history.list": (lambda s, scope, _: s.history.list(scope, PAGE), EMPTY),
    "history.count": (lambda s, scope, _: s.history.count(scope), 0),
    "activity.by_day": (lambda s, scope, _: s.activity.by_day(scope), ()),
    "history.clear": (lambda s, scope, _: s.history.clear(scope), 0),
    "history.trim": (lambda s, scope, _: s.history.trim(scope, keep_last=0), 0),
    "states.get": (lambda s, scope, _: s.states.get(scope), None),
    "states.delete": (lambda s, scope, _: s.states.delete(scope), False),
    "profiles.find": (lambda s, scope, _: s.profiles.find(scope, SECRET), None),
    "profiles.list": (lambda s, scope, _: s.profiles.list(scope), ()),
    "profiles.clear": (lambda s, scope, _: s.profiles.clear(scope), 0),
    "facts.list": (lambda s, scope, _: s.facts.list(scope, PAGE), EMPTY),
    "facts.search": (lambda s, scope, _: s.facts.search(scope, SECRET), ()),
    "facts.stats": (lambda s, scope, _: s.facts.stats(scope), FactStats(total=0)),
    "facts.clear": (lambda s, scope, _: s.facts.clear(scope), 0),
    "recall.for_context": (
        lambda s, scope, _: s.recall.for_context(
            scope,
            SECRET,
            policy=RecallPolicy(),
            known=AlreadyInContext(session_id=uuid4()),
            access=EVERYTHING,
        ),
        Recollection(),
    ),
    "indexing.do_session": (
        lambda s, scope, o: indexing_of(s).do_session(scope, o.session_id),
        0,
    ),
    "audit.entries": (lambda s, scope, _: s.audit.entries(scope, limit=10), ()),
}
# Keys, settings and the audit log belong to tenants, so the second user of a tenant shares them;
# see the tests below, test_tenants.py, and the conformance tests of audit chains and settings.
OF_TENANTS: Final = {
    "api_keys.create",
    "api_keys.recognise",
    "api_keys.list",
    "api_keys.revoke",
    *("audit.list", "audit.verify"),
    "erasing.begin_tenant",
    "users.list",
    *(f"tenant_settings.{name}" for name in ("get", "replace", "change", "delete")),
    *("tenant_policies.of", "tenant_policies.settle"),
}
ADDING_FACTS: Final = {"facts.add", "fact_transfer.take_in"}
CREATING: Final = {
    *("sessions.start", "profiles.set", "profiles.merge", "owner_import.take_in"),
    *ADDING_FACTS,
}
# What is given everything it works on, and leaves no more of it than may be seen.
OF_CALLERS: Final = {
    "sessions.shown",
    "ended_visits.end",
    "ended_visits.has",
    "messages.begin_write",
    "rewriting.after",
    "rewriting.prepare",
    "rewriting.prepare_languages",
    "permissions.allowed",
    "permissions.for_model",
    "permissions.for_owner",
    "permissions.sessions_for_owner",
    *("contexts.request", "contexts.bare", "contexts.prepare", "contexts.settle"),
    *("proxy.models", "proxy.model", "erasing.check", "erasing.key_for"),
}
# What works on a turn that its own owner has begun, or on the owner alone; see the tests below.
OF_ONES_OWN: Final = {
    *("turns.complete", "turns.fail", "turns.stored_reply", "turns.settle"),
    *("states.put", "states.check_not_halted", "chat.begin", "chat.ask", "chat.check_state"),
    *("proxy.begin", "last_access.settle", "erasing.begin", "erasing.complete"),
    "activity.expiring_soon",
}
# What workers do for all owners: nobody names anything in it, and nobody gets anything from it
# but a number. See the conformance tests of queueing and expiry.
OF_WORKERS: Final = {
    *("retention.count", "retention.clean_up", "retention.settle_abandoned"),
    *("retention.count_archived", "retention.prune_archive"),
    *("fact_pruning.count", "fact_pruning.prune", "audit_pruning.count", "audit_pruning.prune"),
    *("work.do_one", "work.do_waiting", "statistics.read"),
    *(
        "indexing.do_some",
        "erasing.do_some",
        "erasing.forget_store",
        "erasing.forget_archive",
        "cache_eviction.do_some",
    ),
}


@pytest_asyncio.fixture
async def owned(services: Services, stores: Stores, scope: Scope) -> Owned:
    session, message = NewSession(session_id=uuid4()), a_message()
    await services.sessions.start(scope, session)
    await services.messages.append(scope, session.session_id, [message])
    asked = [a_message("user", f"What is a {SECRET}?"), a_message("assistant", "A fruit.")]
    told = await services.messages.append(scope, session.session_id, asked)
    await index_messages(stores, scope, told.messages)
    gone = a_message()
    await services.messages.append(scope, session.session_id, [gone])
    await services.history.delete(scope, gone.message_id)  # leaves an entry in the audit log
    await services.states.put(scope, "busy")
    await services.profiles.set(scope, SECRET, {"is": SECRET})
    fact = await services.facts.add(scope, f"My fruit is the {SECRET}.")
    key, text = await services.api_keys.create(
        tenant_of(scope), name="a key", scopes=[KeyScope.USER], user="alice"
    )
    return Owned(
        scope=scope,
        session_id=session.session_id,
        message_id=message.message_id,
        fact_id=fact.fact_id,
        key_id=key.key_id,
        key_text=text,
        erasure_id=await erasure_of(services, scope),
    )


async def erasure_of(services: Services, scope: Scope) -> UUID:
    session = NewSession(session_id=uuid4())
    await services.sessions.start(scope, session)
    begun = await services.erasing.begin(scope, session_id=session.session_id)
    await services.erasing.complete(begun)
    return begun.erasure_id


@pytest.fixture(params=["second user", "second tenant"])
def stranger(request: pytest.FixtureRequest, scope: Scope) -> Scope:
    if request.param == "second user":
        return Scope(tenant=scope.tenant, user="bob", actor="test")
    return Scope(tenant=f"tenant-{uuid4()}", user=scope.user, actor="test")


def use_cases(services: Services) -> set[str]:
    """The name of every public async method of every part."""
    return {
        f"{part.name}.{name}"
        for part in fields(services)
        for name, method in inspect.getmembers(
            type(getattr(services, part.name)), inspect.iscoroutinefunction
        )
        if not name.startswith("_")
    }


def test_every_use_case_is_tested(services: Services) -> None:
    apart = {*OF_TENANTS, *CREATING, *OF_CALLERS, *OF_ONES_OWN, *OF_WORKERS}

    assert {*NOT_FOUND, *NOTHING, *apart} == use_cases(services)


@pytest.mark.parametrize("name", NOT_FOUND)
async def test_resources_named_by_a_stranger_are_not_found_and_stay_unchanged(
    name: str, services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)

    with pytest.raises(NotFound):
        await NOT_FOUND[name](services, stranger, owned)

    assert await rows_of(database, owned.scope.owner_id) == before
    assert all(not rows for rows in (await rows_of(database, stranger.owner_id)).values())
    # The same call works for the owner: it was refused for whose it is, for nothing else.
    await NOT_FOUND[name](services, owned.scope, owned)


@pytest.mark.parametrize("name", NOTHING)
async def test_a_stranger_sees_and_deletes_nothing(
    name: str, services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    call, nothing = NOTHING[name]
    before = await rows_of(database, owned.scope.owner_id)

    assert await call(services, stranger, owned) == nothing

    assert await rows_of(database, owned.scope.owner_id) == before
    assert await call(services, owned.scope, owned) != nothing


async def test_a_search_without_filters_finds_only_the_callers_own_entries(
    services: Services, owned: Owned, stranger: Scope
) -> None:
    assert (await services.recall.search(stranger, SECRET)).items == ()
    (result,) = (await services.recall.search(owned.scope, SECRET)).items
    assert result.session_id == owned.session_id


async def test_a_session_started_under_a_foreign_id_is_a_new_one(
    services: Services, owned: Owned, stranger: Scope
) -> None:
    session, is_new = await services.sessions.start(
        stranger, NewSession(session_id=owned.session_id)
    )

    assert is_new
    assert session.message_count == 0
    assert (await services.sessions.get(owned.scope, owned.session_id)).message_count == 3


async def test_a_value_merged_under_a_foreign_key_is_a_new_one(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)

    for change in (services.profiles.merge, services.profiles.set):
        item = await change(stranger, SECRET, {"of": "mine"})
        assert item.value == {"of": "mine"}

    assert await rows_of(database, owned.scope.owner_id) == before


async def test_a_fact_that_a_stranger_adds_or_imports_is_one_of_their_own(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)
    facts = [item async for item in services.fact_transfer.export(owned.scope)]
    assert [item async for item in services.fact_transfer.export(stranger)] == []

    assert (await services.fact_transfer.take_in(stranger, facts)).added == 1
    mine = await services.facts.add(stranger, "I live in Gent.")

    assert len({mine.fact_id, owned.fact_id}) == 2
    assert (await services.facts.stats(stranger)).total == 2
    assert await rows_of(database, owned.scope.owner_id) == before


async def test_what_a_stranger_imports_is_their_own_under_the_same_ids(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)
    nothing = await exported(services, stranger)
    assert SECRET not in str(nothing)
    assert (nothing["sessions"], nothing["facts"], nothing["audit"]) == ([], [], [])
    document = await exported(services, owned.scope)
    assert document["audit"]
    assert [key["key_id"] for key in document["api_keys"]] == [str(owned.key_id)]
    assert document["recall_entries"]
    document["sessions"][0]["messages"][0]["content"] = "Mine now."

    report = await imported(services, stranger, document)

    assert (report.sessions.added, report.messages.added, report.facts.added) == (1, 3, 1)
    assert await rows_of(database, owned.scope.owner_id) == before
    (mine,) = (await exported(services, stranger))["sessions"]
    assert mine["session_id"] == str(owned.session_id)
    assert mine["messages"][0]["content"] == "Mine now."


async def test_a_question_under_a_foreign_session_id_is_asked_in_a_session_of_ones_own(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)

    answered = await services.chat.ask(
        stranger, Inquiry(text="And now?", session_id=owned.session_id)
    )

    assert answered.context.window == ()
    assert await rows_of(database, owned.scope.owner_id) == before
    assert (await services.sessions.get(stranger, owned.session_id)).message_count == 2


async def test_a_chat_under_a_foreign_session_id_is_one_of_ones_own(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)
    body: dict[str, JsonValue] = {"messages": [{"role": "user", "content": "And now?"}]}
    call = CompletionCall(
        request=ChatRequest.of(body), ids=ClientIds(session=str(owned.session_id))
    )

    passing = await services.proxy.begin(stranger, call, b"")
    answer = await passing.whole()
    await passing.aclose()

    assert b"Nothing is stored yet" in answer
    assert await rows_of(database, owned.scope.owner_id) == before
    assert (await services.sessions.get(stranger, owned.session_id)).message_count == 2


async def test_halting_one_user_does_not_halt_others(
    services: Services, owned: Owned, stranger: Scope
) -> None:
    await services.states.put(owned.scope, "halted")

    assert (await services.chat.ask(stranger, Inquiry(text="Hello?"))).reply_id
    with pytest.raises(UserHalted):
        await services.chat.ask(owned.scope, Inquiry(text="Hello?"))


async def test_what_a_stranger_erases_is_their_own(
    services: Services, database: Database, owned: Owned, stranger: Scope
) -> None:
    before = await rows_of(database, owned.scope.owner_id)

    with pytest.raises(NotFound):
        await services.erasing.begin(stranger, session_id=owned.session_id)
    await services.erasing.complete(await services.erasing.begin(stranger))

    assert await rows_of(database, owned.scope.owner_id) == before


async def test_the_erasure_of_another_tenant_reaches_nobody_of_this_one(
    services: Services, database: Database, owned: Owned
) -> None:
    before = await rows_of(database, owned.scope.owner_id)
    other = TenantScope(tenant=f"tenant-{uuid4()}", actor="test")

    begun = await services.erasing.begin_tenant(other)
    await services.erasing.complete(begun)

    assert await rows_of(database, owned.scope.owner_id) == before
    with pytest.raises(NotFound):
        await services.erasing.get(tenant_of(owned.scope), begun.erasure_id)


async def test_keys_are_listed_and_revoked_by_their_own_tenant_alone(
    services: Services, owned: Owned
) -> None:
    other = TenantScope(tenant=f"tenant-{uuid4()}", actor="test")
    await services.api_keys.create(other, name="a key", scopes=[KeyScope.SERVICE])

    assert owned.key_id not in {key.key_id for key in await services.api_keys.list(other)}
    with pytest.raises(NotFound):
        await services.api_keys.revoke(other, owned.key_id)
    assert (await services.api_keys.recognise(owned.key_text)).tenant == owned.scope.tenant


async def test_changes_to_api_keys_are_audited_for_their_own_tenant_alone(
    services: Services, owned: Owned
) -> None:
    other = TenantScope(tenant=f"tenant-{uuid4()}", actor="test")

    assert await services.audit.entries(other, limit=10) == ()
    assert len(await services.audit.entries(tenant_of(owned.scope), limit=10)) == 1
