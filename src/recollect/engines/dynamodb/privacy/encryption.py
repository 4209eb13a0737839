"""What is encrypted: counted, encrypted later, and its keys rewrapped and destroyed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.erasure.erasure import ENCRYPTION, Counts, Erasure, ErasureKind
from recollect.domain.identity.scope import SYSTEM_TENANT
from recollect.engines.dynamodb.conversations.store import DynamoStore
from recollect.engines.dynamodb.privacy.erasure import DynamoErasures
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.content import (
    CONTENT_KINDS,
    content_of,
    encrypted_attributes,
    encrypted_content,
    plain_content,
)
from recollect.engines.dynamodb.table.data_keys import (
    KeyItems,
    destroyed_at,
)
from recollect.engines.dynamodb.table.items import Item, time_from, time_text
from recollect.engines.dynamodb.table.keys import LAST, OWNER, SORT, key_of, name_of, owner_of
from recollect.engines.dynamodb.table.table import Table
from recollect.errors import ErasureUnderWay, Unavailable
from recollect.ports.privacy.encryption import KeyWrapper, OwnerCipher, RowCounts
from recollect.ports.runtime import Clock

_FIRST: Final = " "
_PAGE: Final = 100
_TRIES: Final = 5
"""How often an item is read again that others change all the time, or an index that is behind."""
_BEHIND_SECONDS: Final = 0.2


class DynamoCiphers:
    """Implements `recollect.ports.privacy.encryption.OwnerCiphers` with the keys of a table."""

    def __init__(self, table: Table) -> None:
        self._content = table.content

    @property
    def is_on(self) -> bool:
        """Whether content is encrypted when it is stored."""
        return self._content.keys.is_on

    async def find(self, owner_id: UUID) -> OwnerCipher | None:
        """Return the owner's cipher, or None."""
        return await self._content.find(owner_id)

    async def find_or_create(self, owner_id: UUID) -> OwnerCipher:
        """Return the cipher that the owner's content is to be encrypted with now."""
        return await self._content.cipher(owner_id)


