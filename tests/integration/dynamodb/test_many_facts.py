"""More facts than one transaction takes: refused as a whole, or stored and deleted in parts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.contracts.facts_shared import a_fact, an_edit
from recollect.domain.facts.fact import FactRecord
from recollect.domain.identity.audit import AuditAction
from recollect.domain.transfer.document import Outcome
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.table import Table
from recollect.errors import InvalidInput
from recollect.ports import Stores
from recollect.ports.facts import EDITS_AT_ONCE
from recollect.system import SystemClock
from support.examples import a_scope

MANY = 120
EDITS = [an_edit(a_fact(f"The user owns boat number {number}.")) for number in range(MANY)]
RECORDS = [FactRecord(fact=edit.fact, history=(edit.change,)) for edit in EDITS]


class Killed(BaseException):
    """The process ends."""


def before_write(table: Table, number: int, happens: Callable[[], Any]) -> None:
    """Let something happen before the write of this number."""
    write, written = table.write, 0

    async def write_later(transaction: Any) -> None:  # noqa: ANN401  # a transaction
        nonlocal written
        written += 1
        if written == number:
            table.write = write  # type: ignore[method-assign]
            await happens()
        await write(transaction)

    table.write = write_later  # type: ignore[method-assign]


async def test_a_commit_of_too_many_is_refused_before_anything_is_stored(stores: Stores) -> None:
    scope = a_scope()
    with pytest.raises(InvalidInput, match="at most 48"):
        await stores.facts.commit(scope, EDITS[: EDITS_AT_ONCE + 1], {})
    assert await stores.facts.active(scope) == ()
    assert await stores.facts.commit(scope, EDITS[:EDITS_AT_ONCE], {})
    assert len(await stores.facts.active(scope)) == EDITS_AT_ONCE


async def test_an_import_that_is_killed_between_two_parts_goes_on(
    stores: Stores, table: Table
) -> None:
    scope = a_scope()

    async def kill() -> None:
        raise Killed

    before_write(table, 2, kill)
    with pytest.raises(Killed):
        await stores.imports.add_facts(scope, RECORDS)
    assert len(await stores.facts.active(scope)) == EDITS_AT_ONCE
    added = await stores.imports.add_facts(scope, RECORDS)
    assert added == Outcome(added=MANY - EDITS_AT_ONCE, known=EDITS_AT_ONCE)
    assert len(await stores.facts.active(scope)) == MANY
    ids = [record.fact.fact_id for record in RECORDS]
    histories = await stores.facts.histories(scope, ids)
    assert [histories[one] for one in ids] == [record.history for record in RECORDS]


async def test_an_import_counts_right_while_others_write_facts(
    stores: Stores, table: Table
) -> None:
    scope = a_scope()
    elsewhere = dynamo_stores(Table(table.client, table.name), SystemClock())
    theirs = [an_edit(a_fact("The user has a cat.")), EDITS[-1]]

    async def others_write() -> None:
        assert await elsewhere.facts.commit(scope, theirs, {})

    before_write(table, 2, others_write)
    added = await stores.imports.add_facts(scope, RECORDS)
    assert added == Outcome(added=MANY - 1, known=1)
    assert len(await stores.facts.active(scope)) == MANY + 1


async def test_large_histories_are_imported_in_parts_that_fit(stores: Stores) -> None:
    scope = a_scope()
    large = [
        FactRecord(fact=edit.fact, history=(replace(edit.change, reason="y" * 300_000),))
        for edit in EDITS[:15]
    ]
    assert (await stores.imports.add_facts(scope, large)).added == 15


async def test_all_that_are_deleted_are_told_also_where_it_was_killed(
    stores: Stores, table: Table
) -> None:
    scope = a_scope()
    await stores.imports.add_facts(scope, RECORDS)

    async def kill() -> None:
        raise Killed

    before_write(table, 2, kill)
    with pytest.raises(Killed):
        await stores.facts.delete(scope)
    assert await stores.facts.delete(scope) == MANY - EDITS_AT_ONCE
    assert await stores.facts.active(scope) == ()
    entries = [
        one
        for one in await stores.audit.entries(scope, limit=9)
        if one.action == AuditAction.FACTS_CLEARED
    ]
    assert sum(one.count for one in entries) == MANY
