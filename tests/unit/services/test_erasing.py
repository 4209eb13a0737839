"""Erasures that are carried on beside those of others."""

import asyncio

from recollect.engines.in_memory import in_memory_stores
from support.examples import a_scope, a_tenant_scope
from support.timeouts import PATIENCE
from support.transfers import transfer_services


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
