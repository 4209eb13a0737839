"""Creates the table and that of data keys, tells their state, and deletes them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from recollect.engines.dynamodb.table.client import DynamoClient, RequestRefused, TableMissing
from recollect.engines.dynamodb.table.keys import (
    BY_TIME,
    BY_TIME_INDEX,
    LAST_ACCESSED_INDEX,
    PARTITION,
    SORT,
    WORK_DUE,
    WORK_INDEX,
    WORK_QUEUE,
    keys_table,
)
from recollect.errors import DatabaseUnavailable

Indexes: TypeAlias = Mapping[str, tuple[str, str]]
"""The partition and sort keys of a table's indexes; each has the keys of its items alone."""
INDEXES: Final = {
    LAST_ACCESSED_INDEX: (PARTITION, "lastAccessed"),
    BY_TIME_INDEX: (PARTITION, BY_TIME),
    WORK_INDEX: (WORK_QUEUE, WORK_DUE),
}
KEY_INDEXES: Final = {WORK_INDEX: INDEXES[WORK_INDEX]}
"""Those of the table of data keys."""
TTL_ATTRIBUTE: Final = "ttl"
_WAITS: Final = 150
_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What is known about the table."""

    status: str
    """ACTIVE once it can be used."""
    item_count: int
    """As DynamoDB counts, every six hours or so."""
    size_bytes: int
    missing_indexes: tuple[str, ...]
    expires_items: bool
    """Whether DynamoDB deletes sessions whose `ttl` has passed."""
    is_protected: bool
    """Whether the table is protected from deletion."""
    has_point_in_time_recovery: bool
    has_key_table: bool
    """Whether the table of data keys is there, which MEMORY_ENCRYPTION_KEY needs."""

    @property
    def is_usable(self) -> bool:
        """Whether the engine can work on it."""
        return self.status == "ACTIVE" and not self.missing_indexes


def table_definition(
    name: str, *, indexes: Indexes = INDEXES, is_protected: bool = True
) -> dict[str, Any]:
    """The request that creates a table."""
    attributes = sorted({PARTITION, SORT, *(a for keys in indexes.values() for a in keys)})
    return {
        "TableName": name,
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": "S"} for attribute in attributes
        ],
        "KeySchema": _schema(PARTITION, SORT),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index,
                "KeySchema": _schema(*keys),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index, keys in indexes.items()
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "DeletionProtectionEnabled": is_protected,
        "SSESpecification": {"Enabled": True, "SSEType": "KMS"},
    }


def _schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


async def create_tables(
    client: DynamoClient,
    name: str,
    *,
    is_protected: bool = True,
    has_point_in_time_recovery: bool = False,
    is_encrypted_by_kms: bool = False,
    poll_seconds: float = _SECONDS,
) -> bool:
    """Create the table and that of data keys, unless they are there; whether the first was new.

    Data keys have no point-in-time recovery: one that is destroyed must be gone.
    """
    create = partial(
        create_table,
        client,
        is_protected=is_protected,
        is_encrypted_by_kms=is_encrypted_by_kms,
        poll_seconds=poll_seconds,
    )
    await create(keys_table(name), indexes=KEY_INDEXES)
    is_new = await create(name)
    await _expire_items(client, name)
    if has_point_in_time_recovery:
        request = {
            "TableName": name,
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        }
        await client.call("UpdateContinuousBackups", request)
    return is_new


async def create_table(
    client: DynamoClient,
    name: str,
    *,
    indexes: Indexes = INDEXES,
    is_protected: bool = True,
    is_encrypted_by_kms: bool = False,
    poll_seconds: float = _SECONDS,
) -> bool:
    """Create a table with its indexes, unless it is there; return whether it was created.

    What is missing of an existing table's settings is set, so that it may be repeated.
    """
    definition = table_definition(name, indexes=indexes, is_protected=is_protected)
    if not is_encrypted_by_kms:
        del definition["SSESpecification"]  # encrypted by a key of Amazon's own, without a price
    is_new = await _is_missing(client, name)
    if is_new:
        await client.call("CreateTable", definition)
    await _wait(client, name, poll_seconds)
    if not is_new and is_protected:
        await client.call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": True})
        await _wait(client, name, poll_seconds)
    return is_new


async def _is_missing(client: DynamoClient, name: str) -> bool:
    try:
        await client.call("DescribeTable", {"TableName": name})
    except TableMissing:
        return True
    return False


async def _wait(client: DynamoClient, name: str, poll_seconds: float) -> None:
    for _ in range(_WAITS):
        table = (await client.call("DescribeTable", {"TableName": name}))["Table"]
        indexes = table.get("GlobalSecondaryIndexes", ())
        states = {table["TableStatus"], *(one.get("IndexStatus", "ACTIVE") for one in indexes)}
        if states == {"ACTIVE"}:
            return
        await asyncio.sleep(poll_seconds)
    raise DatabaseUnavailable(f"the table {name} has not become active")


async def _expire_items(client: DynamoClient, name: str) -> None:
    described = await client.call("DescribeTimeToLive", {"TableName": name})
    status = described["TimeToLiveDescription"].get("TimeToLiveStatus")
    if status not in {"ENABLED", "ENABLING"}:
        wanted = {"Enabled": True, "AttributeName": TTL_ATTRIBUTE}
        request = {"TableName": name, "TimeToLiveSpecification": wanted}
        await client.call("UpdateTimeToLive", request)


async def table_state(client: DynamoClient, name: str) -> TableState | None:
    """Return the state of the table, or None if there is none."""
    try:
        table = (await client.call("DescribeTable", {"TableName": name}))["Table"]
    except TableMissing:
        return None
    ttl = await client.call("DescribeTimeToLive", {"TableName": name})
    indexes = {one["IndexName"] for one in table.get("GlobalSecondaryIndexes", ())}
    return TableState(
        status=table["TableStatus"],
        item_count=int(table.get("ItemCount", 0)),
        size_bytes=int(table.get("TableSizeBytes", 0)),
        missing_indexes=tuple(sorted(INDEXES.keys() - indexes)),
        expires_items=ttl["TimeToLiveDescription"].get("TimeToLiveStatus") == "ENABLED",
        is_protected=bool(table.get("DeletionProtectionEnabled")),
        has_point_in_time_recovery=await _has_recovery(client, name),
        has_key_table=not await _is_missing(client, keys_table(name)),
    )


async def _has_recovery(client: DynamoClient, name: str) -> bool:
    try:
        answer = await client.call("DescribeContinuousBackups", {"TableName": name})
    except RequestRefused:
        return False  # a role that may use the table need not see its backups
    backups = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    return bool(backups.get("PointInTimeRecoveryStatus") == "ENABLED")


async def delete_tables(client: DynamoClient, name: str) -> bool:
    """Delete the table with everything in it, and the data keys; return whether there was one."""
    await delete_table(client, keys_table(name))
    return await delete_table(client, name)


async def delete_table(client: DynamoClient, name: str) -> bool:
    """Delete a table with everything in it; return whether there was one."""
    if await _is_missing(client, name):
        return False
    request = {"TableName": name, "DeletionProtectionEnabled": False}
    await client.call("UpdateTable", request)
    await client.call("DeleteTable", {"TableName": name})
    return True
