"""Finds the owners of whom not everything is embedded with the model in use.

The item that counts the changes of an owner's entries, and the one of the facts, wait in queues of
the work index, due at the name of the model that all vectors are of. A worker reads the owners
under other names, which are none while nothing is to be done.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from recollect.engines.dynamodb.table.client import ConditionFailed
from recollect.engines.dynamodb.table.items import Attribute, Item
from recollect.engines.dynamodb.table.keys import WORK_DUE
from recollect.engines.dynamodb.table.table import Table

MIXED: Final = "?"
"""In place of a model's name: some may have no vector, or one of another model."""


def common_model(models: Iterable[str | None]) -> str:
    """Return the model of them all, or `MIXED`."""
    names = {*models}
    (name,) = names if len(names) == 1 else (None,)
    return name or MIXED


async def note_model(table: Table, key: Item, model: str, *, counter: str, read: Attribute) -> None:
    """Note that all vectors of an owner are of one model, unless they changed since `read`."""
    with suppress(ConditionFailed):
        await table.update(
            key,
            f"SET {WORK_DUE} = :model",
            {":model": model, ":read": read},
            condition=f"{counter} = :read",
        )
