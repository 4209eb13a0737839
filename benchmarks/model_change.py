"""Change the embedding model of an owner's exchanges while searches go on, and kill it halfway.

    python benchmarks/model_change.py [--exchanges 50000] [--kill-at 0.4] [--json FILE]

`recollect reindex` runs with a new model as a process of its own, on a database of its own. When
it has done its share it gets SIGKILL, and a second one goes on. All the while one server's
searches use the old model and another's the new one, as in a change of many servers one by one.
Every score of meaning that they give is worked out again from the vectors of their own model: one
that differs was compared with the vector of another. The new model is a stand-in that counts
words, behind an endpoint of its own, so that the time is that of Recollect.
"""

import argparse
import asyncio
import json
import math
import os
import statistics
import struct
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self
from uuid import UUID

import asyncpg
import orjson
from rich.console import Console
from rich.table import Table

from recall_dataset import DIMENSIONS, MODEL, Language, Load, scope_of
from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Entry
from recollect.domain.vectors import Vector
from recollect.engines.postgres.embedded import running_server
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.models import Embedder
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder

OWNER: Final = "owner"
NEW: Final = "words"
_CLOSE: Final = 2e-3  # vectors are kept in 16 bits
_PAUSE_SECONDS: Final = 0.05
_OLD_COSINE: Final = """
SELECT 1 - (vector <=> $1::halfvec) FROM by_hand WHERE md5(text) = md5($2)
"""

