"""Recollect beside other memories: mem0, LangGraph's PostgresStore, and pgvector by hand.

    python benchmarks/rivals.py DATA [--conversations N] [--only NAME …] [--environments FOLDER]

DATA is a folder with `recall/*.jsonl`, as for recall.py. Each conversation is told to a user of
its own, one turn after the other, and then all questions about it are asked: R@10 is the share of
a question's evidence among the first ten turns, mean over the questions that have any. Then some
questions are put into a context: what was said last and what fits, ready for a prompt. mem0 keeps
no order of what was said, so its context has only what fits; it runs without a language model
(`infer=False`), and so do all others.

All use one PostgreSQL with pgvector, a database each, and the same embedder: Recollect has its own
in its process, and this program serves it to the others over HTTP. Each memory runs in a process
of its own, the rivals in virtual environments that this program makes with pip from the index that
pip is set to; one that cannot be installed is skipped, with the reason. One client at a time; the
memories take turns after each conversation, so that noise hits them alike. Times include
embedding. Recollect stores a turn at once and indexes it in the background, which also learns
facts: both are in the table.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

import asyncpg
import psutil
import uvloop
from rich.console import Console
from rich.table import Table

from embedding_server import EmbeddingServer, built_in_model
from recollect.engines.postgres.embedded import running_server

Json: TypeAlias = dict[str, Any]
RESULTS: Final = 10
_CONTEXTS: Final = 50
"""Questions of a conversation that are put into a context."""
_WORKERS: Final = Path(__file__).parent / "rival_workers"
_INSTALL_SECONDS: Final = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A memory, and what it needs installed."""

    name: str
    program: str
    packages: tuple[str, ...] = ()
    """Without any it runs in this program's own environment."""


CONTENDERS: Final = (
    Contender(name="recollect", program="recollect_memory.py"),
    Contender(name="pgvector", program="by_hand.py", packages=("psycopg[binary]",)),
    Contender(
        name="langgraph",
        program="langgraph_store.py",
        packages=("langgraph-checkpoint-postgres", "psycopg[binary,pool]"),
    ),
    Contender(name="mem0", program="mem0_memory.py", packages=("mem0ai", "psycopg[binary,pool]")),
)


@dataclass(slots=True)
class Measured:
    """What one memory took, and what it found."""

    seconds: dict[str, list[float]] = field(
        default_factory=lambda: {"add": [], "settle": [], "search": [], "context": []}
    )
    found: list[float] = field(default_factory=list)
    """The share of the evidence of each question."""
    cpu: float = 0.0
    embedding_cpu: float = 0.0
    database_cpu: float = 0.0
    resident: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A memory in its process."""

    name: str
    process: asyncio.subprocess.Process
    measured: Measured = field(default_factory=Measured)

    async def do(self, task: str, *arguments: object) -> Any:  # noqa: ANN401  # JSON
        """Let it do a task, and note how long that took."""
        writer, reader = self.process.stdin, self.process.stdout
        assert writer is not None  # noqa: S101  # both are pipes
        assert reader is not None  # noqa: S101
        writer.write(json.dumps([task, arguments]).encode() + b"\n")
        await writer.drain()
        line = await reader.readline()
        if not line:
            raise ConnectionError(f"{self.name} ended by itself")
        reply = json.loads(line)
        if task in self.measured.seconds:
            self.measured.seconds[task].append(reply["seconds"])
        return reply["result"]


async def main(given: argparse.Namespace) -> None:
    """Measure and print one table."""
    conversations = list(_conversations(given.data))[: given.conversations]
    skipped: dict[str, str] = {}
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="rivals-")))
        dsn = await opened.enter_async_context(running_server(folder / "home"))
        model = await asyncio.to_thread(built_in_model)
        url = await opened.enter_async_context(EmbeddingServer(model).listening())
        workers = []
        for contender in CONTENDERS:
            if given.only and contender.name not in given.only:
                continue
            try:
                python = await _environment(contender, given.environments or folder)
                at = str(folder / "home")
                if contender.packages:
                    at = await _database(dsn, contender.name)
                workers.append(
                    await opened.enter_async_context(_worker(contender, python, at, url))
                )
            except (subprocess.SubprocessError, OSError, TimeoutError) as error:
                skipped[contender.name] = _reason(error)
        await _measure(conversations, workers, skipped, home=folder / "home")
    Console(width=140).print(_table(workers, skipped))
    for name, reason in skipped.items():
        print(f"{name} was skipped: {reason}")


def _conversations(data: Path) -> Iterable[Json]:
    for path in sorted((data / "recall").glob("*.jsonl")):
        yield from map(json.loads, filter(None, path.read_text("utf-8").splitlines()))


async def _environment(contender: Contender, folder: Path) -> Path:
    """The Python of a memory, with what it needs."""
    if not contender.packages:
        return Path(sys.executable)
    home = folder / contender.name
    python = home / "bin" / "python"
    if not python.exists():
        print(f"installing {', '.join(contender.packages)} …", file=sys.stderr)
        await asyncio.to_thread(venv.create, home, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", *contender.packages]
    await asyncio.to_thread(
        subprocess.run, command, check=True, capture_output=True, timeout=_INSTALL_SECONDS
    )
    return python


async def _database(dsn: str, name: str) -> str:
    """A database of its own on the shared server."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(f'CREATE DATABASE "rival_{name}"')
    finally:
        await connection.close()
    address, _, query = dsn.partition("?")
    server, _, _ = address.rpartition("/")
    return f"{server}/rival_{name}" + (f"?{query}" if query else "")


