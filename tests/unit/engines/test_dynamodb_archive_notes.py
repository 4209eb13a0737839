"""A note of an archive that goes while it is replaced leaves none behind."""

import pytest

from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.items import Item
from recollect.engines.dynamodb.table.table import Table
from recollect.system import SystemClock
from support.doubles.dynamodb import a_double
from support.examples import a_scope


async def test_a_note_that_an_erasure_has_removed_is_not_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes, scope = dynamo_stores(a_double(), SystemClock()).archive_notes, a_scope()
    now = SystemClock().now()
    assert await notes.add(scope, "folder:/a", now=now, claims_owner=True)
    waiting = Table.waiting

    async def waiting_before_it_went(
        self: Table, kind: str, *, until: str | None = None, since: str | None = None, limit: int
    ) -> list[Item]:
        found = await waiting(self, kind, until=until, since=since, limit=limit)
        await notes.remove(scope.owner_id, "folder:/a")
        return found

    monkeypatch.setattr(Table, "waiting", waiting_before_it_went)
    assert await notes.replace("folder:/a", by="folder:/b") == 0
    assert await notes.of_owner(scope.owner_id) == ()