Cosine = Callable[[str, str], Awaitable[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of it."""

    exchanges: int
    searches: int
    errors: int
    compared: int
    """How many scores of meaning were worked out again."""
    mixed: int
    """How many of them were not those of the model that was searched with."""
    seconds: float
    done_at_kill: int
    left_at_kill: int
    embedded_after: int
    """How many the second process embedded, by its own count."""
    texts_given: int
    """How many texts the new model was given in all."""
    left_at_end: int
    search_ms: tuple[float, float, float]
    """Half of the searches, 95 of 100 and all of them took at most so long."""

    @property
    def went_on(self) -> bool:
        """Whether the second process did what the first had left, and nothing else."""
        return self.embedded_after == self.left_at_kill and self.left_at_end == 0


class OldModel:
    """The model that has embedded everything: it knows the vectors of the questions."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Vector] = {}

    async def warm(self) -> None:
        """Nothing to load."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """The vectors that were given for these texts."""
        return tuple(self.vectors[text] for text in texts)

    async def embed_question(self, question: str) -> Vector:
        """The vector that was given for it."""
        return self.vectors[question]


class Endpoint:
    """The new model, as an OpenAI-compatible endpoint."""

    def __init__(self) -> None:
        self._words = WordEmbedder(dimensions=DIMENSIONS)
        self.texts = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Its base URL."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
                body = self._answer(orjson.loads(await reader.readexactly(length))["input"])
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    def _answer(self, texts: Sequence[str]) -> bytes:
        self.texts += len(texts)
        vectors = enumerate(map(self._words.vector, texts))
        return orjson.dumps({"data": [{"index": at, "embedding": one} for at, one in vectors]})


@dataclass(slots=True, kw_only=True)
class Searching:
    """Searches that a server with one model makes, and what was wrong with them."""

    services: Services
    scope: Scope
    cosine: Cosine
    compared: int = 0
    mixed: int = 0
    errors: list[str] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    @classmethod
    def on(cls, stores: Stores, embedder: Embedder, cosine: Cosine) -> Self:
        """A server that embeds its questions with that model."""
        around = ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            stems=SnowballStems(),
            embedder=embedder,
        )
        return cls(services=build_services(stores, around), scope=scope_of(OWNER), cosine=cosine)

    async def search(self, question: str) -> None:
        """Search once, and work out again what it says."""
        began = time.perf_counter()
        try:
            found = await self.services.recall.search(self.scope, question, k=10)
        except Exception as error:  # noqa: BLE001  # that is what is counted
            self.errors.append(repr(error))
            return
        self.took.append((time.perf_counter() - began) * 1000)
        self.errors += found.warnings
        for item in found.items:
            if item.semantic is not None:
                self.compared += 1
                right = await self.cosine(question, item.text)
                self.mixed += abs(item.semantic - right) > _CLOSE


@dataclass(slots=True, kw_only=True)
class Stage:
    """A loaded database, the two servers that search it, and the endpoint of the new model."""

    home: Path
    administrator: asyncpg.Connection
    checking: asyncpg.Connection
    stores: Stores
    endpoint: Endpoint = field(default_factory=Endpoint)
    old_model: OldModel = field(default_factory=OldModel)
    new_model: WordEmbedder = field(
        default_factory=lambda: WordEmbedder(dimensions=DIMENSIONS, model=f"{NEW}:{DIMENSIONS}")
    )

    @classmethod
    @asynccontextmanager
    async def built(cls, home: Path, exchanges: int) -> AsyncIterator[Self]:
        """The stage, with the exchanges embedded by the old model."""
        async with AsyncExitStack() as opened:
            dsn = await opened.enter_async_context(running_server(home))
            database = await opened.enter_async_context(open_embedded(home, max_connections=4))
            await Load(owners={OWNER: exchanges}, others=0).run(dsn)
            administrator = await opened.enter_async_context(_connected(dsn))
            checking = await opened.enter_async_context(_connected(dsn))
            await administrator.execute("CREATE INDEX ON public.by_hand (md5(text))")
            stores = postgres_stores(database, SystemClock())
            yield cls(home=home, administrator=administrator, checking=checking, stores=stores)

    @asynccontextmanager
    async def searching(self) -> AsyncIterator[tuple[Searching, Searching]]:
        """Search with both models meanwhile."""
        old = Searching.on(self.stores, self.old_model, self._old_cosine)
        new = Searching.on(self.stores, self.new_model, self._new_cosine)
        task = asyncio.create_task(self._search(old, new))
        try:
            yield old, new
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def reindex(self, url: str) -> Process:
        """`recollect reindex` with the new model."""
        settings = {
            "MEMORY_HOME": str(self.home),
            "MEMORY_EMBEDDING_BASE_URL": url,
            "MEMORY_EMBEDDING_MODEL": NEW,
            "MEMORY_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        }
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "recollect", "reindex", "--json"),
            stdout=PIPE,
            stderr=DEVNULL,
            env={**os.environ, **settings},
        )

    async def left(self) -> int:
        """How many exchanges wait for the new model, once nobody is about to embed some."""
        async with self.administrator.transaction():
            # What a killed process had sent may yet be done; whoever embeds holds this row.
            await self.administrator.execute("SELECT FROM recall_owners FOR UPDATE")
            count: int = await self.administrator.fetchval(
                "SELECT count(*) FROM recall_entries WHERE model <> $1", self.new_model.model
            )
        return count

    async def waiting(self) -> int:
        """How many exchanges wait, by the count that the index keeps."""
        assert self.stores.recall is not None  # noqa: S101  # PostgreSQL has one
        return await self.stores.recall.count_outdated(model=self.new_model.model)

    async def _search(self, *servers: Searching) -> None:
        language = Language(5)
        while True:
            question, vector = language.question()
            self.old_model.vectors = {question: vector}
            for server in servers:
                await server.search(question)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _old_cosine(self, question: str, text: str) -> float:
        half = struct.pack(f">hh{DIMENSIONS}e", DIMENSIONS, 0, *self.old_model.vectors[question])
        cosine: float | None = await self.checking.fetchval(_OLD_COSINE, half, text)
        return math.inf if cosine is None else cosine

    async def _new_cosine(self, question: str, text: str) -> float:
        ours, theirs = self.new_model.vector(question), self.new_model.vector(_passage(text))
        return sum(a * b for a, b in zip(ours, theirs, strict=True))


def _passage(text: str) -> str:
    """What is embedded of an exchange with this text."""
    return Entry(UUID(int=0), 1, 1, (), text, datetime.now(UTC)).passage


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn, server_settings={"search_path": "recollect, public"})
    try:
        await connection.set_type_codec(
            "halfvec", schema="public", format="binary", encoder=bytes, decoder=bytes
        )
        yield connection
    finally:
        await connection.close()


async def run(home: Path, exchanges: int, kill_at: float) -> Result:
    """Load, change the model, kill, go on."""
    async with (
        Stage.built(home, exchanges) as stage,
        stage.endpoint.listening() as url,
        stage.searching() as servers,
    ):
        began = time.perf_counter()
        killed = await stage.reindex(url)
        while (waiting := await stage.waiting()) > exchanges * (1 - kill_at):
            if killed.returncode is not None:
                raise RuntimeError("'recollect reindex' ended by itself")
            _tell(exchanges - waiting, exchanges)
            await asyncio.sleep(_PAUSE_SECONDS)
        killed.kill()
        await killed.wait()
        left = await stage.left()
        print(f"\nkilled, {left:,} are left; a second process goes on …", file=sys.stderr)
        told, _ = await (await stage.reindex(url)).communicate()
        seconds = time.perf_counter() - began
        took = sorted(taken for server in servers for taken in server.took)
        for error in {error for server in servers for error in server.errors}:
            print(error, file=sys.stderr)
        return Result(
            exchanges=exchanges,
            searches=len(took),
            errors=sum(len(server.errors) for server in servers),
            compared=sum(server.compared for server in servers),
            mixed=sum(server.mixed for server in servers),
            seconds=seconds,
            done_at_kill=exchanges - left,
            left_at_kill=left,
            embedded_after=json.loads(told)["embedded_entries"],
            texts_given=stage.endpoint.texts,
            left_at_end=await stage.left(),
            search_ms=(statistics.median(took), took[int(len(took) * 0.95)], took[-1]),
        )


def _tell(done: int, of: int) -> None:
    print(f"\r{done:,} of {of:,} embedded …", end="", file=sys.stderr, flush=True)


def show(result: Result) -> None:
    """Print a table for people."""
    table = Table("what", "", box=None)
    half, most, longest = result.search_ms
    for what, value in (
        ("exchanges", f"{result.exchanges:,}"),
        ("embedded when the first process was killed", f"{result.done_at_kill:,}"),
        ("left then", f"{result.left_at_kill:,}"),
        ("embedded by the second process", f"{result.embedded_after:,}"),
        ("left at the end", f"{result.left_at_end:,}"),
        ("went on where it was", "yes" if result.went_on else "NO"),
        ("texts the new model was given", f"{result.texts_given:,}"),
        ("seconds", f"{result.seconds:.1f}"),
        ("searches meanwhile", f"{result.searches:,}"),
        ("errors and warnings of theirs", f"{result.errors:,}"),
        ("scores of meaning checked", f"{result.compared:,}"),
        ("of another model", f"{result.mixed:,}"),
        ("search ms p50 / p95 / longest", f"{half:.0f} / {most:.0f} / {longest:.0f}"),
    ):
        table.add_row(what, value)
    Console().print(table)


def main() -> None:
    """Read the command line, measure, tell; fail where something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=50_000)
    parser.add_argument("--kill-at", type=float, default=0.4, help="the share done by then")
    parser.add_argument("--json", type=Path, help="write the numbers here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-benchmark-") as home:
        result = asyncio.run(run(Path(home), options.exchanges, options.kill_at))
    show(result)
    if options.json:
        options.json.write_text(json.dumps(asdict(result), indent=2))
    sys.exit(0 if result.went_on and not result.errors and not result.mixed else 1)


if __name__ == "__main__":
    main()
