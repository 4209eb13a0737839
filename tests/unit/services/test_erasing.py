"""Erasures that are carried on beside those of others."""

import asyncio

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.services.services import Services
from support.examples import a_message, a_scope, a_session, a_tenant_scope
from support.timeouts import PATIENCE
from support.transfers import transfer_services

COMPACTING = Policies(compaction=CompactionPolicy(trigger=4, keep=2))


async def a_summarised_talk(services: Services, scope: Scope) -> None:
    """A talk of which a context summarises the beginning itself."""
    session = a_session()
    await services.sessions.start(scope, session)
    roles = ("user", "assistant") * 5
    said = [a_message(role, f"My cat number {n} is Tom.") for n, role in enumerate(roles)]
    await services.messages.append(scope, session.session_id, said)
    context = await services.contexts.build(
        scope, session.session_id, "How many cats do I have?", window=2
    )
    assert "Tom" in (context.summary or "")
    assert services.contexts.read_messages.size > 0


async def test_what_was_read_for_summaries_is_forgotten_with_an_owner_in_every_process() -> None:
    stores, scope = in_memory_stores(), a_scope()
    own, other = (transfer_services(stores, policies=COMPACTING) for _ in range(2))
    for services in (own, other):
        await a_summarised_talk(services, scope)
    await own.erasing.complete(await own.erasing.begin(scope))
    assert own.contexts.read_messages.size == 0
    await other.cache_eviction.do_some()
    assert other.contexts.read_messages.size == 0


async def test_a_whole_tenant_waits_for_no_erasure_of_other_tenants() -> None:
    services, tenant = transfer_services(in_memory_stores()), a_tenant_scope()
    for _ in range(60):
        await services.erasing.begin(a_scope())
    user = a_scope(tenant.tenant)
    before = await services.erasing.begin(user)
    begun = await services.erasing.begin_tenant(tenant)
    async with asyncio.timeout(PATIENCE):
        await services.erasing.complete(begun)
    assert (await services.erasing.get(user, before.erasure_id)).is_done
