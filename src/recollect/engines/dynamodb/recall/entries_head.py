"""The item that counts the changes of an owner's entries, and tells whose vectors they have."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from uuid import UUID

from recollect.engines.dynamodb.conversations.purging import CHANGES
from recollect.engines.dynamodb.table.items import Attribute
from recollect.engines.dynamodb.table.keys import ENTRIES, WORK_DUE, WORK_QUEUE, key_of, queue_of
from recollect.engines.dynamodb.table.table import Table
from recollect.engines.dynamodb.table.transaction import Transaction
from recollect.engines.dynamodb.work.embedded import MIXED, common_model

OWNERS_WITH_ENTRIES: Final = "entries"
"""The queue of all owners with entries, each due at the model of all their vectors."""


class EntriesHead(NamedTuple):
    """The item as it was read."""

    changes: int
    model: str | None
    """The model of all vectors, or `MIXED`; None where there are no entries yet."""

    def with_entries(self, items: Iterable[Mapping[str, Attribute | None]]) -> str:
        """The model of all vectors once these entries are there, too."""
        written = common_model(map(_model_of, items))
        return written if self.model == written or not self.changes else MIXED


async def read_head(table: Table, owner_id: UUID) -> EntriesHead:
    """Return the item, also where there is none."""
    item = await table.get(owner_id, ENTRIES)
    model = item.get(WORK_DUE) if item else None
    return EntriesHead(int(item[CHANGES]) if item else 0, None if model is None else str(model))


def count_written_entries(
    transaction: Transaction,
    owner_id: UUID,
    *,
    model: str = MIXED,
    read: EntriesHead | None = None,
) -> None:
    """Note in a transaction that it writes entries, after which all vectors are of this model.

    With `read` it fails if another writer has made them be of another model since.
    """
    values: dict[str, Attribute] = {
        ":one": 1,
        ":queue": queue_of(OWNERS_WITH_ENTRIES, owner_id),
        ":model": model,
    }
    condition = None
    if read is not None and read.model is None:
        condition = f"attribute_not_exists({WORK_DUE})"
    elif read is not None and read.model is not None:
        condition = f"{WORK_DUE} = :read"
        values[":read"] = read.model
    transaction.update(
        key_of(owner_id, ENTRIES),
        f"SET {WORK_QUEUE} = :queue, {WORK_DUE} = :model ADD {CHANGES} :one",
        values,
        condition=condition,
    )


def _model_of(entry: Mapping[str, Attribute | None]) -> str | None:
    """The model of an entry's vector, wherever that is; None without one."""
    is_somewhere = entry.get("vector") is not None or entry.get("keptIn") is not None
    model = entry.get("model")
    return str(model) if is_somewhere and model is not None else None
