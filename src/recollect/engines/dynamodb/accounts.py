"""API keys, user states and profiles."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.identity.accounts import ApiKey, KeyScope, UserState
from recollect.domain.identity.audit import AuditAction, OwnedEntry
from recollect.domain.identity.scope import MemoryPolicy, Scope, TenantScope
from recollect.domain.profile.profile import ProfileChange, ProfileItem, StoredKey, check_version
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.audit_chain import add_entries
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    json_from,
    json_text,
    optional_time,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import PROFILE, STATE, api_key_key, key_of
from recollect.engines.dynamodb.table.transaction import Transaction, version_of

_KEYS: Final = "@key#"


class DynamoApiKeys(DynamoStore):
    """Implements `recollect.ports.accounts.ApiKeyStore`."""

    async def add(self, scope: TenantScope, key: ApiKey) -> None:
        entry = OwnedEntry.of(scope, AuditAction.API_KEY_CREATED, key.key_id, at=key.created_at)

        async def attempt() -> None:
            transaction = self.table.transaction()
            transaction.put(_key_item(scope.owner_id, key), read=0)
            self.data.claim_owner(scope, transaction)
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)

        await self.table.repeated(attempt)

    async def find(self, owner_id: UUID, key_id: UUID) -> ApiKey | None:
        item = await self.table.get(owner_id, api_key_key(key_id))
        return None if item is None else _key_from(item)

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        keys = [_key_from(item) async for item in self.table.items(scope.owner_id, _KEYS)]
        return tuple(sorted(keys, key=lambda key: (key.created_at, key.key_id)))

    async def revoke(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        entry = OwnedEntry.of(scope, AuditAction.API_KEY_REVOKED, key_id, at=now)

        async def attempt() -> bool:
            item = await self.table.get(scope.owner_id, api_key_key(key_id))
            if item is None or "revokedAt" in item:
                return item is not None
            transaction = self.table.transaction()
            transaction.put({**item, "revokedAt": time_text(now)}, read=version_of(item))
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)
            return True

        return await self.table.repeated(attempt)

    async def delete(self, scope: TenantScope, key_id: UUID, *, now: datetime) -> bool:
        entry = OwnedEntry.of(scope, AuditAction.API_KEY_REVOKED, key_id, at=now)

        async def attempt() -> bool:
            item = await self.table.get(scope.owner_id, api_key_key(key_id))
            if item is None:
                return False
            transaction = self.table.transaction()
            transaction.delete(key_of(scope.owner_id, api_key_key(key_id)), read=version_of(item))
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)
            return True

        return await self.table.repeated(attempt)


def _key_item(owner_id: UUID, key: ApiKey) -> dict[str, Attribute | None]:
    return {
        **key_of(owner_id, api_key_key(key.key_id)),
        "keyId": str(key.key_id),
        "tenant": key.tenant,
        "user": key.user,
        "scopes": json_text(sorted(key.scopes)),
        "name": key.name,
        "secretHash": key.secret_hash,
        "createdAt": time_text(key.created_at),
        "revokedAt": None if key.revoked_at is None else time_text(key.revoked_at),
        "memory": key.memory.value,
    }


def _key_from(item: Mapping[str, Attribute]) -> ApiKey:
    user = item.get("user")
    return ApiKey(
        key_id=UUID(str(item["keyId"])),
        tenant=str(item["tenant"]),
        user=None if user is None else str(user),
        scopes=frozenset(map(KeyScope, json_from(item["scopes"]))),
        name=str(item["name"]),
        secret_hash=bytes(item["secretHash"]),  # type: ignore[arg-type]  # stored as bytes
        created_at=time_from(item["createdAt"]),
        revoked_at=optional_time(item.get("revokedAt")),
        memory=MemoryPolicy(str(item["memory"])),
    )


class DynamoStates(DynamoStore):
    """Implements `recollect.ports.accounts.StateStore`."""

    async def get(self, scope: Scope) -> UserState | None:
        item = await self.table.get(scope.owner_id, STATE)
        return None if item is None or "isErased" in item else state_from(item)

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        entry = OwnedEntry.of(scope, AuditAction.STATE_CHANGED, mode, at=now)

        async def attempt() -> UserState:
            await self.data.refuse_erased(scope.owner_id)
            state = UserState(mode=mode, updated_at=now)
            transaction = self.table.transaction()
            put_state(transaction, scope, state)
            self.data.claim_owner(scope, transaction)
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)
            return state

        return await self.table.repeated(attempt)

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        async def attempt() -> bool:
            state = await self.get(scope)
            if state is None:
                return False
            entry = OwnedEntry.of(scope, AuditAction.STATE_DELETED, state.mode, at=now)
            transaction = self.table.transaction()
            transaction.delete(key_of(scope.owner_id, STATE))
            await add_entries(self.table, transaction, [entry])
            await self.table.write(transaction)
            return True

        return await self.table.repeated(attempt)


def put_state(transaction: Transaction, scope: Scope, state: UserState) -> None:
    """Store the mode of an owner in place of any before it."""
    transaction.put(
        {
            **key_of(scope.owner_id, STATE),
            "mode": state.mode,
            "updatedAt": time_text(state.updated_at),
        }
    )


def state_from(item: Mapping[str, Attribute]) -> UserState:
    """Read the item of a state."""
    return UserState(mode=str(item["mode"]), updated_at=time_from(item["updatedAt"]))


class DynamoProfiles(DynamoStore):
    """Implements `recollect.ports.profiles.ProfileStore`.

    A profile is one item: it has 256 KB at most, and its changes queue up.
    """

    async def change(self, scope: Scope, change: ProfileChange, *, now: datetime) -> ProfileItem:
        async def attempt() -> ProfileItem:
            await self.data.refuse_erased(scope.owner_id)
            profile = await read_profile(self, scope.owner_id)
            before = profile.values.get(change.key)
            text = change.text_after(profile.stored_key(change.key))
            profile.last_version += 1
            after = StoredValue(
                text, profile.last_version, before.created_at if before else now, now
            )
            profile.values[change.key] = after
            transaction = self.table.transaction()
            profile.put(transaction, scope.owner_id)
            self.data.claim_owner(scope, transaction)
            await self.table.write(transaction)
            return after.item(change.key)

        async with self.table.alone(scope.owner_id, PROFILE):
            return await self.table.repeated(attempt)

    async def list(
        self, scope: Scope, *, keys: Collection[str] | None = None
    ) -> tuple[ProfileItem, ...]:
        values = (await read_profile(self, scope.owner_id)).values
        chosen = values if keys is None else values.keys() & {*keys}
        return tuple(values[key].item(key) for key in sorted(chosen))

    async def delete(
        self, scope: Scope, key: str, *, version: int | None = None, now: datetime
    ) -> bool:
        async def attempt() -> bool:
            profile = await read_profile(self, scope.owner_id)
            if key not in profile.values:
                return False
            check_version(version, profile.values.pop(key).version)
            entry = OwnedEntry.of(scope, AuditAction.PROFILE_KEY_DELETED, key, at=now)
            await self._store(scope, profile, entry)
            return True

        return await self.table.repeated(attempt)

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        async def attempt() -> int:
            profile = await read_profile(self, scope.owner_id)
            count = len(profile.values)
            if count:
                profile.values.clear()
                action, target = AuditAction.PROFILE_CLEARED, scope.owner_id
                entry = OwnedEntry.of(scope, action, target, count=count, at=now)
                await self._store(scope, profile, entry)
            return count

        return await self.table.repeated(attempt)

    async def _store(self, scope: Scope, profile: "Profile", entry: OwnedEntry) -> None:
        transaction = self.table.transaction()
        profile.put(transaction, scope.owner_id)
        await add_entries(self.table, transaction, [entry])
        await self.table.write(transaction)


class StoredValue:
    """A value of a profile as JSON text."""

    __slots__ = ("created_at", "text", "updated_at", "version")

    def __init__(self, text: str, version: int, created_at: datetime, updated_at: datetime) -> None:
        self.text = text
        self.version = version
        self.created_at = created_at
        self.updated_at = updated_at

    def item(self, key: str) -> ProfileItem:
        """The value as callers get it."""
        return ProfileItem(
            key=key,
            value=json.loads(self.text),
            version=self.version,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


class Profile:
    """The values of a profile by key, and the version that was given last."""

    def __init__(self, stored: Item | None) -> None:
        self.read = version_of(stored)
        values = json_from(stored["values"]) if stored else {}
        self.values = {
            key: StoredValue(text, version, time_from(created), time_from(updated))
            for key, (text, version, created, updated) in values.items()
        }
        self.last_version = int(stored["lastVersion"]) if stored else 0

    def stored_key(self, key: str) -> StoredKey:
        """What the limits of a profile are checked against."""
        texts = {name: value.text for name, value in self.values.items()}
        stored = self.values.get(key)
        return StoredKey.among(texts, key, version=stored.version if stored else None)

    def put(self, transaction: Transaction, owner_id: UUID) -> None:
        """Store the profile on top of what was read."""
        values = {
            key: (one.text, one.version, time_text(one.created_at), time_text(one.updated_at))
            for key, one in self.values.items()
        }
        item: Item = {
            **key_of(owner_id, PROFILE),
            "values": json_text(values),
            "valueCount": len(values),
            "lastVersion": self.last_version,
        }
        transaction.put(item, read=self.read)


async def read_profile(store: DynamoStore, owner_id: UUID) -> Profile:
    """Read the profile of an owner; it is empty where nothing is stored."""
    return Profile(await store.table.get(owner_id, PROFILE))
