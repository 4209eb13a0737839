"""Whose memory it is: tenants by name or number, and the system's own."""

from uuid import uuid4

import pytest

from recollect import InvalidInput, Memory
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import SYSTEM_TENANT, TenantScope
from recollect.errors import ConfigurationError
from recollect.settings import load_settings


@pytest.fixture
def user() -> str:
    return f"user-{uuid4()}"


async def test_a_tenant_may_be_a_number(memory: Memory, user: str) -> None:
    await memory.history(user, tenant=42).add("user", "Sales?")
    assert await memory.history(user, tenant="42").count() == 1
    assert await memory.history(user, tenant=43).count() == 0
    assert load_settings(tenant=42).tenant == "42"


async def test_the_system_tenant_is_apart_from_the_default(memory: Memory, user: str) -> None:
    await memory.history(user, tenant=None).add("user", "A default template")
    await memory.set_state("busy", user=user, tenant=None)
    assert await memory.history(user).count() == 0
    assert await memory.history(user, tenant="default").count() == 0
    assert await memory.history(user, tenant=None).count() == 1
    assert await memory.state(user=user) is None
    state = await memory.state(user=user, tenant=None)
    assert state is not None
    assert state.mode == "busy"


@pytest.mark.parametrize("tenant", [True, 1.5, b"acme", ["acme"]])
async def test_a_tenant_that_is_neither_name_nor_number_is_refused(
    memory: Memory, user: str, tenant: str
) -> None:
    with pytest.raises(InvalidInput, match="tenant must be a name or an integer"):
        memory.history(user, tenant=tenant)


@pytest.mark.parametrize("tenant", [SYSTEM_TENANT, f" {SYSTEM_TENANT}\u00a0"])
async def test_nobody_can_name_the_system_tenant(memory: Memory, user: str, tenant: str) -> None:
    with pytest.raises(InvalidInput, match="reserved for the system tenant"):
        memory.history(user, tenant=tenant)
    with pytest.raises(InvalidInput, match=r"reserved for the system tenant|white space"):
        await memory.services.api_keys.create(
            TenantScope(tenant=tenant), name="a key", scopes=[KeyScope.SERVICE]
        )
    with pytest.raises(ConfigurationError, match="MEMORY_TENANT: must not be"):
        load_settings(tenant=tenant)
    with pytest.raises(InvalidInput, match="reserved for the system tenant"):
        Memory(memory.services, tenant=tenant)


@pytest.mark.parametrize("tenant", ["", "  "])
async def test_a_blank_tenant_is_refused(memory: Memory, user: str, tenant: str) -> None:
    with pytest.raises(InvalidInput, match="tenant must not be blank"):
        memory.history(user, tenant=tenant)
