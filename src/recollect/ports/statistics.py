"""How much is stored, and what waits to be done, for those who operate the server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatistics:
    """Sizes and queues of the whole store, of all owners together."""

    database_bytes: int = 0
    table_bytes: Mapping[str, int] = field(default_factory=dict)
    """By table, with its indexes."""
    table_rows: Mapping[str, int] = field(default_factory=dict)
    """By table, as the database estimates: `sessions` and `owners` among them."""
    queue_depth: Mapping[str, int] = field(default_factory=dict)
    queue_oldest_seconds: Mapping[str, float] = field(default_factory=dict)
    """How long the oldest of a queue has waited, of those queues that know."""


class StatisticsStore(Protocol):
    """Tells how much is stored."""

    async def read(self) -> StoreStatistics:
        """Return sizes and queues as they are now; numbers and names of tables, nothing else."""