class DynamoEncryptionStore(DynamoStore):
    """Implements `recollect.ports.privacy.encryption.EncryptionStore`.

    The tables that it counts are kinds of items.
    """

    def __init__(self, table: Table, clock: Clock, keys: KeyItems) -> None:
        super().__init__(table, clock)
        self._keys = keys

    async def key_counts(self) -> Mapping[str, int]:
        return await self._keys.count_by_master()

    @property
    def master_key_id(self) -> str:
        return self._wrapper.current_id

    @property
    def _wrapper(self) -> KeyWrapper:
        wrapper = self.table.content.keys.wrapper
        assert wrapper is not None  # noqa: S101  # there is no such store without one
        return wrapper

    async def rewrap_some(self, *, limit: int) -> Mapping[str, int]:
        for _ in range(_TRIES):
            keys = await self._wrapped_by_others(limit)
            changed = await self._rewrap(keys)
            if changed or not keys:
                return await self._by_tenant(changed)
            await asyncio.sleep(_BEHIND_SECONDS)
        return {}

    async def _wrapped_by_others(self, limit: int) -> list[Item]:
        """Keys that the index says another master key wraps than the current one."""
        current = self.master_key_id
        before = await self._keys.by_master(until=f"{current}#", limit=limit)
        after = await self._keys.by_master(since=f"{current}#{LAST}", limit=limit)
        return [*before, *after][:limit]

    async def _rewrap(self, keys: list[Item]) -> list[UUID]:
        """Wrap keys by the current master key; the owners of those that were not yet."""
        done: list[UUID] = []
        for item, wrapped in await self._keys.read(keys):
            if wrapped.master_key_id != self.master_key_id:
                owner_id = owner_of(item)
                if await self._keys.rewrap(item, self._wrapper.rewrap(owner_id, wrapped)):
                    done.append(owner_id)
        return done

    async def _by_tenant(self, owner_ids: Sequence[UUID]) -> Mapping[str, int]:
        keys = [key_of(owner_id, OWNER) for owner_id in owner_ids]
        owners = await self.table.get_many(keys) if keys else {}
        tenants = {name: str(item["tenant"]) for name, item in owners.items()}
        return Counter(tenants.get(name_of(key), SYSTEM_TENANT) for key in keys)

    async def count_rows(self, owner_id: UUID) -> AsyncIterator[tuple[str, RowCounts]]:
        for kind in CONTENT_KINDS:
            yield kind, RowCounts()
        async for item in self.table.as_stored.items(owner_id, _FIRST, LAST, limit=_PAGE):
            kind_of_item = content_of(str(item[SORT]))[0]
            if kind_of_item is not None and plain_content(item):
                yield kind_of_item, RowCounts(plain=1)
            elif kind_of_item is not None and encrypted_content(item):
                yield kind_of_item, RowCounts(encrypted=1)

    async def encrypt_rows(self, owner_id: UUID) -> AsyncIterator[int]:
        items = self.table.as_stored.items(owner_id, _FIRST, LAST, limit=_PAGE)
        try:
            async for item in items:
                if plain_content(item):
                    yield await self._encrypt(item)
        except ErasureUnderWay:
            return

    async def _encrypt(self, item: Item) -> int:
        """Encrypt an item in place, as it was read; how many were."""
        found: Item | None = item
        for _ in range(_TRIES):
            if found is None or not (plain := plain_content(found)):
                return 0
            cipher = await self.table.content.cipher(owner_of(found))
            work = partial(encrypted_attributes, cipher, found)
            encrypted = await off_loop(work, characters=sum(map(len, plain.values())))
            try:
                await self._replace(found, plain, encrypted)
            except ConditionFailed:
                found = await self.table.as_stored.get(owner_of(item), str(item[SORT]))
            else:
                return 1
        raise Unavailable("items of an owner change too fast; encrypt again")

    async def _replace(
        self, item: Item, plain: Mapping[str, str], encrypted: Mapping[str, bytes]
    ) -> None:
        """Put encrypted attributes in the place of plain ones, if these are as they were read."""
        numbers = {name: number for number, name in enumerate(plain)}
        await self.table.update(
            item,
            "SET " + ", ".join(f"#a{at} = :new{at}" for at in numbers.values()),
            {
                **{f":new{at}": encrypted[name] for name, at in numbers.items()},
                **{f":old{at}": plain[name] for name, at in numbers.items()},
            },
            condition=" AND ".join(f"#a{at} = :old{at}" for at in numbers.values()),
            names={f"#a{at}": name for name, at in numbers.items()},
        )

    def forget(self, owner_id: UUID) -> None:
        """See `OwnerCache.forget`."""
        self.table.content.keys.forget(owner_id)


class DynamoDataKeys(DynamoStore):
    """Destroys an owner's data key, which makes copies of what it encrypted unreadable."""

    def __init__(self, table: Table, clock: Clock, keys: KeyItems) -> None:
        super().__init__(table, clock)
        self._keys = keys

    @property
    def name(self) -> str:
        return ENCRYPTION

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:  # noqa: ARG002  # one key
        item = await self._item(erasure)
        if item is None:
            return False
        now = self.clock.now()
        destroyed = destroyed_at(item)
        if destroyed is None:
            await self._keys.destroy(item, at=time_text(now))
        self.table.content.keys.forget(erasure.owner_id)
        await DynamoErasures(self.table, self.clock).change(erasure, _count_key)
        held = timedelta(seconds=2 * self.table.content.keys.fresh_seconds)
        if destroyed is not None and time_from(destroyed) < now - held:
            await self._keys.delete(item)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        if erasure.request.kind is not ErasureKind.EVERYTHING:
            return {}
        return {"data_keys": int(await self._item(erasure) is not None)}

    async def _item(self, erasure: Erasure) -> Item | None:
        if erasure.request.kind is not ErasureKind.EVERYTHING:
            return None
        return await self._keys.item(erasure.owner_id)


def _count_key(erasure: Erasure) -> Erasure:
    """An owner has one key: counted again after a crash, it is still one."""
    return replace(erasure, counts={**erasure.counts, ENCRYPTION: {"data_keys": 1}})
