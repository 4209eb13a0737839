"""A loaded database with everything open that a measurement on it needs."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import asyncpg

from dataset import Dataset
from lean_http import LeanClient
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.engines.postgres.embedded import running_server
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import serving
from ways import ByHand, OverHttp, ThroughService, Way

USUAL_POOL: Final = "by hand"
BARE_POOL: Final = "by hand, no reset"
SERVICE: Final = "service"
HTTP: Final = "HTTP"

_PRESET: Final = "chat"  # no summaries
_NO_WORKER: Final = {"MEMORY_PRESET": _PRESET, "MEMORY_WORKER": "false"}
"""A worker would index for recall what all ways write, and take a processor from each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A database of a known size and the ways to work on it."""

    dataset: Dataset
    ways: Mapping[str, Way]
    administrator: asyncpg.Connection

    @classmethod
    @asynccontextmanager
    async def open(cls, size: int, *, folder: Path) -> AsyncIterator[Self]:
        """Load the database if that is needed, and start the server on it."""
        home = folder / f"messages-{size}"
        settings = load_settings(home=home, preset=_PRESET)
        dataset = Dataset.of(size)
        async with (
            running_server(home) as dsn,
            Memory.open(settings) as memory,
            _connected(dsn) as administrator,
        ):
            print(f"loading {size:,} messages …", file=sys.stderr)
            await dataset.ensure_loaded(administrator)
            tenant = TenantScope(tenant=dataset.sessions[0].scope.tenant)
            keys = memory.services.api_keys
            _, key = await keys.create(tenant, name="benchmark", scopes=[KeyScope.SERVICE])
            async with (
                ByHand.with_usual_pool(dsn) as usual,
                ByHand.with_bare_pool(dsn, size=settings.db_max_connections) as bare,
                serving(home, **_NO_WORKER) as server,
                LeanClient.to(server.port, key=key) as client,
            ):
                ways: dict[str, Way] = {
                    USUAL_POOL: usual,
                    BARE_POOL: bare,
                    SERVICE: ThroughService(memory.services),
                    HTTP: OverHttp(client),
                }
                yield cls(dataset=dataset, ways=ways, administrator=administrator)

    async def undo_writes(self) -> None:
        """Delete what was written since the load."""
        await self.dataset.undo_writes(self.administrator)

    async def tidy(self) -> None:
        """Leave the tables as the load left them."""
        await self.undo_writes()
        await self.administrator.execute("VACUUM (ANALYZE)")


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()
