"""Searches and contexts by one and by ten clients, beside the same written by hand.

    python benchmarks/concurrency.py [--seconds N] [--history N]

By hand means: the question is embedded by the same embedder, then one statement
`ORDER BY vector <=> $2 LIMIT 10` on the owner's rows through a pool of asyncpg. A context by hand
reads the last ten messages, searches the three nearest entries, counts the tokens of each with the
same counter and puts the chat messages together. Ours are the services; questions are not
rewritten for contexts, because nobody writes that by hand: the follow-up model is measured by
`followups.py`.

Each client is a user with earlier exchanges. All clients and both ways share one process and one
event loop, set up as that of a server. The ways take turns in short slices, so that noise hits
both alike, and a ratio is the
median of the ratios of the rounds. The processor's time is that of this process and of
PostgreSQL's, for one call.
"""

import argparse
import asyncio
import random
import statistics
import struct
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast
from uuid import UUID

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from dataset import sql
from recall_speed import Processor
from recollect.domain.followup.dialogue import HistoryMessage, Method, Rewrite
from recollect.domain.followup.language import language_of
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.embedded import running_server
from recollect.interfaces.http.serving.server import collect_seldom
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Embedder
from recollect.services.context.contexts import Contexts
from recollect.services.context.rewriting import Rewriting
from recollect.settings import load_settings
from talk import answer, conversation, question

CLIENTS: Final = (1, 10)
ROUNDS: Final = 40
BY_HAND, OURS = "by hand", "service"
SEARCH, CONTEXT = "search", "context"
GOALS: Final = {
    (SEARCH, 1): (1.3, None),
    (SEARCH, 10): (None, 1.6),
    (CONTEXT, 1): (1.6, None),
}
"""How many times as long the service may take, at p50 and at p95."""
_RESULTS: Final = 10
_RECALLED: Final = 3
_WINDOW: Final = 10
_TOKENS: Final = 4_000
_QUESTIONS_A_SESSION: Final = 12
_WARM_UP: Final = 40
_CHANCE: Final = random.Random(5)  # noqa: S311  # no secrets

Act = Callable[["Client", str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Client:
    """A user and the session they are in."""

    scope: Scope
    session_id: UUID


@dataclass(frozen=True, slots=True)
class ByHand:
    """The plain statements of somebody who writes them for this purpose."""

    pool: asyncpg.Pool
    embedder: Embedder

    async def search(self, client: Client, text: str, *, count: int = _RESULTS) -> list[object]:
        """The nearest entries."""
        vector = await self.embedder.embed_question(text)
        half = struct.pack(f">hh{len(vector)}e", len(vector), 0, *vector)
        owner_id = client.scope.owner_id
        return cast("list[object]", await self.pool.fetch(sql("nearest"), owner_id, half, count))

    async def context(self, client: Client, text: str) -> list[dict[str, str]]:
        """The chat messages of the last turns, with the nearest entries before them."""
        count = token_counter_for(None).count
        owner_id, session_id = client.scope.owner_id, client.session_id
        rows = await self.pool.fetch(sql("read_last"), owner_id, session_id, _WINDOW)
        entries = await self.search(client, text, count=_RECALLED)
        left = _TOKENS - count(text)
        messages: list[dict[str, str]] = []
        for row in rows:
            left -= count(row["content"])
            if left < 0:
                break
            messages.append({"role": row["role"], "content": row["content"]})
        recalled = [row["text"] for row in entries if (left := left - count(row["text"])) > 0]
        system = {"role": "system", "content": "What was said before:\n" + "\n".join(recalled)}
        return [system, *reversed(messages), {"role": "user", "content": text}]


class AsAsked:
    """Rewrites nothing."""

    async def after(
        self,
        history: Sequence[HistoryMessage],
        text: str,
        *,
        by_rules_alone: bool = False,  # noqa: ARG002
    ) -> Rewrite:
        """The question as it is."""
        return Rewrite(
            standalone_question=text,
            is_follow_up=False,
            method=Method.NONE,
            signals=(),
            confidence=1.0,
            language=language_of(text, history),
        )


@dataclass(frozen=True, slots=True)
class Ours:
    """The services."""

    memory: Memory
    contexts: Contexts

    @classmethod
    def of(cls, memory: Memory) -> "Ours":
        """With contexts that rewrite nothing."""
        rewriting = cast("Rewriting", AsAsked())
        return cls(memory, replace(memory.services.contexts, rewriting=rewriting))

    async def search(self, client: Client, text: str) -> object:
        """The best by words and meaning."""
        return await self.memory.services.recall.search(client.scope, text, k=_RESULTS)

    async def context(self, client: Client, text: str) -> object:
        """The context as chat messages."""
        context = await self.contexts.build(client.scope, client.session_id, text)
        return context.messages()


@dataclass(slots=True)
class Samples:
    """What was measured in one cell, round by round."""

    rounds: list[list[float]] = field(default_factory=list)
    """Seconds that the calls of a round took."""
    processor: list[float] = field(default_factory=list)
    """Milliseconds of the processor that a call of a round took."""

    def quantile(self, share: float) -> float:
        """Milliseconds that this share of all calls took at most."""
        return 1000 * _quantile([taken for one in self.rounds for taken in one], share)


Measured = Mapping[tuple[str, int, str], Samples]


async def main(*, seconds: float, history: int, home: Path) -> None:
    """Measure and print one table."""
    async with AsyncExitStack() as opened:
        dsn = await opened.enter_async_context(running_server(home))
        clients = await _load(home, history)
        memory = await opened.enter_async_context(Memory.open(load_settings(home=home)))
        print("indexing …", file=sys.stderr)
        await memory.catch_up()
        pool = await opened.enter_async_context(asyncpg.create_pool(dsn, init=_send_binary))
        await pool.execute(sql("entries_by_hand"))
        embedder = memory.services.recall.embedder
        if embedder is None:
            raise SystemExit("there is no embedding model to measure with")
        by_hand, ours = ByHand(pool, embedder), Ours.of(memory)
        ways: dict[tuple[str, str], Act] = {
            (SEARCH, BY_HAND): by_hand.search,
            (SEARCH, OURS): ours.search,
            (CONTEXT, BY_HAND): by_hand.context,
            (CONTEXT, OURS): ours.context,
        }
        Console().print(_table(await _measured(ways, clients, pool, seconds)))


async def _load(home: Path, history: int) -> list[Client]:
    """Users who have said something before."""
    chance = random.Random(1)  # noqa: S311  # the same questions on every run, no secrets
    clients: list[Client] = []
    settings = load_settings(home=home, embedding_model="none")
    async with Memory.open(settings) as memory:
        for number in range(max(CLIENTS)):
            user, questions = f"user {number}", conversation(chance)
            for _ in range(0, history, _QUESTIONS_A_SESSION):
                session = await memory.session(user=user)
                for text in islice(questions, _QUESTIONS_A_SESSION):
                    await session.add_exchange(text, answer(chance))
            clients.append(Client(Scope(tenant=settings.tenant, user=user), session.id))
    return clients


async def _send_binary(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec(
        "halfvec", schema="public", format="binary", encoder=bytes, decoder=bytes
    )


async def _measured(
    ways: Mapping[tuple[str, str], Act], clients: list[Client], pool: asyncpg.Pool, seconds: float
) -> Measured:
    samples: dict[tuple[str, int, str], Samples] = defaultdict(Samples)
    for act in ways.values():
        await asyncio.gather(*(_repeat(act, client) for client in clients))
    collect_seldom()
    processor = Processor([row[0] for row in await pool.fetch(sql("client_backends"))])
    for number, operation, count in product(range(ROUNDS), (SEARCH, CONTEXT), CLIENTS):
        print(f"\rround {number + 1} of {ROUNDS} …", end="", file=sys.stderr, flush=True)
        for way in _CHANCE.sample((BY_HAND, OURS), 2):
            cell, worked = samples[operation, count, way], processor.milliseconds()
            until = time.perf_counter() + seconds / ROUNDS
            works = (_work(ways[operation, way], one, until) for one in clients[:count])
            cell.rounds.append([taken for one in await asyncio.gather(*works) for taken in one])
            cell.processor.append((processor.milliseconds() - worked) / len(cell.rounds[-1]))
    print(file=sys.stderr)
    return samples


async def _repeat(act: Act, client: Client) -> None:
    for _ in range(_WARM_UP):
        await act(client, question(_CHANCE))


async def _work(act: Act, client: Client, until: float) -> list[float]:
    taken: list[float] = []
    while not taken or time.perf_counter() < until:
        text, began = question(_CHANCE), time.perf_counter()
        await act(client, text)
        taken.append(time.perf_counter() - began)
    return taken


def _table(samples: Measured) -> Table:
    heads = ("clients", "by hand p50, p95", "service p50, p95", "ratio p50, p95")
    table = Table("", *heads, "goal", "CPU ms by hand, service", "ratio", box=None)
    for operation, count in product((SEARCH, CONTEXT), CLIENTS):
        hand, ours = (samples[operation, count, way] for way in (BY_HAND, OURS))
        times = [f"{one.quantile(0.5):.2f}, {one.quantile(0.95):.2f}" for one in (hand, ours)]
        ratios = [
            statistics.median(
                _quantile(mine, share) / _quantile(theirs, share)
                for theirs, mine in zip(hand.rounds, ours.rounds, strict=True)
            )
            for share in (0.5, 0.95)
        ]
        worked = [statistics.median(one.processor) for one in (hand, ours)]
        goals = GOALS.get((operation, count), (None, None))
        table.add_row(
            operation,
            str(count),
            *times,
            ", ".join(f"{ratio:.2f}" for ratio in ratios),
            ", ".join("" if goal is None else f"≤ {goal}" for goal in goals),
            ", ".join(f"{one:.2f}" for one in worked),
            f"{worked[1] / worked[0]:.2f}",
        )
    return table


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[int(len(ordered) * share)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=9, help="for each cell of the table")
    parser.add_argument("--history", type=int, default=192, help="earlier exchanges of each user")
    given = parser.parse_args()
    sys.setswitchinterval(0.0005)  # as `run_until_stopped`
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        Path(folder).chmod(0o711)  # root's PostgreSQL runs as another account
        uvloop.run(
            main(
                seconds=max(1, given.seconds),
                history=max(_QUESTIONS_A_SESSION, given.history),
                home=Path(folder) / "home",
            )
        )
