"""Storing many messages: one by one, in one batch, and by a COPY written by hand, in one run.

    python benchmarks/bulk_append.py --messages 10000 --rounds 5

Each round stores the same messages into new sessions: by `session.add`, by `session.add_many`, by
`POST …/messages:batch` and by COPY into the same tables as a superuser, each with the turns and the
session's counters. Works on an embedded server of its own in a temporary folder. Prints seconds,
ratios, and how long the event loop was held at most; asserts nothing.
"""

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Self
from uuid import UUID, uuid4

import asyncpg
import httpx
import orjson
import uvloop

from recollect.engines.postgres.embedded import running_server
from recollect.handles.session import SessionHandle
from recollect.inputs import MessageFields
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import Settings, load_settings

SINGLE: Final = "one by one"
BATCH: Final = "add_many"
HTTP: Final = "messages:batch"
COPY: Final = "COPY by hand"

_COPIED: Final = (
    *("owner_id", "session_id", "sequence", "message_id", "turn_number"),
    *("role", "content", "metadata", "created_at"),
)
_COUNT: Final = """
    UPDATE sessions SET last_sequence = $3, message_count = $3, last_turn = $4, turn_count = $4,
        current_turn = $4, updated_at = now(), last_accessed_at = now()
    WHERE owner_id = $1 AND session_id = $2
"""


@dataclass(slots=True)
class LoopWatch:
    """Notes the most time of the processor that the event loop's thread took at a stretch.

    Not the time of the clock: on a busy machine that tells of others.
    """

    longest: float = 0
    _task: "asyncio.Task[None] | None" = field(default=None)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _watch(self) -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest = max(self.longest, now - last)
            last = now


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways to store messages, and what they need."""

    memory: Memory
    client: httpx.AsyncClient
    administrator: asyncpg.Connection
    messages: list[MessageFields]
    body: bytes

    def all(self) -> dict[str, Callable[[SessionHandle], Awaitable[object]]]:
        """Each way by name."""
        return {SINGLE: self.single, BATCH: self.batch, HTTP: self.http, COPY: self.copy}

    async def single(self, session: SessionHandle) -> None:
        """Store each message by a call of its own."""
        for message in self.messages:
            await session.add(message["role"], message["content"])

    async def batch(self, session: SessionHandle) -> None:
        """Store all by one call."""
        await session.add_many(self.messages)

    async def http(self, session: SessionHandle) -> None:
        """Store all by one request."""
        path = f"/api/v1/sessions/{session.id}/messages:batch"
        response = await self.client.post(
            path, content=self.body, headers={"Content-Type": "application/json"}
        )
        response.raise_for_status()

    async def copy(self, session: SessionHandle) -> None:
        """Store all as somebody would who writes the SQL by hand."""
        owner_id = session._scope.owner_id  # noqa: SLF001  # what the other ways have inside
        now = datetime.now(UTC)
        turns = len(self.messages) // 2
        async with self.administrator.transaction():
            await self.administrator.copy_records_to_table(
                "turns",
                columns=("owner_id", "session_id", "turn_number", "status", "started_at"),
                records=[(owner_id, session.id, n, "complete", now) for n in range(1, turns + 1)],
            )
            await self.administrator.copy_records_to_table(
                "messages", columns=_COPIED, records=self._records(owner_id, session.id)
            )
            await self.administrator.execute(
                _COUNT, owner_id, session.id, len(self.messages), turns
            )

    def _records(self, owner_id: UUID, session_id: UUID) -> list[tuple[object, ...]]:
        return [
            (
                *(owner_id, session_id, n + 1, uuid4(), n // 2 + 1),
                *(m["role"], m["content"], "{}", datetime.fromisoformat(str(m["created_at"]))),
            )
            for n, m in enumerate(self.messages)
        ]


def _messages(count: int) -> list[MessageFields]:
    first = datetime(2024, 5, 6, 9, 30, tzinfo=UTC)
    return [
        {
            "role": "assistant" if number % 2 else "user",
            "content": f"What were the sales of region {number}? " * 8,
            "created_at": (first + timedelta(seconds=number)).isoformat(),
        }
        for number in range(count)
    ]


@asynccontextmanager
async def _opened(count: int, folder: Path) -> AsyncIterator[Ways]:
    settings: Settings = load_settings(home=folder, preset="app", tenant="bench", local_user="u")
    messages = _messages(count)
    async with running_server(folder) as dsn, Memory.open(settings) as memory:
        transport = httpx.ASGITransport(create_app(memory, settings))
        administrator = await asyncpg.connect(
            dsn, server_settings={"search_path": "recollect, public"}
        )
        gc.collect()
        gc.freeze()  # as the server does once it has started
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield Ways(
                memory=memory,
                client=client,
                administrator=administrator,
                messages=messages,
                body=orjson.dumps({"messages": messages}),
            )
        await administrator.close()


async def _measure(count: int, rounds: int, folder: Path) -> None:
    seconds: dict[str, list[float]] = defaultdict(list)
    held: dict[str, list[float]] = defaultdict(list)
    async with _opened(count, folder) as ways:
        print(f"{count:,} messages, {len(ways.body):,} bytes as JSON, {rounds} rounds")
        for number in range(rounds + 1):  # the first one warms up
            for name, store in ways.all().items():
                session = await ways.memory.session(user="u")
                async with LoopWatch() as watch:
                    began = time.perf_counter()
                    await store(session)
                    taken = time.perf_counter() - began
                if number:
                    seconds[name].append(taken)
                    held[name].append(watch.longest)
                await session.delete()
    _show(seconds, held)


def _show(seconds: dict[str, list[float]], held: dict[str, list[float]]) -> None:
    print(f"{'way':<16}{'seconds':>9}{'x COPY':>9}{'longest hold of the loop':>28}")
    for name, taken in seconds.items():
        pairs = zip(taken, seconds[COPY], strict=True)
        ratio = statistics.median(mine / by_hand for mine, by_hand in pairs)
        longest = f"{statistics.median(held[name]) * 1000:.0f} ms"
        print(f"{name:<16}{statistics.median(taken):>9.3f}{ratio:>9.2f}{longest:>28}")
    pairs = zip(seconds[SINGLE], seconds[BATCH], strict=True)
    faster = statistics.median(single / batch for single, batch in pairs)
    print(f"one batch is {faster:.0f} times as fast as single appends")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=10_000, help="in each session, even")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-bulk-") as folder:
        Path(folder).chmod(0o755)
        uvloop.run(_measure(arguments.messages, arguments.rounds, Path(folder)))


if __name__ == "__main__":
    main()
