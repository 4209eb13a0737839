"""Profiles in PostgreSQL."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from asyncpg import Record

from recollect.concurrency import off_loop
from recollect.domain.identity.accounts import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.profile.profile import (
    ProfileChange,
    ProfileItem,
    StoredKey,
    check_version,
)
from recollect.engines.postgres.accounts import record
from recollect.engines.postgres.connection.database import PostgresStore


class PostgresProfileStore(PostgresStore):
    """Keeps values in the table `profile_values`, and locks the owner's row of `profiles`."""

    async def change(self, scope: Scope, change: ProfileChange, *, now: datetime) -> ProfileItem:
        user = {"tenant_id": scope.tenant, "user_id": scope.user}
        async with self._database.transaction(scope.owner_id) as transaction:
            version = await transaction.value("begin_profile_change", **user, now=now)
            # A statement of its own: it sees what the one before it waited for.
            (found,) = await transaction.rows("find_profile_key", key=change.key)
            stored = StoredKey(**found)
            characters = len(change.text) + len(stored.text or "")
            text = await off_loop(partial(change.text_after, stored), characters=characters)
            created_at = await transaction.value(
                "put_profile_value",
                key=change.key,
                value=text,
                size=len(text.encode()),
                version=version,
                now=now,
            )
        value = await off_loop(partial(json.loads, text), characters=len(text))
        return ProfileItem(
            key=change.key, value=value, version=version, created_at=created_at, updated_at=now
        )

    async def list(
        self, scope: Scope, *, keys: Collection[str] | None = None
    ) -> tuple[ProfileItem, ...]:
        chosen = None if keys is None else [*keys]
        rows = await self._database.read("list_profile", owner_id=scope.owner_id, keys=chosen)
        characters = sum(len(row["value"]) for row in rows)
        return await off_loop(partial(_items_from, rows), characters=characters)

    async def delete(
        self, scope: Scope, key: str, *, version: int | None = None, now: datetime
    ) -> bool:
        async with self._database.transaction(scope.owner_id) as transaction:
            if await transaction.value("delete_profile_value", key=key, version=version):
                await record(transaction, scope, AuditAction.PROFILE_KEY_DELETED, key, now=now)
                return True
            current = await transaction.value("version_of_profile_key", key=key)
            if current is not None:
                check_version(version, current)
        return False

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        async with self._database.transaction(scope.owner_id) as transaction:
            count = int(await transaction.value("clear_profile"))
            if count:
                action = AuditAction.PROFILE_CLEARED
                await record(transaction, scope, action, scope.owner_id, count=count, now=now)
        return count


def _items_from(rows: Sequence[Record]) -> tuple[ProfileItem, ...]:
    return tuple(ProfileItem(**{**row, "value": json.loads(row["value"])}) for row in rows)
