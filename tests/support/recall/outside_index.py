"""Engines with their vectors in another store."""

from dataclasses import replace

from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.ports import Stores
from recollect.ports.recall import VectorStore
from recollect.ports.runtime import Clock
from recollect.services.recall.outside_index import OutsideIndex
from recollect.system import SystemClock


def outside_index(
    database: Database, vectors: VectorStore, *, kept_in: str, clock: Clock | None = None
) -> tuple[Stores, OutsideIndex]:
    """Return the stores of PostgreSQL and their index, whose vectors are in another store."""
    time = clock or SystemClock()
    return with_outside_index(postgres_stores(database, time, kept_in=kept_in), vectors, time)


def with_outside_index(
    stores: Stores, vectors: VectorStore, time: Clock
) -> tuple[Stores, OutsideIndex]:
    """Return an engine's stores with that index."""
    assert stores.recall is not None
    assert stores.outside is not None
    index = OutsideIndex(inner=stores.recall, entries=stores.outside, vectors=vectors, clock=time)
    return replace(stores, recall=index), index
