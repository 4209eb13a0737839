"""Profiles in memory."""

import json
from collections.abc import Collection
from datetime import datetime

from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import (
    ProfileChange,
    ProfileItem,
    StoredKey,
    check_version,
)
from recollect.engines.in_memory.data import InMemoryStore, StoredProfile, StoredValue


class InMemoryProfiles(InMemoryStore):
    """Implements `recollect.ports.profiles.ProfileStore`."""

    async def change(self, scope: Scope, change: ProfileChange, *, now: datetime) -> ProfileItem:
        profile = self.data.claimed_by(scope).profile
        text = change.text_after(_stored_key(profile, change.key))
        before = profile.values.get(change.key)
        profile.last_version += 1
        after = StoredValue(
            text=text,
            version=profile.last_version,
            created_at=before.created_at if before else now,
            updated_at=now,
        )
        profile.values[change.key] = after
        return _item(change.key, after)

    async def list(
        self, scope: Scope, *, keys: Collection[str] | None = None
    ) -> tuple[ProfileItem, ...]:
        values = self.data.of(scope.owner_id).profile.values
        chosen = values if keys is None else values.keys() & {*keys}
        return tuple(_item(key, values[key]) for key in sorted(chosen))

    async def delete(
        self, scope: Scope, key: str, *, version: int | None = None, now: datetime
    ) -> bool:
        values = self.data.of(scope.owner_id).profile.values
        if key not in values:
            return False
        check_version(version, values[key].version)
        del values[key]
        self.data.audit(scope, AuditAction.PROFILE_KEY_DELETED, key, now=now)
        return True

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        values = self.data.of(scope.owner_id).profile.values
        count = len(values)
        values.clear()
        if count:
            self.data.audit(
                scope, AuditAction.PROFILE_CLEARED, scope.owner_id, count=count, now=now
            )
        return count


def _stored_key(profile: StoredProfile, key: str) -> StoredKey:
    texts = {name: value.text for name, value in profile.values.items()}
    stored = profile.values.get(key)
    return StoredKey.among(texts, key, version=stored.version if stored else None)


def _item(key: str, stored: StoredValue) -> ProfileItem:
    return ProfileItem(
        key=key,
        value=json.loads(stored.text),
        version=stored.version,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )
