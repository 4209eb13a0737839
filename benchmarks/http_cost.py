"""CPU time of a read over HTTP, beside the same read in the service and a bare Starlette route.

    python benchmarks/http_cost.py [--requests N] [--rounds N] [--log-level LEVEL]

The program that users start runs on a database of its own, and is asked by one client, one
request after the other. What is counted is the CPU time of the server's process alone: not the
client's, not PostgreSQL's. The service is called in this process, without HTTP. The bare route is
what the framework takes at least: uvicorn and a Starlette application with one route, which
answers with as many bytes. All take turns, so that noise hits them alike, and of the rounds a
quarter that took least is what counts. Linux only.
"""

import argparse
import asyncio
import multiprocessing
import socket
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

import uvicorn
import uvloop
from rich.console import Console
from rich.table import Table
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lean_http import LeanClient
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.memory import Memory
from recollect.settings import load_settings
from serving import Served, serving

USER: Final = "anna"
_SESSIONS: Final = 12
_EXCHANGES: Final = 10
_PAGE: Final = PageRequest(limit=10)
_SETTINGS: Final = {"preset": "chat", "embedding_model": "none"}
"""Nothing is summarised or embedded: what is measured is the way there."""
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A read over HTTP, and the same in the service."""

    request: str
    service: Call


Costs = dict[tuple[str, str], list[float]]
"""Milliseconds of CPU time of one call, by read and way, round by round."""


def _reads(memory: Memory, scope: Scope, session_id: UUID) -> dict[str, Read]:
    services = memory.services
    session = f"/api/v1/sessions/{session_id}"
    return {
        "10 messages": Read(
            request=f"GET {session}/messages?limit=10",
            service=lambda: services.messages.list(scope, session_id, _PAGE),
        ),
        "a session": Read(
            request=f"GET {session}", service=lambda: services.sessions.get(scope, session_id)
        ),
        "10 sessions": Read(
            request="GET /api/v1/sessions?limit=10",
            service=lambda: services.sessions.list(scope, _PAGE),
        ),
        "the user's state": Read(
            request="GET /api/v1/state", service=lambda: services.states.get(scope)
        ),
    }


async def main(*, requests: int, rounds: int, log_level: str) -> None:
    """Measure and print one table."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
        home = Path(folder)
        async with AsyncExitStack() as opened:
            memory = await opened.enter_async_context(
                Memory.open(load_settings(home=home, **_SETTINGS))
            )
            session_id, key = await _prepared(memory)
            settings = {f"MEMORY_{name.upper()}": value for name, value in _SETTINGS.items()}
            server = await opened.enter_async_context(
                serving(home, **settings, MEMORY_WORKER="false", MEMORY_LOG_LEVEL=log_level)
            )
            client = await opened.enter_async_context(LeanClient.to(server.port, key=key))
            scope = Scope(tenant=load_settings(home=home).tenant, user=USER)
            reads = _reads(memory, scope, session_id)
            size = len(await client.ask(reads["10 messages"].request, user=USER))
            bare = await opened.enter_async_context(_bare_route(size))
            bare_client = await opened.enter_async_context(LeanClient.to(bare.port, key=key))
            costs: Costs = defaultdict(list)
            for number, (name, read) in product(range(rounds + 1), reads.items()):
                over_http = _asking(client, read.request)
                plain = _asking(bare_client, read.request)
                for way, clock, call in (
                    ("HTTP", server.precise_processor_seconds, over_http),
                    ("service", time.process_time, read.service),
                    ("bare", bare.precise_processor_seconds, plain),
                ):
                    taken = await _measured(clock, call, requests if number else 200)
                    if number:  # the round before the first warms up
                        costs[name, way].append(taken)
            Console().print(_table(costs, list(reads)))


async def _prepared(memory: Memory) -> tuple[UUID, str]:
    """Store what is read; its session, and the key of a service."""
    for number in range(_SESSIONS):
        session = await memory.session(user=USER, name=f"Conversation {number}")
        for turn in range(_EXCHANGES):
            await session.add_exchange(
                f"Show me total sales by region for {2000 + turn}",
                "North 2.5M, South 1.8M and East 0.9M: the north has grown most.",
                sql_query="SELECT region, SUM(amount) FROM sales GROUP BY region",
            )
    tenant = TenantScope(tenant=load_settings().tenant)
    keys = memory.services.api_keys
    _, key = await keys.create(tenant, name="benchmark", scopes=[KeyScope.SERVICE])
    return session.id, key


def _asking(client: LeanClient, request: str) -> Call:
    return lambda: client.ask(request, user=USER)


async def _measured(clock: Callable[[], float], call: Call, count: int) -> float:
    """Milliseconds of CPU time of one call."""
    began = clock()
    for _ in range(count):
        await call()
    return 1000 * (clock() - began) / count


def _table(costs: Costs, reads: list[str]) -> Table:
    table = Table(
        "read",
        "service",
        "HTTP",
        "added by HTTP",
        "bare route",
        "added ÷ bare",
        box=None,
        title="ms of CPU time",
    )
    for read in reads:
        service, http, bare = (
            _lower_quartile(costs[read, way]) for way in ("service", "HTTP", "bare")
        )
        added = http - service
        numbers = (f"{number:.3f}" for number in (service, http, added, bare))
        table.add_row(read, *numbers, f"{added / bare:.2f}")
    return table


def _lower_quartile(milliseconds: list[float]) -> float:
    """What a quarter of the rounds took at most: other programs only make them longer."""
    return sorted(milliseconds)[len(milliseconds) // 4]


@asynccontextmanager
async def _bare_route(size: int) -> AsyncIterator[Served]:
    """A server with nothing but the framework, in a process of its own."""
    here, there = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_serve_bare, args=(there, size), daemon=True)
    process.start()
    port = await asyncio.to_thread(here.recv)
    try:
        yield Served(port=port, pid=process.pid or 0)
    finally:
        process.terminate()


def _serve_bare(reporting: Connection, size: int) -> None:
    async def answer(request: Request) -> Response:  # noqa: ARG001  # the framework's
        return Response(b" " * size, media_type="application/json")

    async def serve(listener: socket.socket) -> None:
        routes = [Route("/{path:path}", answer)]
        config = uvicorn.Config(
            Starlette(routes=routes), log_config=None, access_log=False, lifespan="off"
        )
        await uvicorn.Server(config).serve([listener])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        reporting.send(listener.getsockname()[1])
        uvloop.run(serve(listener))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--requests", type=int, default=100, help="in each round (default: 100)")
    parser.add_argument("--rounds", type=int, default=25, help="default: 25")
    parser.add_argument("--log-level", default="INFO", help="of the server (default: INFO)")
    given = parser.parse_args()
    uvloop.run(main(requests=given.requests, rounds=given.rounds, log_level=given.log_level))
