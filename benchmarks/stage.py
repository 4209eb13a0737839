"""A loaded database with everything open that a measurement on it needs."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import asyncpg

from dataset import Dataset
from recollect.domain.api_key import KeyScope
from recollect.domain.scope import TenantScope
from recollect.engines.postgres.embedded import running_server
from recollect.memory import Memory
from recollect.settings import load_settings
from ways import ByHand, OverHttp, ThroughService, Way

USUAL_POOL: Final = "by hand"
BARE_POOL: Final = "by hand, no reset"
SERVICE: Final = "service"
HTTP: Final = "HTTP"

_PRESET: Final = "chat"  # no summaries
_NO_WORKER: Final = {"MEMORY_PRESET": _PRESET, "MEMORY_WORKER": "false"}
"""A worker would index for recall what all ways write, and take a processor from each of them."""
_START_SECONDS: Final = 60
_STOP_SECONDS: Final = 30
_LISTENING: Final = "Recollect listens on http://127.0.0.1:"


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
                _serving(home) as port,
                OverHttp.to(port, key=key) as http,
            ):
                ways: dict[str, Way] = {
                    USUAL_POOL: usual,
                    BARE_POOL: bare,
                    SERVICE: ThroughService(memory.services),
                    HTTP: http,
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


@asynccontextmanager
async def _serving(home: Path) -> AsyncIterator[int]:
    """The port of a `recollect serve` of its own, which stops at the end."""
    log = home / "serve.log"
    with log.open("wb") as log_file:
        server = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "recollect", "serve", "--port", "0", "--home", str(home)),
            stderr=log_file,
            env={**os.environ, **_NO_WORKER},
        )
    try:
        yield await asyncio.wait_for(_port_in(log, server), _START_SECONDS)
    finally:
        with suppress(ProcessLookupError):  # an interrupt from the keyboard reaches it as well
            server.terminate()
            await asyncio.wait_for(server.wait(), _STOP_SECONDS)


async def _port_in(log: Path, server: asyncio.subprocess.Process) -> int:
    while server.returncode is None:
        _, found, rest = _text_of(log).partition(_LISTENING)
        if found and "\n" in rest:
            return int(rest.partition("\n")[0])
        await asyncio.sleep(0.05)
    raise ConnectionError(f"'recollect serve' ended by itself: {_text_of(log)}")


def _text_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")