@asynccontextmanager
async def _worker(contender: Contender, python: Path, at: str, url: str) -> AsyncIterator[Worker]:
    process = await asyncio.create_subprocess_exec(
        *(str(python), str(_WORKERS / contender.program), at, url),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    worker = Worker(name=contender.name, process=process)
    try:
        await worker.do("usage")  # it is there
        yield worker
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def _measure(
    conversations: Sequence[Json], workers: list[Worker], skipped: dict[str, str], *, home: Path
) -> None:
    """Tell each conversation to all memories in turn, and ask all questions about it."""
    for conversation in conversations:
        for worker in list(workers):
            print(f"{conversation['id']}: {worker.name} …", file=sys.stderr)
            try:
                await _run(worker, conversation, home)
            except ConnectionError as error:
                skipped[worker.name] = str(error)
                workers.remove(worker)


async def _run(worker: Worker, conversation: Json, home: Path) -> None:
    """Measure one memory with one conversation."""
    user, measured = f"{conversation['id']}-{uuid4()}", worker.measured
    own, database = await worker.do("usage"), _database_cpu(home)
    embedding = _own_cpu()
    for session in conversation["sessions"]:
        for turn in session["turns"]:
            await worker.do("add", user, turn)
    await worker.do("settle")
    for question in conversation["questions"]:
        ranked = await worker.do("search", user, question["question"], RESULTS)
        evidence = set(question["evidence"])
        if evidence:
            measured.found.append(len(evidence & set(ranked[:RESULTS])) / len(evidence))
    for question in conversation["questions"][:_CONTEXTS]:
        await worker.do("context", user, question["question"], RESULTS)
    after = await worker.do("usage")
    measured.cpu += after["cpu"] - own["cpu"]
    measured.resident = after["resident"]
    measured.embedding_cpu += _own_cpu() - embedding
    measured.database_cpu += _database_cpu(home) - database


def _own_cpu() -> float:
    """CPU seconds of this program, which embeds for all."""
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


def _database_cpu(home: Path) -> float:
    """CPU seconds of PostgreSQL's processes, with those that have ended."""
    number = next(home.rglob("postmaster.pid")).read_text("ascii").split()[0]
    postmaster, total = psutil.Process(int(number)), 0.0
    for process in (postmaster, *postmaster.children()):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    ended = postmaster.cpu_times()
    return total + ended.children_user + ended.children_system


def _table(workers: Sequence[Worker], skipped: dict[str, str]) -> Table:
    table = Table(
        *("memory", "R@10", "add p50/p95 ms", "index ms a turn", "search p50/p95 ms"),
        *("context p50/p95 ms", "CPU s: own / embedding / PostgreSQL", "resident MB"),
        box=None,
    )
    for worker in workers:
        measured = worker.measured
        added = len(measured.seconds["add"])
        if worker.name in skipped or not added:
            continue
        table.add_row(
            worker.name,
            f"{100 * sum(measured.found) / len(measured.found):.1f}",
            _quantiles(measured.seconds["add"]),
            f"{1000 * sum(measured.seconds['settle']) / added:.1f}",
            _quantiles(measured.seconds["search"]),
            _quantiles(measured.seconds["context"]),
            f"{measured.cpu:.1f} / {measured.embedding_cpu:.1f} / {measured.database_cpu:.1f}",
            f"{measured.resident:.0f}",
        )
    return table


def _quantiles(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return " / ".join(f"{1000 * ordered[int(len(ordered) * share)]:.1f}" for share in (0.5, 0.95))


def _reason(error: Exception) -> str:
    """What went wrong, in a line."""
    text = str(error)
    if isinstance(error, subprocess.CalledProcessError):
        text = (error.stderr or b"").decode(errors="replace")
    lines = [line for line in text.splitlines() if line.strip() and "WARNING" not in line]
    return lines[-1].strip() if lines else type(error).__name__


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--conversations", type=int, default=100, help="at most (default: all)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of: recollect, pgvector, …")
    parser.add_argument(
        "--environments", type=Path, metavar="FOLDER", help="keep the virtual environments there"
    )
    uvloop.run(main(parser.parse_args()))
