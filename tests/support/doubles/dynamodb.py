"""A table in this process that answers as DynamoDB does, for what servers are too slow for.

It knows what the engine sends: its expressions, conditions, transactions, pages and indexes. Each
request may take a moment, so that writers meet; a transaction is done whole or not at all, and is
refused where DynamoDB would refuse its size.
"""

import asyncio
import random
import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.data_keys import memory_table
from recollect.engines.dynamodb.table.items import Item, decode, encode, size_of
from recollect.engines.dynamodb.table.keys import PARTITION, SORT
from recollect.engines.dynamodb.table.provisioning import INDEXES
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import MAX_OPERATIONS
from recollect.engines.owner_keys import OwnerKeys

LARGEST = 400 * 1024
"""The most bytes of an item."""
LARGEST_WRITE = 4 * 2**20
"""The most bytes of a transaction."""
PAGE = 1_000_000
"""The most bytes that a query reads."""
KEYS = {None: (PARTITION, SORT), **INDEXES}
Request = Mapping[str, Any]
Name = tuple[str, str, str]
"""The table of an item, and its key."""
Place = tuple[str, str, str]
"""What an item is sorted by, and its key."""


class DynamoDouble:
    """Stands in for a `DynamoClient`."""

    region = "nowhere"

    def __init__(self, *, longest_wait: float = 0.0) -> None:
        self._items: dict[Name, Item] = {}
        self._sorted: defaultdict[tuple[str, str | None, str], list[Place]] = defaultdict(list)
        self._longest_wait = longest_wait

    async def call(self, operation: str, request: Request) -> dict[str, Any]:
        """Answer a request after a random moment."""
        await asyncio.sleep(random.uniform(0, self._longest_wait))  # noqa: S311  # no secret
        answer: dict[str, Any] = getattr(self, f"_{operation}")(request)
        return answer

    def dump(self, table: str = "double") -> list[Item]:
        """All items of a table as they are stored."""
        return [dict(item) for name, item in self._items.items() if name[0] == table]

    def restore(self, items: Iterable[Item], table: str = "double") -> None:
        """Put items in the place of those with their keys, as a backup that is restored does."""
        for item in items:
            self._store(_name(table, item), dict(item))

    def _GetItem(self, request: Request) -> dict[str, Any]:  # noqa: N802  # DynamoDB's name
        item = self._items.get(_name(request["TableName"], decode(request["Key"])))
        return {} if item is None else {"Item": encode(item)}

    def _BatchGetItem(self, request: Request) -> dict[str, Any]:  # noqa: N802
        ((table, asked),) = request["RequestItems"].items()
        assert 0 < len(asked["Keys"]) <= 100, "DynamoDB reads no more at once"
        found = [self._items.get(_name(table, decode(key))) for key in asked["Keys"]]
        return {"Responses": {table: [encode(item) for item in found if item is not None]}}

    def _PutItem(self, request: Request) -> dict[str, Any]:  # noqa: N802
        return self._write([{"Put": request}])

    def _UpdateItem(self, request: Request) -> dict[str, Any]:  # noqa: N802
        return self._write([{"Update": request}])

    def _DeleteItem(self, request: Request) -> dict[str, Any]:  # noqa: N802
        return self._write([{"Delete": request}])

    def _TransactWriteItems(self, request: Request) -> dict[str, Any]:  # noqa: N802
        return self._write(request["TransactItems"])

    def _BatchWriteItem(self, request: Request) -> dict[str, Any]:  # noqa: N802
        for table, operations in request["RequestItems"].items():
            assert 0 < len(operations) <= 25, "DynamoDB writes no more at once"
            for one in operations:
                self._store(_name(table, decode(one["DeleteRequest"]["Key"])), None)
        return {}

    def _write(self, operations: list[Request]) -> dict[str, Any]:
        assert len(operations) <= MAX_OPERATIONS, "DynamoDB takes no more at once"
        asked = [each for one in operations for each in one.values()]
        names = [
            _name(each["TableName"], decode(each.get("Key") or each["Item"])) for each in asked
        ]
        assert len(names) == len({*names}), "DynamoDB takes an item once"
        items = [decode(each["Item"]) for each in asked if "Item" in each]
        assert sum(map(size_of, items)) <= LARGEST_WRITE, "DynamoDB takes no more bytes at once"
        changes: dict[Name, Item | None] = {}
        failed: list[int] = []
        for at, one in enumerate(operations):
            ((kind, change),) = one.items()
            name = names[at]
            before = self._items.get(name)
            if not _holds(change, before):
                failed.append(at)
            elif kind == "Put":
                changes[name] = decode(change["Item"])
            elif kind == "Update":
                changes[name] = _updated(change, before or decode(change["Key"]))
            elif kind == "Delete":
                changes[name] = None
        if failed:
            raise ConditionFailed(failed)
        for name, item in changes.items():
            self._store(name, item)
        return {}

    def _store(self, name: Name, item: Item | None) -> None:
        assert item is None or size_of(item) <= LARGEST, "DynamoDB takes no larger item"
        before = self._items.pop(name, None)
        for index, keys in KEYS.items():
            for one, change in ((before, _remove), (item, insort)):
                if one is not None and all(key in one for key in keys):
                    places = self._sorted[name[0], index, str(one[keys[0]])]
                    change(places, (str(one[keys[1]]), *name[1:]))
        if item is not None:
            self._items[name] = item

    def _Query(self, request: Request) -> dict[str, Any]:  # noqa: N802
        index = request.get("IndexName")
        values = decode(request["ExpressionAttributeValues"])
        partition, *bounds = re.findall(r":\w+", request["KeyConditionExpression"])
        table = request["TableName"]
        places = self._sorted[table, index, str(values[partition])]
        first, last = 0, len(places)
        if len(bounds) == 1:
            bound = str(values[bounds[0]])
            if f"< {bounds[0]}" in request["KeyConditionExpression"]:
                last = bisect_left(places, (bound,))
            else:
                first = bisect_right(places, (bound, "\U0010ffff"))
        elif bounds:
            low, high = bounds
            first = bisect_left(places, (str(values[low]),))
            last = bisect_right(places, (str(values[high]), "\U0010ffff"))
        is_forward = request["ScanIndexForward"]
        if "ExclusiveStartKey" in request:
            start = decode(request["ExclusiveStartKey"])
            place = (str(start[KEYS[index][1]]), *_name(table, start)[1:])
            at = bisect_left(places, place)
            first, last = (max(first, at + 1), last) if is_forward else (first, min(last, at))
        chosen = range(first, last) if is_forward else range(last - 1, first - 1, -1)
        return self._page(table, index, places, chosen, request.get("Limit"))

    def _page(
        self,
        table: str,
        index: str | None,
        places: list[Place],
        chosen: range,
        limit: int | None,
    ) -> dict[str, Any]:
        found: list[Item] = []
        size = 0
        for at in chosen:
            item = self._items[table, places[at][1], places[at][2]]
            if index is not None:
                item = {name: item[name] for name in (PARTITION, SORT, *KEYS[index])}
            found.append(item)
            size += size_of(item)
            if size > PAGE or len(found) == limit:
                break
        answer: dict[str, Any] = {"Items": [encode(item) for item in found]}
        if len(found) < len(chosen):
            last = found[-1]
            keys = {name: last[name] for name in (PARTITION, SORT, *KEYS[index])}
            answer["LastEvaluatedKey"] = encode(keys)
        return answer


