"""Writes that are done together, and the conditions under which writes are done."""

from collections.abc import Mapping
from typing import Any, Final

from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    encode,
    encode_value,
    size_of,
)
from recollect.engines.dynamodb.table.keys import PARTITION, SORT

MAX_OPERATIONS: Final = 100
"""The most items of one transaction."""
MAX_BYTES: Final = 3_500_000
"""The most bytes of one transaction, below the 4 MB that DynamoDB takes with its own overhead."""
VERSION: Final = "itemVersion"
"""Grows with every change of an item that is changed as it was read."""
_EXISTS: Final = f"attribute_exists({PARTITION})"
_EXISTS_NOT: Final = f"attribute_not_exists({PARTITION})"


class Transaction:
    """Writes that are done together or not at all; no two of them touch the same item."""

    def __init__(self, table: str) -> None:
        self._table = table
        self.operations: list[dict[str, Any]] = []
        """Requests whose items are not encoded yet: their content may have to be encrypted."""
        self.size = 0

    def put(self, item: Mapping[str, Attribute | None], *, read: int | None = None) -> None:
        """Store an item; if the version is given that was read, 0 for none, only on top of that."""
        self.size += size_of(item)
        if read is None:
            self._add("Put", Item=item)
            return
        stored = {**item, VERSION: read + 1}
        self._add("Put", Item=stored, **on_top_of(read))

    def put_new(self, item: Mapping[str, Attribute | None]) -> None:
        """Store an item that must not be there yet."""
        self.size += size_of(item)
        self._add("Put", Item=item, ConditionExpression=_EXISTS_NOT)

    def put_if(
        self,
        item: Mapping[str, Attribute | None],
        condition: str,
        values: Mapping[str, Attribute] | None = None,
    ) -> None:
        """Store an item if a condition on the one before holds."""
        self.size += size_of(item)
        self._add("Put", Item=item, **condition_on(condition, values))

    def delete(self, key: Item, *, read: int | None = None) -> None:
        """Delete an item; if a version is given, only that one."""
        self._add("Delete", Key=encode(key_in(key)), **({} if read is None else on_top_of(read)))

    def delete_found(self, key: Item) -> None:
        """Delete an item that must be there."""
        self._add("Delete", Key=encode(key_in(key)), ConditionExpression=_EXISTS)

    def update(
        self,
        key: Item,
        expression: str,
        values: Mapping[str, Attribute],
        *,
        condition: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Change an item in place, which is made if it is not there."""
        more: dict[str, Any] = {"UpdateExpression": expression}
        if condition is not None:
            more["ConditionExpression"] = condition
        if names:
            more["ExpressionAttributeNames"] = dict(names)
        more["ExpressionAttributeValues"] = {
            name: encode_value(value) for name, value in values.items()
        }
        self._add("Update", Key=encode(key_in(key)), **more)

    def check(
        self, key: Item, condition: str, values: Mapping[str, Attribute] | None = None
    ) -> None:
        """Require something of an item that stays as it is."""
        self._add("ConditionCheck", Key=encode(key_in(key)), **condition_on(condition, values))

    def check_version(self, key: Item, read: int) -> None:
        """Require that an item is as it was read."""
        self._add("ConditionCheck", Key=encode(key_in(key)), **on_top_of(read))

    @property
    def fits(self) -> bool:
        """Whether DynamoDB takes so many and so large items at once."""
        return len(self.operations) <= MAX_OPERATIONS and self.size <= MAX_BYTES

    def _add(self, kind: str, **operation: Any) -> None:  # noqa: ANN401  # the request's own form
        self.operations.append({kind: {"TableName": self._table, **operation}})


def key_in(item: Mapping[str, Attribute]) -> Item:
    """The key alone of an item."""
    return {PARTITION: item[PARTITION], SORT: item[SORT]}


def on_top_of(read: int) -> dict[str, Any]:
    """The condition that an item has the version that was read; 0: that there is none."""
    if read == 0:
        return {"ConditionExpression": _EXISTS_NOT}
    return {
        "ConditionExpression": f"{VERSION} = :read",
        "ExpressionAttributeValues": encode({":read": read}),
    }


def condition_on(condition: str, values: Mapping[str, Attribute] | None) -> dict[str, Any]:
    """A condition with the values that it names."""
    named = {"ExpressionAttributeValues": encode(values)} if values else {}
    return {"ConditionExpression": condition, **named}


def version_of(item: Mapping[str, Attribute] | None) -> int:
    """The version of an item that was read; 0 where there is none."""
    return 0 if item is None else int(item[VERSION])
