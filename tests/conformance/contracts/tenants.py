"""What `recollect.ports.tenants.TenantSettingsStore` promises."""

import asyncio

import pytest

from recollect.domain.identity.audit import AuditAction
from recollect.domain.privacy.masking import MaskingMode
from recollect.domain.tenants.settings import StoredSettings, TenantSettings
from recollect.errors import VersionConflict
from recollect.ports import Stores
from support.examples import a_scope, a_tenant_scope, seconds_on

ALL = TenantSettings.parse(
    {
        "retention": "sliding:90",
        "mask_pii": "hash",
        "store_results": "rows:5",
        "archive": "off",
        "facts": "on",
        "learn_facts": False,
        "facts_extractor": "llm",
        "facts_half_lives": "high:10",
        "facts_prune_below": 0.25,
    }
)
NONE = TenantSettings()
MASKED = TenantSettings(mask_pii=MaskingMode.MASK)


class TenantSettingsStoreContract:
    """Each tenant's apart, versions that never come twice, and every change told."""

    async def test_a_tenant_has_no_settings_until_some_are_stored(self, stores: Stores) -> None:
        scope = a_tenant_scope()
        assert await stores.tenant_settings.get(scope) == StoredSettings(tenant=scope.tenant)

    async def test_settings_are_read_as_they_were_stored(self, stores: Stores) -> None:
        scope, other = a_tenant_scope(), a_tenant_scope()
        stored = await stores.tenant_settings.put(scope, ALL, version=0, now=seconds_on(1))
        assert stored == StoredSettings(
            tenant=scope.tenant, settings=ALL, version=1, updated_at=seconds_on(1)
        )
        assert await stores.tenant_settings.get(scope) == stored
        assert (await stores.tenant_settings.get(other)).settings == NONE
        assert await stores.tenant_settings.has_any()

    async def test_versions_go_on_when_everything_was_unset(self, stores: Stores) -> None:
        scope, store = a_tenant_scope(), stores.tenant_settings
        for settings in (MASKED, NONE, MASKED):
            await store.put(scope, settings, version=None, now=seconds_on(1))
        assert (await store.get(scope)).version == 3

    async def test_a_change_that_expects_another_version_does_nothing(self, stores: Stores) -> None:
        scope, store = a_tenant_scope(), stores.tenant_settings
        for expected in (1, 7):
            with pytest.raises(VersionConflict):
                await store.put(scope, MASKED, version=expected, now=seconds_on(1))
        before = await store.put(scope, MASKED, version=0, now=seconds_on(2))
        with pytest.raises(VersionConflict) as conflict:
            await store.put(scope, ALL, version=0, now=seconds_on(3))
        assert conflict.value.current == 1
        assert await store.get(scope) == before
        assert len(await stores.audit.entries(scope, limit=9)) == 1

    async def test_of_several_who_expect_one_version_one_succeeds(self, stores: Stores) -> None:
        scope, store = a_tenant_scope(), stores.tenant_settings
        done = await asyncio.gather(
            *(store.put(scope, MASKED, version=0, now=seconds_on(1)) for _ in range(5)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, StoredSettings) for one in done) == 1
        assert sum(isinstance(one, VersionConflict) for one in done) == 4

    async def test_the_names_of_changed_settings_are_audited_and_no_values(
        self, stores: Stores
    ) -> None:
        scope, store = a_tenant_scope(), stores.tenant_settings
        both = TenantSettings(mask_pii=MaskingMode.MASK, retention="fixed:7")
        await store.put(scope, both, version=None, now=seconds_on(1))
        await store.put(scope, both, version=None, now=seconds_on(2))  # nothing changes
        await store.put(scope, MASKED, version=None, now=seconds_on(3))
        entries = await stores.audit.entries(scope, limit=9)
        assert [(one.action, one.target, one.count, one.at) for one in entries] == [
            (AuditAction.TENANT_SETTINGS_CHANGED, "retention", 1, seconds_on(3)),
            (AuditAction.TENANT_SETTINGS_CHANGED, "retention,mask_pii", 2, seconds_on(1)),
        ]
        assert {(one.actor, one.transaction_id) for one in entries} == {("tester", "tx-1")}

    async def test_tenants_with_settings_are_listed_by_name(self, stores: Stores) -> None:
        store, prefix = stores.tenant_settings, a_scope().tenant
        names = [f"{prefix}-{letter}" for letter in "bac"]
        for name in names:
            await store.put(a_tenant_scope(name), MASKED, version=None, now=seconds_on(1))
        unset = a_tenant_scope(names[2])
        await store.put(unset, NONE, version=None, now=seconds_on(2))
        listed = await store.list(after=prefix, limit=2)
        assert [one.tenant for one in listed] == sorted(names[:2])
        assert listed[0] == await store.get(a_tenant_scope(listed[0].tenant))
        assert [one.tenant for one in await store.list(after=names[1], limit=1)] == [names[0]]
        everybody = await store.list(after=None, limit=1000)
        assert {*names[:2]} <= {one.tenant for one in everybody}
        assert unset.tenant not in {one.tenant for one in everybody}