def a_double(*, longest_wait: float = 0.0, keys: OwnerKeys | None = None) -> Table:
    """A table that nobody else has; with `keys`, its content is encrypted."""
    client: Any = DynamoDouble(longest_wait=longest_wait)
    return memory_table(client, "double", keys or OwnerKeys())


def _name(table: str, item: Item) -> Name:
    return table, str(item[PARTITION]), str(item[SORT])


def _remove(places: list[Place], place: Place) -> None:
    del places[bisect_left(places, place)]


def _holds(asked: Request, item: Item | None) -> bool:
    condition = asked.get("ConditionExpression")
    values, names = decode(asked.get("ExpressionAttributeValues", {})), _names(asked)
    return condition is None or any(
        all(_is_true(one, item or {}, values, names) for one in part.split(" AND "))
        for part in str(condition).split(" OR ")
    )


def _names(asked: Request) -> Mapping[str, str]:
    names: Mapping[str, str] = asked.get("ExpressionAttributeNames", {})
    return names


def _is_true(condition: str, item: Item, values: Item, names: Mapping[str, str]) -> bool:
    if called := re.fullmatch(r"attribute_(not_)?exists\((\w+)\)", condition.strip()):
        return (called[2] in item) != bool(called[1])
    name, sign, value = condition.split()
    name = names.get(name, name)
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b,
        "<": lambda a, b: a < b,
    }
    return name in item and compare[sign](item[name], values[value])


def _updated(asked: Request, before: Item) -> Item:
    item, names = dict(before), _names(asked)
    values = decode(asked.get("ExpressionAttributeValues", {}))
    clauses = re.split(r"\b(SET|ADD|REMOVE) ", asked["UpdateExpression"])[1:]
    for kind, text in zip(clauses[::2], clauses[1::2], strict=True):
        for change in re.split(r",\s*(?![^(]*\))", text.strip()):
            target, *rest = change.replace("=", " ").split(maxsplit=1)
            name = names.get(target, target)
            if kind == "REMOVE":
                item.pop(name, None)
            elif kind == "ADD":
                item[name] = int(item.get(name, 0)) + int(values[rest[0].strip()])
            else:
                kept = re.match(r"if_not_exists\(([#\w]+), (:\w+)\)", rest[0].strip())
                item[name] = (
                    item.get(names.get(kept[1], kept[1]), values[kept[2]])
                    if kept
                    else values[rest[0].strip()]
                )
    return item
