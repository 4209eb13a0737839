"""What an engine promises about erasures: all is gone at once, proven, and others keep theirs."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from conformance.contracts.facts_shared import a_fact, an_edit
from conformance.contracts.transfer_shared import fill
from recollect.domain.conversation.session import SessionChanges
from recollect.domain.erasure.erasure import Erasure, ErasureState
from recollect.domain.facts.fact import Evidence
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import ProfileChange
from recollect.errors import (
    ErasureNotFound,
    ErasureUnderWay,
    InvalidInput,
    InvalidReceipt,
    SessionNotFound,
)
from recollect.ports import Stores
from recollect.services.services import Services
from recollect.system import SystemClock
from support.examples import (
    a_message,
    a_scope,
    a_session,
    a_tenant_scope,
    append,
    seconds_on,
    start_conversation,
    start_session,
)
from support.transfers import essence, exported, transfer_services

_NOTHING = {"profile": [], "state": None, "facts": [], "sessions": []}


async def erased(
    services: Services,
    scope: Scope,
    *,
    session_id: UUID | None = None,
    before: datetime | None = None,
) -> dict[str, Any]:
    """The receipt of an erasure that is carried on until it is done."""
    begun = await services.erasing.begin(scope, session_id=session_id, before=before)
    return dict(await services.erasing.complete(begun))


async def begun_alone(
    services: Services, scope: Scope, *, session_id: UUID | None = None
) -> Erasure:
    """An erasure that no worker of another test carries on."""
    begun = await services.erasing.begin(scope, session_id=session_id)
    far = services.erasing.clock.now() + timedelta(days=1)
    await services.erasing.stores.erasures.postpone(begun, until=far, waits_for=None)
    return begun


async def parts_of(services: Services, scope: Scope) -> dict[str, Any]:
    """What an export has that an erasure must take."""
    document = await exported(services, scope)
    return {part: document[part] for part in _NOTHING}


class ErasureContract:
    """Everything, a part, a tenant."""

    async def test_keys_of_the_user_alone_go_but_for_the_one_that_asked(
        self, stores: Stores
    ) -> None:
        services, tenant = transfer_services(stores), a_tenant_scope()
        made = [
            (await services.api_keys.create(tenant, name="k", scopes=[scope], user=user))[0]
            for scope, user in (
                *((KeyScope.USER, "alice"), (KeyScope.USER, "alice"), (KeyScope.USER, "bob")),
                (KeyScope.SERVICE, None),
            )
        ]
        asking, *_ = made
        alice = Scope(tenant=tenant.tenant, user="alice", actor=asking.actor)
        receipt = await erased(services, alice)
        assert receipt["erased"]["keys"] == {"api_keys": 1}
        assert receipt["verification"]["remaining"]["keys"] == {"api_keys": 0}
        left = await stores.api_keys.list(tenant)
        assert [key.key_id for key in left] == [made[at].key_id for at in (0, 2, 3)]
        receipt = await erased(services, Scope(tenant=tenant.tenant, user="alice", actor="cli"))
        assert receipt["erased"]["keys"] == {"api_keys": 1}
        assert asking not in await stores.api_keys.list(tenant)
        log = await stores.audit.entries(tenant, limit=10)
        revoked = [one.target for one in log if one.action == AuditAction.API_KEY_REVOKED]
        assert sorted(revoked) == sorted(str(key.key_id) for key in made[:2])

    async def test_everything_of_a_user_goes_and_nothing_of_others(self, stores: Stores) -> None:
        services, alice = transfer_services(stores), a_scope()
        bob = a_scope(alice.tenant, user="bob")
        for one in (alice, bob):
            await fill(stores, one)
        bobs = essence(await exported(services, bob))
        receipt = await erased(services, alice)
        assert await parts_of(services, alice) == _NOTHING
        assert await services.history.count(alice) == 0
        assert essence(await exported(services, bob)) == bobs
        erased_rows = receipt["erased"]["database"]
        assert erased_rows["messages"] > 10
        assert (erased_rows["facts"], erased_rows["states"]) == (3, 1)
        verification = receipt["verification"]
        assert verification["result"] == "clean"
        assert receipt["owner_id"] == str(alice.owner_id)
        assert "alice" not in str(receipt)
        assert await services.erasing.check(receipt) == receipt

    async def test_the_audit_log_stays_and_tells_of_the_erasure_by_its_id(
        self, stores: Stores
    ) -> None:
        services, scope = transfer_services(stores), a_scope()
        await fill(stores, scope)
        before = await stores.audit.entries(scope, limit=100)
        receipt = await erased(services, scope)
        newest, *others = await stores.audit.entries(scope, limit=101)
        assert tuple(others) == before
        assert (newest.action, newest.target) == (AuditAction.MEMORY_ERASED, receipt["erasure_id"])
        assert (newest.actor, newest.transaction_id) == ("tester", "tx-1")
        assert scope.user not in f"{newest} {others}"

    async def test_while_it_is_under_way_nothing_is_found_and_writes_are_refused(
        self, stores: Stores
    ) -> None:
        services, scope = transfer_services(stores), a_scope()
        await fill(stores, scope)
        session_id, _ = await start_conversation(stores, scope)
        begun = await begun_alone(services, scope)
        again = await services.erasing.begin(scope)
        assert again.erasure_id == begun.erasure_id, "a retry begins none"
        assert await parts_of(services, scope) == _NOTHING
        assert await stores.sessions.get(scope, session_id) is None
        for write in writes(stores, scope, session_id):
            with pytest.raises(ErasureUnderWay):
                await write()
        with pytest.raises(ErasureUnderWay):
            await services.erasing.begin(scope, session_id=session_id)
        await services.erasing.complete(begun)
        _, is_new = await stores.sessions.start(scope, a_session(session_id), now=seconds_on(0))
        assert is_new, "they start anew, under the same ids"
        assert await services.history.count(scope) == 0
        await append(stores, scope, session_id, a_message())

    async def test_a_fact_is_not_learnt_from_a_message_that_is_gone(self, stores: Stores) -> None:
        services, scope = transfer_services(stores), a_scope()
        _, (question, _) = await start_conversation(stores, scope)
        learnt = an_edit(a_fact("Works at ACME."), message_id=question.message_id, statement="x")
        await erased(services, scope)
        message_id = question.message_id
        assert not await stores.facts.commit(scope, [learnt], {}, learnt_from=message_id)
        assert await stores.facts.active(scope) == ()

    async def test_the_receipt_is_found_by_its_owner_alone(self, stores: Stores) -> None:
        services, scope = transfer_services(stores), a_scope()
        await fill(stores, scope)
        begun = await begun_alone(services, scope)
        assert (await services.erasing.get(scope, begun.erasure_id)).state == "under_way"
        receipt = await services.erasing.complete(begun)
        done = await services.erasing.get(scope, begun.erasure_id)
        assert (done.state, done.receipt) == (ErasureState.DONE, receipt)
        assert done.erased_messages == done.expected > 0
        for other in (a_scope(), a_scope(scope.tenant, user="bob")):
            with pytest.raises(ErasureNotFound):
                await services.erasing.get(other, begun.erasure_id)

    async def test_a_receipt_that_was_altered_is_refused(self, stores: Stores) -> None:
        services, scope = transfer_services(stores), a_scope()
        receipt = await erased(services, scope)
        for altered in (
            {**receipt, "owner_id": str(uuid4())},
            {**receipt, "erased": {"database": {"messages": 1}}},
            {**receipt, "tenant": scope.tenant, "user": "bob"},
        ):
            with pytest.raises(InvalidReceipt, match="was altered"):
                await services.erasing.check(altered)
        named = {**receipt, "tenant": scope.tenant, "user": scope.user}
        assert await services.erasing.check(named) == named

    async def test_one_session_goes_with_the_facts_learnt_from_it(self, stores: Stores) -> None:
        services, scope = transfer_services(stores), a_scope()
        kept, (other, _) = await start_conversation(stores, scope)
        gone, (question, _) = await start_conversation(stores, scope)
        cited = Evidence(
            session_id=gone, message_id=question.message_id, turn_number=1, quote="at ACME"
        )
        reinforced = a_fact("Lives in Utrecht.")
        edits = [
            an_edit(a_fact("Works at ACME.", evidence=cited)),
            an_edit(reinforced, message_id=question.message_id, statement="lives in utrecht"),
            an_edit(a_fact("Likes tea."), message_id=other.message_id, statement="likes tea"),
        ]
        assert await stores.facts.commit(scope, edits, {})
        receipt = await erased(services, scope, session_id=gone)
        assert (receipt["what"], receipt["session_id"]) == ("session", str(gone))
        counts = receipt["erased"]["database"]
        assert (counts["messages"], counts["facts"], counts["sessions"]) == (2, 2, 1)
        assert [one.fact.content for one in await stores.facts.active(scope)] == ["Likes tea."]
        assert await stores.sessions.get(scope, gone) is None
        assert await stores.messages.last(scope, kept, count=9)
        with pytest.raises(SessionNotFound):
            await services.erasing.begin(scope, session_id=gone)

    async def test_a_session_is_refused_to_writers_while_it_is_erased(self, stores: Stores) -> None:
        services, scope = transfer_services(stores), a_scope()
        kept, _ = await start_conversation(stores, scope)
        gone, _ = await start_conversation(stores, scope)
        begun = await begun_alone(services, scope, session_id=gone)
        await append(stores, scope, kept, a_message())
        with pytest.raises(ErasureUnderWay):
            await append(stores, scope, gone, a_message())
        with pytest.raises(ErasureUnderWay):
            await stores.sessions.start(scope, a_session(gone), now=seconds_on(0))
        assert await stores.expired.delete(now=seconds_on(9), limit=1000) >= 0
        await services.erasing.complete(begun)
        await stores.sessions.start(scope, a_session(gone), now=seconds_on(0))
        assert await stores.messages.last(scope, gone, count=9) == ()

    async def test_what_is_older_than_a_time_goes_and_counters_stay_true(
        self, stores: Stores
    ) -> None:
        services, scope, edge = transfer_services(stores), a_scope(), seconds_on(10)
        old = await start_session(stores, scope)
        await append(stores, scope, old.session_id, a_message(), a_message("assistant"))
        mixed = await start_session(stores, scope)
        for moment, question in ((1, "An old question?"), (20, "A new question?")):
            asked = a_message(content=question, created_at=seconds_on(moment))
            told = a_message("assistant", "2.5M", created_at=seconds_on(moment))
            stored = await append(stores, scope, mixed.session_id, asked, told)
            fact = a_fact(f"Asks {moment}.", created_at=seconds_on(20))
            learnt = an_edit(fact, message_id=stored[0].message_id, statement="asks")
            assert await stores.facts.commit(scope, [learnt], {})
        await stores.facts.commit(scope, [an_edit(a_fact("Older."))], {})
        for moment, key in ((1, "old"), (20, "new")):
            change = ProfileChange.of(key, 1)
            await stores.profiles.change(scope, change, now=seconds_on(moment))
        receipt = await erased(services, scope, before=edge)
        assert receipt["verification"]["result"] == "clean"
        assert await stores.sessions.get(scope, old.session_id) is None
        session = await stores.sessions.get(scope, mixed.session_id)
        assert session is not None
        assert (session.message_count, session.turn_count) == (2, 1)
        assert session.name == "A new question?"
        left = await stores.messages.last(scope, mixed.session_id, count=9)
        assert [one.content for one in left or ()] == ["A new question?", "2.5M"]
        assert [one.fact.content for one in await stores.facts.active(scope)] == ["Asks 20."]
        assert [item.key for item in await stores.profiles.list(scope)] == ["new"]
        (reply,) = await append(stores, scope, mixed.session_id, a_message("assistant"))
        assert reply.turn_number == 2

    async def test_a_whole_tenant_goes_user_by_user(self, stores: Stores) -> None:
        services, tenant = transfer_services(stores, clock=SystemClock()), a_tenant_scope()
        users = [a_scope(tenant.tenant, user=name) for name in ("alice", "bob")]
        bystander = a_scope()
        for one in (*users, bystander):
            await start_conversation(stores, one)
        begun = await services.erasing.begin_tenant(tenant)
        receipt = await services.erasing.complete(begun)
        assert receipt["what"] == "tenant"
        erased_here = receipt["erased"]
        assert erased_here["tenant"] == {"users": 2}
        assert erased_here["database"]["messages"] == 4
        assert [await services.history.count(one) for one in users] == [0, 0]
        assert await services.history.count(bystander) == 2
        assert await services.erasing.check(receipt) == receipt

    async def test_erasures_of_one_tenant_are_found_behind_those_of_others(
        self, stores: Stores
    ) -> None:
        services, erasures = transfer_services(stores), stores.erasure.erasures
        scopes = [a_scope(), a_scope()]
        begun = [await begun_alone(services, scope) for scope in scopes]
        now = services.erasing.clock.now() + timedelta(days=2)
        for scope, one in zip(scopes, begun, strict=True):
            (due,) = await erasures.due(now=now, limit=1, tenant=scope.tenant)
            assert due.erasure_id == one.erasure_id
        assert await erasures.due(now=now, limit=1, tenant=a_scope().tenant) == ()
        for one in begun:
            await services.erasing.complete(one)

    @pytest.mark.parametrize("wrong", ["both", "ahead", "zoneless"])
    async def test_a_request_that_makes_no_sense_changes_nothing(
        self, stores: Stores, wrong: str
    ) -> None:
        services, scope = transfer_services(stores), a_scope()
        session_id, _ = await start_conversation(stores, scope)
        now = SystemClock().now()
        given: dict[str, dict[str, Any]] = {
            "both": {"session_id": session_id, "before": now},
            "ahead": {"before": now + timedelta(days=1)},
            "zoneless": {"before": now.replace(tzinfo=None)},
        }
        with pytest.raises(InvalidInput):
            await services.erasing.begin(scope, **given[wrong])
        assert await services.history.count(scope) == 2


def writes(stores: Stores, scope: Scope, session_id: UUID) -> list[Callable[[], Awaitable[object]]]:
    """Whatever stores something new for an owner."""
    now, changes = seconds_on(0), SessionChanges(name="renamed")
    value = ProfileChange.of("key", 1)
    return [
        lambda: stores.sessions.start(scope, a_session(), now=now),
        lambda: stores.sessions.start(scope, a_session(session_id), now=now),
        lambda: stores.sessions.change(scope, session_id, changes, now=now),
        lambda: stores.messages.append(scope, session_id, [a_message()], now=now),
        lambda: stores.branches.follow(scope, session_id, [a_message()], continues=False, now=now),
        lambda: stores.facts.commit(scope, [an_edit(a_fact("New."))], {}),
        lambda: stores.profiles.change(scope, value, now=now),
        lambda: stores.states.put(scope, "busy", now=now),
    ]
