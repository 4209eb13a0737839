"""The users of a tenant are listed in pages, with numbers, and that is recorded."""

import asyncio
from dataclasses import replace
from typing import NoReturn

import pytest

from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.facts.stored import FactStats
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.audit import AuditAction, AuditPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ContentUnreadable, InvalidCursor
from support.examples import a_message, a_scope, a_tenant_scope, append, start_session
from support.transfers import transfer_services


async def test_pages_have_each_user_of_the_tenant_once_and_nobody_else() -> None:
    stores, tenant = in_memory_stores(), a_tenant_scope()
    services = transfer_services(stores)
    await services.api_keys.create(tenant, name="k", scopes=[KeyScope.SERVICE])
    names = {f"user-{number}" for number in range(7)}
    for name in names:
        await start_session(stores, a_scope(tenant.tenant, user=name))
    await start_session(stores, a_scope())
    erased = a_scope(tenant.tenant, user="erased")
    await start_session(stores, erased)
    await services.erasing.begin(erased)
    pages, cursor = [], None
    while not pages or cursor:
        page = PageRequest(limit=3, order=Order.ASC, cursor=cursor)
        listed = await services.users.list(tenant, page)
        pages.append([one.user for one in listed.items])
        cursor = listed.next_cursor
    assert [len(page) for page in pages] == [3, 3, 1]
    assert {name for page in pages for name in page} == names
    with pytest.raises(InvalidCursor):
        await services.users.list(tenant, PageRequest(cursor="x"))


async def test_numbers_are_those_of_the_user_and_the_reading_is_recorded() -> None:
    stores, tenant = in_memory_stores(), a_tenant_scope()
    services = transfer_services(stores, policies=Policies(audit=AuditPolicy(is_on=True)))
    alice = a_scope(tenant.tenant, user="alice")
    session = await start_session(stores, alice)
    await append(stores, alice, session.session_id, a_message(), a_message("assistant"))
    await services.facts.add(alice, "My favourite colour is green.")
    page = await services.users.list(tenant, PageRequest())
    (listed,) = page.items
    assert (listed.user, listed.owner_id) == ("alice", alice.owner_id)
    assert (listed.sessions, listed.messages, listed.facts) == (1, 2, 1)
    assert listed.last_active_at is not None
    await services.settle()
    (entry,) = await stores.audit.entries(tenant, limit=9)
    assert (entry.action, entry.items, entry.count) == (
        AuditAction.USER_READ,
        (alice.owner_id,),
        1,
    )


class UnreadableFacts:
    """Facts that are encrypted with a key that nobody has."""

    async def stats(self, _: Scope) -> FactStats:
        """Refuse, as an engine does that cannot decrypt."""
        await asyncio.sleep(0)
        return self._refuse()

    def _refuse(self) -> NoReturn:
        raise ContentUnreadable("the key is not there")


async def test_users_whose_content_cannot_be_decrypted_are_listed_without_their_facts() -> None:
    stores, tenant = in_memory_stores(), a_tenant_scope()
    await start_session(stores, a_scope(tenant.tenant, user="alice"))
    users = replace(transfer_services(stores).users, facts=UnreadableFacts())  # type: ignore[arg-type]  # one method of them
    (listed,) = (await users.list(tenant, PageRequest())).items
    assert (listed.sessions, listed.facts) == (1, None)
