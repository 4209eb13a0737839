"""One memory copied into another: whole, once, and told where they differ."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from conformance.contracts.transfer_shared import fill
from recollect.composition.copying import build_copy
from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.tenants.settings import TenantSettings
from recollect.domain.transfer.checksums import Checksums
from recollect.domain.transfer.document import Outcome, Part
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.privacy.copying import CopyReport, MemoryCopy
from recollect.services.services import ServiceDependencies
from recollect.system import RandomIds, SystemClock
from support.examples import (
    a_message,
    a_scope,
    a_tenant_scope,
    an_api_key,
    append,
    seconds_on,
    start_conversation,
)
from support.transfers import essence, exported, transfer_services

NEEDS = ServiceDependencies(clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for)


def copy_of(source: Stores, target: Stores, policy: AuditPolicy | None = None) -> MemoryCopy:
    return build_copy(source, target, NEEDS, policy or AuditPolicy())


async def copied(source: Stores, target: Stores, tenant: str | None = None) -> CopyReport:
    return await copy_of(source, target).of_all(tenant=tenant, progress=lambda _: None)


async def essence_of(stores: Stores, scope: Scope) -> Any:  # noqa: ANN401  # JSON
    return essence(await exported(transfer_services(stores), scope))


async def test_everything_of_all_tenants_arrives_and_a_second_copy_changes_nothing() -> None:
    source, target = in_memory_stores(), in_memory_stores()
    alice, bob = a_scope(user="alice"), a_scope(user="bob")
    await fill(source, alice)
    await source.states.put(bob, "halted", now=seconds_on(0))
    tenant = a_tenant_scope(alice.tenant)
    key = an_api_key(tenant)
    await source.api_keys.add(tenant, key)
    await source.api_keys.revoke(tenant, key.key_id, now=seconds_on(9))
    settings = TenantSettings.stored({"retention": "sliding:9"})
    await source.tenant_settings.put(tenant, settings, version=0, now=seconds_on(0))

    report = await copied(source, target)
    assert (report.users, report.differing) == (2, 0)
    assert report.memory.sessions == Outcome(added=5)
    assert report.api_keys == report.tenant_settings == Outcome(added=1)
    assert await essence_of(target, alice) == await essence_of(source, alice)
    assert await target.states.get(bob) == await source.states.get(bob)
    assert await target.api_keys.list(tenant) == await source.api_keys.list(tenant)

    again = await copied(source, target)
    assert (again.users, again.differing, again.memory.added) == (2, 0, 0)
    assert again.api_keys == again.tenant_settings == Outcome(known=1)


async def test_only_the_tenant_or_the_user_that_is_named_is_copied() -> None:
    source, target = in_memory_stores(), in_memory_stores()
    alice, bob, carol = a_scope(), a_scope(), a_scope()
    for scope in (alice, bob, carol):
        await start_conversation(source, scope)
    assert (await copied(source, target, alice.tenant)).users == 1
    assert await target.owners.owners(after=None, limit=9) == (alice,)
    report = await copy_of(source, target).of_user(bob, progress=lambda _: None)
    assert (report.users, report.differing) == (1, 0)
    assert {*await target.owners.owners(after=None, limit=9)} == {alice, bob}
    nobody = await copy_of(source, target).of_user(a_scope(), progress=lambda _: None)
    assert nobody == CopyReport()


async def test_a_copy_that_was_killed_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = in_memory_stores(), in_memory_stores()
    scopes = [a_scope() for _ in range(3)]
    for scope in scopes:
        await fill(source, scope)
    stores, left = target.imports, 2

    class Killed(BaseException):
        pass

    add = type(stores).add_messages

    async def killed_later(*given: Any) -> Any:  # noqa: ANN401  # as it is
        nonlocal left
        left -= 1
        if not left:
            raise Killed
        return await add(*given)

    with monkeypatch.context() as patch:
        patch.setattr(type(stores), "add_messages", killed_later)
        with pytest.raises(Killed):
            await copied(source, target)
    report = await copied(source, target)
    assert (report.users, report.differing) == (3, 0)
    assert report.memory.messages.added > 0
    for scope in scopes:
        assert await essence_of(target, scope) == await essence_of(source, scope)


async def test_an_owner_who_has_something_else_there_is_named() -> None:
    source, target = in_memory_stores(), in_memory_stores()
    scope = a_scope(user="alice")
    session_id, _ = await start_conversation(source, scope)
    await copied(source, target)
    await append(target, scope, session_id, a_message(content="said there"))
    report = await copied(source, target)
    assert (report.users, report.differing) == (1, 1)
    (difference,) = report.differences
    assert (difference.tenant, difference.user) == (scope.tenant, "alice")
    assert [part.partition(":")[0] for part in difference.parts] == ["sessions", "messages"]


async def test_the_audit_log_of_both_tells_of_the_copy() -> None:
    source, target = in_memory_stores(), in_memory_stores()
    scope = a_scope()
    await start_conversation(source, scope)
    copying = copy_of(source, target, AuditPolicy(is_on=True))
    await copying.of_all(tenant=None, progress=lambda _: None)
    await copying.settle()
    for stores, action in ((source, "memory.exported"), (target, "memory.imported")):
        entries = await stores.exports.audit(scope, after=0, limit=99)
        assert (action, "copy") in [(one.entry.action, one.entry.actor) for one in entries]


def test_checksums_tell_content_and_number_apart_and_no_order() -> None:
    here, there = Checksums(), Checksums()
    first, second = ({"id": str(uuid4()), "n": number} for number in (1, 1.0))
    for checksums, items in ((here, (first, second)), (there, (second, first))):
        for item in items:
            checksums.add(Part.MESSAGES, item)
    assert here.differences(there) == ()
    here.add(Part.FACTS, {"n": 1})
    there.add(Part.FACTS, {"n": 1.0})
    here.add(Part.AUDIT, {})
    assert here.differences(there) == ("facts: other content",)
    there.add(Part.FACTS, {})
    assert here.differences(there) == ("facts: 1 and 2",)


async def test_a_user_has_the_same_memory_after_a_copy_with_retention_and_masks_there() -> None:
    source, target = in_memory_stores(), in_memory_stores()
    scope = a_scope()
    await start_conversation(source, scope)
    tenant = a_tenant_scope(scope.tenant)
    settings = TenantSettings.stored({"retention": "fixed:1"})
    await target.tenant_settings.put(tenant, settings, version=0, now=seconds_on(0))
    report = await copied(source, target)
    assert report.memory.sessions == Outcome(added=1)
    assert [one.parts for one in report.differences] == [("tenant_settings: other content",)]
    assert replace(report, differences=(), differing=0).memory.expired == 0
