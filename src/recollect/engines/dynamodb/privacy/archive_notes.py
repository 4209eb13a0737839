"""Notes of archives that may have sessions of an owner, as items of the table."""

from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.store import NOT_ERASED, DynamoStore
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    ARCHIVES_PREFIX,
    OWNER,
    PARTITION,
    SORT,
    WORK_DUE,
    WORK_QUEUE,
    key_of,
    owner_of,
    queue_of,
)

_NOTES: Final = "archive"
"""The queue of all notes, each due at its archive."""
_MOST: Final = 100_000


class DynamoArchiveNotes(DynamoStore):
    """Implements `recollect.ports.privacy.archive.ArchiveNotes`."""

    async def add(
        self, scope: Scope, archive: str, *, now: datetime, claims_owner: bool = False
    ) -> bool:
        if await self._is_noted(scope.owner_id, archive):
            return True
        transaction = self.table.transaction()
        transaction.put(_note(scope.owner_id, archive, now))
        if claims_owner:
            self.data.claim_owner(scope, transaction)
        else:
            owner = key_of(scope.owner_id, OWNER)
            transaction.check(owner, f"attribute_exists({PARTITION}) AND {NOT_ERASED}")
        try:
            await self.table.write(transaction)
        except ConditionFailed:  # it is erased, or another writer was faster
            return await self._is_noted(scope.owner_id, archive)
        return True

    async def _is_noted(self, owner_id: UUID, archive: str) -> bool:
        """Whether it is noted for an owner who is not being erased."""
        if await self.table.get(owner_id, f"{ARCHIVES_PREFIX}{archive}") is None:
            return False
        owner = await self.table.get(owner_id, OWNER)
        return owner is not None and not owner.get("isBeingErased")

    async def of_owner(self, owner_id: UUID) -> tuple[str, ...]:
        notes = self.table.items(owner_id, ARCHIVES_PREFIX)
        return tuple([str(note[SORT]).removeprefix(ARCHIVES_PREFIX) async for note in notes])

    async def remove(self, owner_id: UUID, archive: str) -> None:
        await self.table.delete(key_of(owner_id, f"{ARCHIVES_PREFIX}{archive}"))

    async def replace(self, archive: str, *, by: str | None) -> int:
        keys = await self.table.waiting(_NOTES, since=archive, until=archive, limit=_MOST)
        return sum([await self._replace(key, by) for key in keys])

    async def _replace(self, key: Item, by: str | None) -> bool:
        """Replace one note; False, and nothing is noted, if it has gone in the meantime."""
        transaction = self.table.transaction()
        transaction.delete_found(key)
        if by is not None:
            transaction.put(_note(owner_of(key), by, self.clock.now()))
        try:
            await self.table.write(transaction)
        except ConditionFailed:
            return False
        return True


def _note(owner_id: UUID, archive: str, now: datetime) -> Item:
    return {
        **key_of(owner_id, f"{ARCHIVES_PREFIX}{archive}"),
        "notedAt": time_text(now),
        WORK_QUEUE: queue_of(_NOTES, owner_id),
        WORK_DUE: archive,
    }
