"""One table: items read and written with conditions, in pages, batches and transactions."""

import asyncio
import random
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from copy import copy
from functools import cached_property
from itertools import islice
from typing import Any, Final, Self, TypeVar
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from recollect.engines.dynamodb.table.client import ConditionFailed, DynamoClient
from recollect.engines.dynamodb.table.content import AsStored, ItemContent, KeyedContent, Sealed
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    decode,
    encode,
)
from recollect.engines.dynamodb.table.keys import (
    LAST,
    PARTITION,
    SORT,
    WORK_DUE,
    WORK_INDEX,
    WORK_QUEUE,
    key_of,
    name_of,
    queues_of,
)
from recollect.engines.dynamodb.table.transaction import (
    Transaction,
    condition_on,
    key_in,
    on_top_of,
)
from recollect.engines.owner_keys import OwnerKeys
from recollect.errors import DatabaseUnavailable

_READ_AT_ONCE: Final = 100
_WRITTEN_AT_ONCE: Final = 25
_ATTEMPTS: Final = 60
_LONGEST_PAUSE: Final = 0.5

Result = TypeVar("Result")


class Table:
    """The table of an engine. All reads are strongly consistent but those of indexes."""

    def __init__(
        self, client: DynamoClient, name: str, content: KeyedContent | None = None
    ) -> None:
        """Without `content`, nothing is encrypted."""
        self.client = client
        self.name = name
        self.content = KeyedContent(OwnerKeys()) if content is None else content
        self._content: ItemContent = self.content
        self._locks: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

    @cached_property
    def sealed(self) -> Self:
        """The same table, read without content: for what is about keys, states and times alone."""
        return self._with(Sealed())

    @cached_property
    def as_stored(self) -> Self:
        """The same table with content as it is stored, perhaps encrypted."""
        return self._with(AsStored())

    def _with(self, content: ItemContent) -> Self:
        table = copy(self)
        table._content = content  # noqa: SLF001  # its own
        return table

    def transaction(self) -> Transaction:
        """Begin a transaction; `write` does it."""
        return Transaction(self.name)

    async def write(self, transaction: Transaction) -> None:
        """Do everything in a transaction, or raise `ConditionFailed` and do nothing.

        Its token makes it safe to send it again: what was done stays done once. A single item is
        stored without one, at half the price; its condition keeps it from being done twice.
        """
        operations = await self._encoded(transaction.operations)
        if len(operations) == 1 and "Put" in operations[0]:
            await self.client.call("PutItem", operations[0]["Put"])
        elif operations:
            request = {"TransactItems": operations, "ClientRequestToken": str(uuid4())}
            await self.client.call("TransactWriteItems", request)

    async def _encoded(self, operations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The operations with items as they are stored."""
        puts = [one["Put"]["Item"] for one in operations if "Put" in one]
        items = iter(await self._content.stored(puts))
        return [
            {"Put": {**one["Put"], "Item": encode(next(items))}} if "Put" in one else one
            for one in operations
        ]

    async def _decoded(self, items: Iterable[Mapping[str, Any]]) -> Sequence[Item]:
        return await self._content.read([decode(item) for item in items])

    async def get(self, owner_id: UUID, sort: str) -> Item | None:
        """Return an item, or None."""
        request = {
            "TableName": self.name,
            "Key": encode(key_of(owner_id, sort)),
            "ConsistentRead": True,
        }
        answer = await self.client.call("GetItem", request)
        if "Item" not in answer:
            return None
        (item,) = await self._decoded([answer["Item"]])
        return item

    async def get_many(self, keys: Iterable[Item]) -> dict[tuple[str, str], Item]:
        """Return items by partition and sort key; those that are not there are left out."""
        wanted = {name_of(key): key for key in keys}
        found: dict[tuple[str, str], Item] = {}
        parts = [*in_parts(wanted.values(), _READ_AT_ONCE)]
        for items in await asyncio.gather(*map(self._get_batch, parts)):
            found |= {name_of(item): item for item in items}
        return found

    async def _get_batch(self, keys: Collection[Item]) -> list[Item]:
        waiting: Any = {
            self.name: {"Keys": [encode(key_in(key)) for key in keys], "ConsistentRead": True}
        }
        items: list[Item] = []
        for attempt in range(_ATTEMPTS):
            answer = await self.client.call("BatchGetItem", {"RequestItems": waiting})
            items += await self._decoded(answer["Responses"].get(self.name, ()))
            waiting = answer.get("UnprocessedKeys")
            if not waiting:
                return items
            await _pause(attempt)
        raise DatabaseUnavailable("DynamoDB leaves keys of a batch unprocessed")

    async def items(
        self,
        owner_id: UUID,
        first: str,
        last: str | None = None,
        *,
        is_descending: bool = False,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncIterator[Item]:
        """Yield the owner's items between two sort keys, or with a prefix, in their order.

        `limit` is how many are likely needed: so many are read at once. `after` is the sort key
        where an earlier reading ended.
        """
        end = first + LAST if last is None else last
        request: dict[str, Any] = {
            "TableName": self.name,
            "ConsistentRead": True,
            "KeyConditionExpression": f"{PARTITION} = :owner AND {SORT} BETWEEN :first AND :last",
            "ExpressionAttributeValues": encode(
                {":owner": str(owner_id), ":first": first, ":last": end}
            ),
            "ScanIndexForward": not is_descending,
        }
        if after is not None:
            request["ExclusiveStartKey"] = encode(key_of(owner_id, after))
        async for item in self._pages("Query", request, limit):
            yield item

    async def indexed(
        self,
        index: str,
        partition: tuple[str, str],
        condition: str = "",
        values: Mapping[str, Attribute] | None = None,
        *,
        is_descending: bool = False,
        limit: int | None = None,
    ) -> AsyncIterator[Item]:
        """Yield the keys that an index has in its order; what was just written may be missing."""
        name, value = partition
        request = {
            "TableName": self.name,
            "IndexName": index,
            "KeyConditionExpression": f"{name} = :partition{condition}",
            "ExpressionAttributeValues": encode({":partition": value, **(values or {})}),
            "ScanIndexForward": not is_descending,
        }
        async for item in self._pages("Query", request, limit):
            yield item

    async def waiting(
        self, kind: str, *, until: str | None = None, since: str | None = None, limit: int
    ) -> list[Item]:
        """Return the keys of what waits in a queue of all owners, the longest waiting first.

        `until` and `since` bound when it is due, both included.
        """
        condition, values = "", {}
        if until is not None or since is not None:
            condition = f" AND {WORK_DUE} BETWEEN :since AND :until"
            values = {":since": since or " ", ":until": until or LAST}
        return await self._waiting(kind, condition, values, limit)

    async def waiting_elsewhere(self, kind: str, due: str, *, limit: int) -> list[Item]:
        """Return the keys of what waits in a queue of all owners at any other due than this."""
        parts = [
            await self._waiting(kind, f" AND {WORK_DUE} {sign} :due", {":due": due}, limit)
            for sign in "<>"
        ]
        return [key for part in parts for key in part][:limit]

    async def _waiting(
        self, kind: str, condition: str, values: Mapping[str, Attribute], limit: int
    ) -> list[Item]:
        async def read(queue: str) -> list[Item]:
            found = []
            async for item in self.indexed(
                WORK_INDEX, (WORK_QUEUE, queue), condition, values, limit=limit
            ):
                found.append(item)
                if len(found) == limit:
                    break
            return found

        parts = await asyncio.gather(*map(read, queues_of(kind)))
        merged = [item for part in parts for item in part]
        merged.sort(key=lambda item: str(item[WORK_DUE]))
        return merged[:limit]

    async def _pages(
        self, operation: str, request: dict[str, Any], limit: int | None
    ) -> AsyncIterator[Item]:
        while True:
            if limit is not None:
                request["Limit"] = limit
            answer = await self.client.call(operation, request)
            for item in await self._decoded(answer["Items"]):
                yield item
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    async def delete_all(self, keys: Iterable[Item]) -> None:
        """Delete items that nobody reads any more, in batches; it may be repeated."""
        for part in in_parts(keys, _WRITTEN_AT_ONCE):
            requests = [{"DeleteRequest": {"Key": encode(key_in(key))}} for key in part]
            await self._write_batch(requests)

    async def _write_batch(self, requests: list[dict[str, Any]]) -> None:
        waiting: Any = {self.name: requests}
        for attempt in range(_ATTEMPTS):
            answer = await self.client.call("BatchWriteItem", {"RequestItems": waiting})
            waiting = answer.get("UnprocessedItems")
            if not waiting:
                return
            await _pause(attempt)
        raise DatabaseUnavailable("DynamoDB leaves writes of a batch unprocessed")

    async def put(self, item: Mapping[str, Attribute | None], *, read: int) -> None:
        """Store one item on top of the version that was read."""
        transaction = self.transaction()
        transaction.put(item, read=read)
        await self.write(transaction)

    async def update(
        self,
        key: Item,
        expression: str,
        values: Mapping[str, Attribute],
        *,
        condition: str,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Change one item in place if a condition on it holds; else raise `ConditionFailed`."""
        request = {
            "TableName": self.name,
            "Key": encode(key_in(key)),
            "UpdateExpression": expression,
            **condition_on(condition, values),
        }
        if names:
            request["ExpressionAttributeNames"] = dict(names)
        await self.client.call("UpdateItem", request)

    async def delete(self, key: Item, *, read: int | None = None) -> None:
        """Delete one item; if a version is given, only that one."""
        more = {} if read is None else on_top_of(read)
        request = {"TableName": self.name, "Key": encode(key_in(key)), **more}
        await self.client.call("DeleteItem", request)

    async def delete_if(self, key: Item, condition: str, values: Mapping[str, Attribute]) -> None:
        """Delete one item if a condition on it holds; else raise `ConditionFailed`."""
        request = {
            "TableName": self.name,
            "Key": encode(key_in(key)),
            **condition_on(condition, values),
        }
        await self.client.call("DeleteItem", request)

    async def repeated(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Read and write until nobody else has written in between."""
        for number in range(_ATTEMPTS):
            try:
                return await attempt()
            except ConditionFailed:
                await _pause(number)
        raise DatabaseUnavailable("too many writers change the same items of the table")

    @asynccontextmanager
    async def alone(self, *what: object) -> AsyncIterator[None]:
        """Let one writer of this process at a time at something.

        Writers of other processes are met by conditions; this keeps those of one from meeting.
        """
        lock = self._locks.setdefault(what, asyncio.Lock())
        async with lock:
            yield


def in_parts(items: Iterable[Result], size: int) -> Iterator[list[Result]]:
    """Yield lists of at most so many of the items."""
    left = iter(items)
    while part := list(islice(left, size)):
        yield part


async def _pause(attempt: int) -> None:
    longest = min(_LONGEST_PAUSE, 0.01 * 2**attempt)
    await asyncio.sleep(random.uniform(0, longest))  # noqa: S311  # no secret
