"""The whole engine: connections to DynamoDB, its table and its stores."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from recollect.engines.dynamodb.accounts import DynamoApiKeys, DynamoProfiles, DynamoStates
from recollect.engines.dynamodb.activity import DynamoActivity
from recollect.engines.dynamodb.conversations.branches import DynamoBranches, DynamoTurns
from recollect.engines.dynamodb.conversations.expiry import DynamoExpired, DynamoExpiredRecords
from recollect.engines.dynamodb.conversations.history import DynamoHistory
from recollect.engines.dynamodb.conversations.messages import DynamoMessages
from recollect.engines.dynamodb.conversations.sessions import DynamoSessions
from recollect.engines.dynamodb.ended_visits import DynamoEndedVisits
from recollect.engines.dynamodb.facts.store import DynamoFacts
from recollect.engines.dynamodb.privacy.archive_notes import DynamoArchiveNotes
from recollect.engines.dynamodb.privacy.audit import DynamoAuditLog
from recollect.engines.dynamodb.privacy.encryption import DynamoDataKeys, DynamoEncryptionStore
from recollect.engines.dynamodb.privacy.erasure import dynamo_erasure_stores
from recollect.engines.dynamodb.privacy.transfer import DynamoExports, DynamoImports, DynamoOwners
from recollect.engines.dynamodb.recall.index import DynamoRecallIndex
from recollect.engines.dynamodb.recall.outside_entries import DynamoOutsideEntries
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.engines.dynamodb.table.data_keys import (
    check_data_keys,
    key_items,
    memory_table,
)
from recollect.engines.dynamodb.table.provisioning import table_state
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.tenants import DynamoTenantSettings
from recollect.engines.dynamodb.work.background import (
    DynamoIndexing,
    DynamoJobs,
    DynamoLearning,
    DynamoSummaries,
)
from recollect.engines.owner_keys import OwnerKeys
from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.ports import Stores
from recollect.ports.runtime import Clock

_READY_SECONDS: Final = 1.0


@asynccontextmanager
async def open_table(
    name: str,
    *,
    region: str | None = None,
    endpoint: str | None = None,
    keys: OwnerKeys | None = None,
) -> AsyncIterator[Table]:
    """Work on a table that is there; `ConfigurationError` says how to create it if it is not.

    With `keys`, content is encrypted; `ConfigurationError` if they do not decrypt what is there.
    """
    # In a thread: credentials may be asked of a service, and the package takes 0.2 s to load.
    client = await asyncio.to_thread(DynamoClient, region=region, endpoint=endpoint)
    async with client:
        state = await table_state(client, name)
        if state is None:
            raise ConfigurationError(
                f"there is no table {name} in {client.region}: create it with "
                "'recollect dynamodb create'"
            )
        if not state.is_usable:
            missing = ", ".join(state.missing_indexes)
            problem = f"has no index {missing}" if missing else f"is {state.status}"
            raise ConfigurationError(f"the table {name} {problem}")
        table = memory_table(client, name, keys or OwnerKeys())
        await check_data_keys(table)
        yield table


def dynamo_stores(table: Table, clock: Clock, *, kept_in: str | None = None) -> Stores:
    """All stores, working on one table.

    With `kept_in`, the vectors of entries are in another store of that name.
    """
    outside = None if kept_in is None else DynamoOutsideEntries(table, clock, kept_in=kept_in)
    audit = DynamoAuditLog(table, clock)
    encryption, data_keys = None, None
    if table.content.keys.is_on:
        keys = key_items(table.client, table.name)
        encryption = DynamoEncryptionStore(table, clock, keys)
        data_keys = DynamoDataKeys(table, clock, keys)

    async def is_answering() -> bool:
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await table.client.call("DescribeTable", {"TableName": table.name})
        except TimeoutError:
            raise DatabaseUnavailable("DynamoDB took more than a second to answer") from None
        return True

    return Stores(
        sessions=DynamoSessions(table, clock),
        messages=DynamoMessages(table, clock),
        branches=DynamoBranches(table, clock),
        turns=DynamoTurns(table, clock),
        history=DynamoHistory(table, clock),
        summaries=DynamoSummaries(table, clock),
        states=DynamoStates(table, clock),
        profiles=DynamoProfiles(table, clock),
        jobs=DynamoJobs(table, clock),
        expired=DynamoExpired(table, clock),
        expired_records=DynamoExpiredRecords(table, clock),
        archive_notes=DynamoArchiveNotes(table, clock),
        api_keys=DynamoApiKeys(table, clock),
        ended_visits=DynamoEndedVisits(table, clock),
        tenant_settings=DynamoTenantSettings(table, clock),
        audit=audit,
        audit_chains=audit,
        facts=DynamoFacts(table, clock),
        owners=DynamoOwners(table, clock),
        exports=DynamoExports(table, clock),
        imports=DynamoImports(table, clock),
        erasure=dynamo_erasure_stores(table, clock, kept_in=kept_in, data_keys=data_keys),
        recall=DynamoRecallIndex(table, clock, kept_in=kept_in),
        indexing=DynamoIndexing(table, clock),
        learning=DynamoLearning(table, clock),
        outside=outside,
        activity=DynamoActivity(table, clock),
        encryption=encryption,
        check_keys=partial(check_data_keys, table),
        is_answering=is_answering,
    )
