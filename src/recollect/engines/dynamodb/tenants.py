"""Settings of tenants in DynamoDB."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import TenantScope
from recollect.domain.tenants.settings import StoredSettings, TenantSettings
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.audit_chain import add_entries
from recollect.engines.dynamodb.table.items import (
    Attribute,
    json_from,
    json_text,
    optional_time,
    time_text,
)
from recollect.engines.dynamodb.table.keys import (
    TENANT_SETTINGS,
    WORK_DUE,
    WORK_QUEUE,
    key_of,
    name_of,
    queue_of,
)
from recollect.engines.dynamodb.table.transaction import version_of

TENANTS: Final = "tenant"
"""The queue of tenants that have set something, each due at its name."""


class DynamoTenantSettings(DynamoStore):
    """Implements `recollect.ports.tenants.TenantSettingsStore`."""

    async def get(self, scope: TenantScope) -> StoredSettings:
        item = await self.table.get(scope.owner_id, TENANT_SETTINGS)
        return StoredSettings(tenant=scope.tenant) if item is None else _settings_from(item)

    async def put(
        self, scope: TenantScope, settings: TenantSettings, *, version: int | None, now: datetime
    ) -> StoredSettings:
        async def attempt() -> StoredSettings:
            item = await self.table.get(scope.owner_id, TENANT_SETTINGS)
            before = _settings_from(item) if item else StoredSettings(tenant=scope.tenant)
            before.check_version(version)
            changed = settings.names_changed(before.settings)
            if not changed:
                return before
            after = StoredSettings(
                tenant=scope.tenant, settings=settings, version=before.version + 1, updated_at=now
            )
            action, target = AuditAction.TENANT_SETTINGS_CHANGED, ",".join(changed)
            entry = OwnedEntry.of(scope, action, target, count=len(changed), at=now)
            await self.data.refuse_erased(scope.owner_id)
            transaction = self.table.transaction()
            transaction.put(_settings_item(scope, after), read=version_of(item))
            self.data.claim_owner(scope, transaction)
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)
            return after

        return await self.table.repeated(attempt)

    async def has_any(self) -> bool:
        return bool(await self.table.waiting(TENANTS, limit=1))

    async def list(self, *, after: str | None, limit: int) -> tuple[StoredSettings, ...]:
        since = None if after is None else after + "\0"
        keys = await self.table.waiting(TENANTS, since=since, limit=limit)
        items = await self.table.get_many(keys)
        return tuple(_settings_from(items[name_of(key)]) for key in keys if name_of(key) in items)


def _settings_item(scope: TenantScope, stored: StoredSettings) -> dict[str, Attribute | None]:
    item: dict[str, Attribute | None] = {
        **key_of(scope.owner_id, TENANT_SETTINGS),
        "tenant": stored.tenant,
        "settings": json_text(stored.settings.to_json()),
        "settingsVersion": stored.version,
        "updatedAt": None if stored.updated_at is None else time_text(stored.updated_at),
    }
    if stored.settings.given():
        item |= {WORK_QUEUE: queue_of(TENANTS, scope.owner_id), WORK_DUE: stored.tenant}
    return item


def _settings_from(item: Mapping[str, Attribute]) -> StoredSettings:
    return StoredSettings(
        tenant=str(item["tenant"]),
        settings=TenantSettings.stored(json_from(item["settings"])),
        version=int(item["settingsVersion"]),
        updated_at=optional_time(item.get("updatedAt")),
    )
