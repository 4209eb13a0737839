"""Adds entries to the chains of the audit log, in the transaction of what they tell of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from recollect.domain.identity.audit import AuditChain, AuditEntry, ChainedEntry, OwnedEntry
from recollect.domain.identity.scope import TenantScope
from recollect.engines.dynamodb.table.items import (
    Attribute,
    Item,
    json_from,
    json_text,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import (
    CHAIN,
    WORK_DUE,
    WORK_QUEUE,
    audit_key,
    key_of,
    owner_of,
    queue_of,
)
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import Transaction, version_of

CHAINS: Final = "chain"
"""The queue of all chains, each due at its tenant and owner."""


async def add_entries(
    table: Table, transaction: Transaction, entries: Sequence[OwnedEntry]
) -> None:
    """Add entries of one owner at the end of their chain."""
    owner_id, tenant, _ = entries[0]
    stored = await table.get(owner_id, CHAIN)
    chain = AuditChain(owner_id=owner_id) if stored is None else chain_from(stored)
    for owned in entries:
        link = ChainedEntry(
            owner_id=owner_id,
            tenant=tenant,
            number=chain.last_number + 1,
            entry=owned.entry,
            hash=b"",
        )
        link = replace(link, hash=link.hash_after(chain.last_hash))
        chain = replace(chain, last_number=link.number, last_hash=link.hash)
        transaction.put(_link_item(link))
    transaction.put(chain_item(chain, tenant), read=version_of(stored))


def chain_item(chain: AuditChain, tenant: str) -> dict[str, Attribute | None]:
    """The item of a chain, without its version."""
    return {
        **key_of(chain.owner_id, CHAIN),
        "tenant": tenant,
        "beginsAfter": chain.begins_after,
        "beginHash": chain.begin_hash,
        "lastNumber": chain.last_number,
        "lastHash": chain.last_hash,
        WORK_QUEUE: queue_of(CHAINS, chain.owner_id),
        WORK_DUE: f"{tenant_id(tenant)}#{chain.owner_id}",
    }


def chain_from(item: Mapping[str, Attribute]) -> AuditChain:
    """Read the item of a chain."""
    return AuditChain(
        owner_id=owner_of(item),
        begins_after=int(item["beginsAfter"]),
        begin_hash=bytes(item["beginHash"]),  # type: ignore[arg-type]  # stored as bytes
        last_number=int(item["lastNumber"]),
        last_hash=bytes(item["lastHash"]),  # type: ignore[arg-type]  # stored as bytes
    )


def tenant_id(tenant: str) -> UUID:
    """The id that stands for a tenant in the index of work."""
    return TenantScope(tenant=tenant).owner_id if tenant != "$system" else UUID(int=0)


def tenant_queue(tenant_owner_id: UUID) -> str:
    """Where the entries of a tenant are found by time."""
    return f"audit#{tenant_owner_id}"


def _link_item(link: ChainedEntry) -> dict[str, Attribute | None]:
    entry = link.entry
    return {
        **key_of(link.owner_id, audit_key(link.number)),
        "tenant": link.tenant,
        "number": link.number,
        "hash": link.hash,
        "action": entry.action,
        "target": entry.target,
        "count": entry.count,
        "actor": entry.actor,
        "transactionId": entry.transaction_id,
        "at": time_text(entry.at),
        "interface": str(entry.interface),
        "items": json_text([str(one) for one in entry.items]),
        WORK_QUEUE: tenant_queue(tenant_id(link.tenant)),
        WORK_DUE: f"{time_text(entry.at)}#{link.owner_id}#{link.number:012d}",
    }


def link_from(item: Item) -> ChainedEntry:
    """Read an entry of a chain."""
    return ChainedEntry(
        owner_id=owner_of(item),
        tenant=str(item["tenant"]),
        number=int(item["number"]),
        hash=bytes(item["hash"]),  # type: ignore[arg-type]  # stored as bytes
        entry=AuditEntry(
            action=str(item["action"]),
            target=str(item["target"]),
            count=int(item["count"]),
            actor=str(item["actor"]),
            transaction_id=str(item["transactionId"]),
            at=time_from(item["at"]),
            interface=str(item["interface"]),
            items=tuple(UUID(one) for one in json_from(item["items"])),
        ),
    )


def by_owner(entries: Iterable[OwnedEntry]) -> dict[UUID, list[OwnedEntry]]:
    """Entries by their owners, in their order."""
    owners: dict[UUID, list[OwnedEntry]] = {}
    for owned in entries:
        owners.setdefault(owned.owner_id, []).append(owned)
    return owners
