"""The audit log in PostgreSQL; functions of the database chain its entries and prune it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

import orjson

from recollect.concurrency import off_loop
from recollect.domain.conversation.paging import AuditPosition, Order, Page, PageRequest
from recollect.domain.identity.audit import (
    AuditAction,
    AuditChain,
    AuditEntry,
    AuditFilter,
    ChainedEntry,
    OwnedEntry,
)
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.postgres.connection.database import PostgresStore, Transaction
from recollect.engines.postgres.sql import statement

_OF_ENTRY: Final = 100
"""An entry takes as long to write as this many characters, and each of its ids as ten."""
_OF_ITEM: Final = 10
_ENTRY: Final = ("target", "count", "actor", "transaction_id", "at", "action", "interface")
_CHAIN: Final = ("owner_id", "begins_after", "begin_hash", "last_number", "last_hash")
_MOST_ENTRIES: Final = 1_000
"""Entries of one chain that are pruned at once."""


class PostgresAuditLog(PostgresStore):
    """Implements `recollect.ports.privacy.audit.AuditLog` and `AuditChains`."""

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        await self._database.write("append_audit", entries=await _json(entries))

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        rows = await self._database.run("list_audit", owner_id=scope.owner_id, limit=limit)
        return tuple(map(audit_entry_from, rows))

    async def list(
        self, scope: TenantScope, page: PageRequest, *, filters: AuditFilter
    ) -> Page[ChainedEntry]:
        time, owner_id, number = page.position(AuditPosition) or (None, None, None)
        after = {"after_time": time, "after_owner": owner_id}
        name = "list_audit_of_tenant"
        if filters.owner_id is not None:
            name, after = "list_audit_of_owner", {"owner_id": filters.owner_id}
        rows = await self._database.read(
            name,
            tenant_id=scope.tenant,
            newest_first=page.order is Order.DESC,
            after_number=number,
            action=filters.action,
            since=filters.since,
            until=filters.until,
            limit=page.limit + 1,
            offset=page.offset,
            **after,
        )
        return page.page([(link, _position_of(link)) for link in map(_link_from, rows)])

    async def chains(
        self, scope: TenantScope, *, after: UUID | None, limit: int
    ) -> tuple[AuditChain, ...]:
        rows = await self._database.read(
            "audit_chains_of_tenant", tenant_id=scope.tenant, after=after, limit=limit
        )
        return tuple(map(_chain_from, rows))

    async def chain(self, scope: TenantScope, owner_id: UUID) -> AuditChain | None:
        rows = await self._database.read(
            "audit_chain_of_owner", tenant_id=scope.tenant, owner_id=owner_id
        )
        return _chain_from(rows[0]) if rows else None

    async def links(
        self, scope: TenantScope, owner_id: UUID, *, after: int, limit: int
    ) -> tuple[ChainedEntry, ...]:
        rows = await self._database.read(
            "audit_links", tenant_id=scope.tenant, owner_id=owner_id, after=after, limit=limit
        )
        return tuple(map(_link_from, rows))

    async def unchained(self, scope: TenantScope) -> ChainedEntry | None:
        rows = await self._database.read("unchained_audit", tenant_id=scope.tenant)
        return _link_from(rows[0]) if rows else None

    async def count_older(self, *, than: datetime) -> int:
        return await self._database.count("count_old_audit", at=than, before=than)

    async def prune(self, *, older_than: datetime, limit: int) -> int:
        return await self._database.count(
            "prune_audit",
            at=older_than,
            before=older_than,
            most_chains=limit,
            most_entries=_MOST_ENTRIES,
        )


async def record(
    transaction: Transaction,
    scope: Scope | TenantScope,
    action: AuditAction,
    target: object,
    *,
    count: int = 1,
    now: datetime,
) -> None:
    """Write an audit entry in the transaction that does what it records."""
    await append_entry(transaction, OwnedEntry.of(scope, action, target, count=count, at=now))


async def append_entry(transaction: Transaction, entry: OwnedEntry) -> None:
    """Add an entry to the chain of its owner."""
    await transaction.connection.fetch(*statement("append_audit", entries=await _json([entry])))


async def _json(entries: Sequence[OwnedEntry]) -> str:
    items = sum(len(one.entry.items) for one in entries)
    characters = _OF_ENTRY * len(entries) + _OF_ITEM * items
    return await off_loop(partial(_written, entries), characters=characters)


def _written(entries: Iterable[OwnedEntry]) -> str:
    """The entries as the function takes them."""
    return orjson.dumps(
        [
            {
                "owner_id": owner_id,
                "tenant_id": tenant,
                "action": entry.action,
                "target": entry.target,
                "items": entry.items,
                "count": entry.count,
                "actor": entry.actor,
                "interface": entry.interface,
                "transaction_id": entry.transaction_id,
                "at": entry.at,
            }
            for owner_id, tenant, entry in entries
        ],
        default=str,  # the driver's own UUIDs, which orjson does not know
    ).decode()


def audit_entry_from(row: Mapping[str, Any]) -> AuditEntry:
    """An entry from its row."""
    return AuditEntry(
        **{name: row[name] for name in _ENTRY},
        items=tuple(row["items"]),
    )


def _link_from(row: Mapping[str, Any]) -> ChainedEntry:
    return ChainedEntry(
        owner_id=row["owner_id"],
        tenant=row["tenant_id"],
        number=row["number"],
        entry=audit_entry_from(row),
        hash=row["hash"],
        user=row["user_id"] or None,
    )


def _position_of(link: ChainedEntry) -> AuditPosition:
    return AuditPosition(link.entry.at, link.owner_id, link.number)


def _chain_from(row: Mapping[str, Any]) -> AuditChain:
    return AuditChain(**{name: row[name] for name in _CHAIN})
