"""The key that signs receipts, where none is set."""

from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.engines.dynamodb.conversations.store import (
    DynamoStore,
)
from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Item, time_text
from recollect.engines.dynamodb.table.keys import (
    key_of,
)

_SYSTEM: Final = UUID(int=0)
_RECEIPT_KEY: Final = "@receiptkey"


class DynamoReceiptKeys(DynamoStore):
    """Implements `recollect.ports.privacy.erasure.ReceiptKeys`."""

    async def key(self, new: bytes, *, now: datetime) -> bytes:
        stored = await self.table.get(_SYSTEM, _RECEIPT_KEY)
        if stored is None:
            transaction = self.table.transaction()
            item: Item = {**key_of(_SYSTEM, _RECEIPT_KEY), "key": new, "createdAt": time_text(now)}
            transaction.put_new(item)
            try:
                await self.table.write(transaction)
            except ConditionFailed:
                stored = await self.table.get(_SYSTEM, _RECEIPT_KEY)
        return new if stored is None else bytes(stored["key"])  # type: ignore[arg-type]
