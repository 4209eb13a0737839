"""What counts for a tenant: cached for seconds, and never guessed when it cannot be read."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from recollect.domain.identity.scope import TenantScope
from recollect.domain.policy import Policies
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.tenants.policy import ServerPolicy
from recollect.domain.tenants.settings import StoredSettings, TenantSettings
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import DatabaseUnavailable, InvalidInput, VersionConflict
from recollect.ports.tenants import TenantSettingsStore
from recollect.services.tenants.policies import TenantPolicies
from recollect.services.tenants.settings import SettingsOfTenants
from recollect.testing import FixedClock
from support.examples import a_scope, a_tenant_scope, seconds_on

MASKED = TenantSettings(mask_pii=MaskingMode.MASK)
UNMASKED = TenantSettings(mask_pii=MaskingMode.OFF)
NONE = TenantSettings()


@dataclass(slots=True)
class CountedStore:
    """Counts what is read, and fails while it is told to."""

    inner: TenantSettingsStore
    reads: list[str] = field(default_factory=list)
    is_down: bool = False
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    async def get(self, scope: TenantScope) -> StoredSettings:
        await self._count(scope.tenant)
        return await self.inner.get(scope)

    async def has_any(self) -> bool:
        has_any = await self.inner.has_any()
        await self._count("any")
        return has_any

    async def _count(self, what: str) -> None:
        self.reads.append(what)
        await self.gate.wait()
        if self.is_down:
            raise DatabaseUnavailable("it is away")


@dataclass(slots=True)
class Setup:
    """Two processes on one database; the second one changes settings."""

    clock: FixedClock
    store: CountedStore
    policies: TenantPolicies
    elsewhere: SettingsOfTenants

    async def mode(self, tenant: str) -> MaskingMode:
        return (await self.policies.of(a_scope(tenant))).masking

    async def settle(self, *, after: float) -> None:
        self.clock.move(timedelta(seconds=after))
        await self.mode("acme")
        await self.policies.settle()


@pytest.fixture
def setup() -> Setup:
    clock = FixedClock()
    masking = MaskingPolicies(usual=MaskingMode.HASH, key=b"k" * 32)
    server = ServerPolicy(policies=Policies(masking=masking))
    inner = in_memory_stores(clock).tenant_settings
    store = CountedStore(inner)
    policies = TenantPolicies(server, store=store, clock=clock)  # type: ignore[arg-type]  # it only reads
    others = TenantPolicies(server, store=inner, clock=clock)
    elsewhere = SettingsOfTenants(store=inner, policies=others, clock=clock)
    return Setup(clock, store, policies, elsewhere)


async def put(setup: Setup, settings: TenantSettings, tenant: str = "acme") -> StoredSettings:
    return await setup.store.inner.put(
        a_tenant_scope(tenant), settings, version=None, now=seconds_on(1)
    )


async def test_while_no_tenant_has_settings_one_reading_serves_all_tenants(setup: Setup) -> None:
    modes = await asyncio.gather(*(setup.mode(f"tenant-{n}") for n in range(50)))

    assert {*modes} == {MaskingMode.HASH}
    assert setup.store.reads == ["any"]


async def test_a_change_elsewhere_counts_within_five_seconds(setup: Setup) -> None:
    assert await setup.mode("acme") is MaskingMode.HASH
    await put(setup, MASKED)
    setup.clock.move(timedelta(seconds=5))

    assert [await setup.mode(name) for name in ("acme", "other")] == [
        MaskingMode.MASK,
        MaskingMode.HASH,
    ]
    await put(setup, NONE)
    setup.clock.move(timedelta(seconds=5))
    assert await setup.mode("acme") is MaskingMode.HASH


async def test_under_other_policies_of_the_server_a_tenant_keeps_its_own_settings(
    setup: Setup,
) -> None:
    await put(setup, MASKED)
    other = setup.policies.under(Policies(masking=MaskingPolicies(usual=MaskingMode.OFF)))

    policies = [await other.of(a_scope(name)) for name in ("acme", "another")]
    assert [policy.masking for policy in policies] == [MaskingMode.MASK, MaskingMode.OFF]


async def test_who_asks_often_never_waits(setup: Setup) -> None:
    await put(setup, MASKED)
    assert await setup.mode("acme") is MaskingMode.MASK
    await put(setup, UNMASKED)
    setup.clock.move(timedelta(seconds=2))
    setup.store.gate.clear()

    assert await setup.mode("acme") is MaskingMode.MASK
    setup.store.gate.set()
    await setup.policies.settle()
    assert await setup.mode("acme") is MaskingMode.OFF


async def test_a_change_in_this_process_counts_at_once_whatever_is_being_read(setup: Setup) -> None:
    await setup.mode("acme")
    setup.clock.move(timedelta(seconds=3))
    setup.store.gate.clear()
    await setup.mode("acme")
    await asyncio.sleep(0)  # it reads that no tenant has settings, and is not done

    setup.policies.note(await put(setup, MASKED))
    setup.store.gate.set()
    await asyncio.sleep(0)

    assert await setup.mode("acme") is MaskingMode.MASK
    setup.policies.note(await put(setup, NONE))
    assert await setup.mode("acme") is MaskingMode.HASH


async def test_while_settings_cannot_be_read_the_last_known_ones_count(setup: Setup) -> None:
    await put(setup, MASKED)
    await setup.mode("acme")
    setup.store.is_down = True
    setup.clock.move(timedelta(days=1))

    assert await setup.mode("acme") is MaskingMode.MASK


async def test_a_wider_policy_that_cannot_be_read_again_counts_as_the_servers(setup: Setup) -> None:
    await put(setup, UNMASKED)
    assert await setup.mode("acme") is MaskingMode.OFF
    setup.store.is_down = True
    setup.clock.move(timedelta(minutes=1))

    assert await setup.mode("acme") is MaskingMode.HASH
    setup.store.is_down = False
    assert await setup.mode("acme") is MaskingMode.OFF


async def test_of_a_tenant_that_was_never_read_nothing_is_guessed(setup: Setup) -> None:
    setup.store.is_down = True
    with pytest.raises(DatabaseUnavailable):
        await setup.mode("acme")
    setup.store.is_down = False
    await put(setup, MASKED, "other")
    await setup.mode("other")
    setup.store.is_down = True
    with pytest.raises(DatabaseUnavailable):
        await setup.mode("acme")


async def test_changes_merge_and_name_what_is_wrong_before_anything_is_stored(setup: Setup) -> None:
    scope, service = a_tenant_scope("acme"), setup.elsewhere
    await service.change(scope, {"mask_pii": "mask", "retention": "fixed:7"}, version=0)
    report = await service.change(scope, {"mask_pii": None, "facts": "off"})

    assert report.settings.given() == {"retention": "fixed:7", "facts": False}
    assert (report.version, report.effective.mask_pii) == (2, MaskingMode.HASH)
    with pytest.raises(VersionConflict):
        await service.change(scope, {"facts": "on"}, version=1)
    with pytest.raises(InvalidInput, match="MEMORY_ARCHIVE"):
        await service.replace(scope, {"archive": True})
    with pytest.raises(InvalidInput, match="retention"):
        await service.change(scope, {"retention": "soon", "facts": "on"})
    assert await service.get(scope) == report
    assert [one.tenant async for one in service.list()] == ["acme"]
    assert (await service.delete(scope)).settings == NONE
    assert [one async for one in service.list()] == []
