"""What encryption costs: the same work on plain and on encrypted content, by turns in one run.

    python benchmarks/encryption.py --rounds 300

Stores questions with their answers, reads windows, searches and lists facts, through the stores of
one embedded server with two databases. Each operation is done on one and then on the other, so that
what else the machine does slows down both alike. Asserts nothing.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Final
from uuid import uuid4

import asyncpg

from recollect.composition import build_services
from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.query import FactFilter
from recollect.domain.identity.scope import Scope
from recollect.encryption.master_keys import MasterKeys
from recollect.engines.owner_keys import OwnerKeys
from recollect.engines.postgres.embedded import running_server
from recollect.engines.postgres.engine import open_external, postgres_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder

_WORDS: Final = [f"word{number}" for number in range(2_000)]
_WINDOW: Final = 10
_WARM: Final = 20
Operation = Callable[["Side", int], Awaitable[object]]


class Side:
    """One database with one user, who talks in one session."""

    def __init__(self, stores: Stores, services: Services) -> None:
        self.stores = stores
        self.services = services
        self.scope = Scope(tenant="bench", user="alice", actor="bench")
        self.session_id = uuid4()
        self._random = Random(7)  # noqa: S311  # keeps no secrets

    def text(self, characters: int) -> str:
        """Words without a meaning, the same on both sides."""
        return " ".join(self._random.choices(_WORDS, k=characters // 9))

    async def prepare(self, exchanges: int) -> None:
        """Fill the session, the index and the list of facts."""
        session = NewSession(session_id=self.session_id, metadata={"created_via": "bench"})
        await self.services.sessions.start(self.scope, session)
        for number in range(exchanges):
            await append(self, number)
        for number in range(50):
            await self.services.facts.add(self.scope, f"Likes {self.text(60)} {number}.")
        assert self.services.indexing is not None  # noqa: S101  # PostgreSQL has an index
        while await self.services.indexing.do_session(self.scope, self.session_id):
            pass


async def append(side: Side, _: int) -> None:
    """A question with its answer, in one statement."""
    messages = [
        NewMessage(message_id=uuid4(), role=Role.USER, content=side.text(80)),
        NewMessage(message_id=uuid4(), role=Role.ASSISTANT, content=side.text(500)),
    ]
    now = datetime.now(UTC)
    await side.stores.messages.append(side.scope, side.session_id, messages, now=now)


async def window(side: Side, _: int) -> None:
    """The last ten messages with their session."""
    await side.stores.messages.window(side.scope, side.session_id, count=_WINDOW, covers_all=False)


async def recall(side: Side, number: int) -> None:
    """A search by words and by meaning."""
    await side.services.recall.search(side.scope, f"{_WORDS[number % 2000]} {side.text(60)}", k=3)


async def facts(side: Side, _: int) -> None:
    """A list of facts that contain a word."""
    filters = FactFilter(text="word19")
    await side.stores.facts.list(side.scope, PageRequest(limit=20), filters=filters)


OPERATIONS: Final[dict[str, Operation]] = {
    "append a question and its answer": append,
    "window of ten messages": window,
    "recall among the exchanges": recall,
    "facts that contain a word": facts,
}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=300, help="of each operation (default: 300)")
    parser.add_argument("--exchanges", type=int, default=500, help="stored before (default: 500)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o711)  # root's PostgreSQL runs as another account
        asyncio.run(_measure(Path(folder) / "home", arguments.rounds, arguments.exchanges))
    return 0


async def _measure(home: Path, rounds: int, exchanges: int) -> None:
    async with AsyncExitStack() as stack:
        dsn = await stack.enter_async_context(running_server(home))
        sides = {
            "plain": await stack.enter_async_context(_side(dsn, "plain", None)),
            "encrypted": await stack.enter_async_context(
                _side(dsn, "encrypted", MasterKeys({"bench": os.urandom(32)}))
            ),
        }
        for side in sides.values():
            await side.prepare(exchanges)
        print(f"{'milliseconds, median':36}{'plain':>10}{'encrypted':>12}{'ratio':>8}")
        for name, operation in OPERATIONS.items():
            times = await _by_turns(sides, operation, rounds)
            plain, encrypted = (1000 * median(times[one]) for one in sides)
            print(f"{name:36}{plain:10.2f}{encrypted:12.2f}{encrypted / plain:8.2f}")


async def _by_turns(
    sides: dict[str, Side], operation: Operation, rounds: int
) -> dict[str, list[float]]:
    times: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(_WARM + rounds):
        for name, side in sides.items():
            began = perf_counter()
            await operation(side, number)
            if number >= _WARM:
                times[name].append(perf_counter() - began)
    return times


@asynccontextmanager
async def _side(dsn: str, name: str, master_keys: MasterKeys | None) -> AsyncIterator[Side]:
    admin = await asyncpg.connect(dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    own = dsn.replace("@/postgres?", f"@/{name}?")
    async with open_external(own, max_connections=4, keys=OwnerKeys(master_keys)) as database:
        stores = postgres_stores(database, SystemClock())
        needs = ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            embedder=WordEmbedder(dimensions=384),
        )
        services = build_services(stores, needs)
        yield Side(stores, services)
        await services.close()


if __name__ == "__main__":
    sys.exit(main())
