"""How long texts that programs choke on hold the server's event loop, for each route.

    python benchmarks/hostile_texts.py [--size N] [--text NAME] [--rows N]

Sends what the tests send: each text as a question, as what was said before a short question, and
as a model's reply, through every route that takes text, to a whole server on a database of its
own. Printed are the CPU milliseconds of the loop's thread: all of a request, and its longest
callback, which is how long nobody else was answered; those of all threads, the client's among
them; and who was seen to hold the loop for more
than 20 ms.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from recollect.settings import Settings, load_settings
from recollect.telemetry.loop_watchdog import LOOP_HELD
from support.doubles.chat_endpoint import serving
from support.hostile.measured_server import MeasuredServer, measured_server
from support.hostile.requests import (
    HostileDouble,
    HostileRequest,
    as_question,
    as_reply,
    follow_up_requests,
    send,
    settings_for,
    store_in_session,
)
from support.hostile.texts import SIZES, TEXTS

_SECONDS: Final = 1800


async def main(size: int, names: list[str], rows: int) -> None:
    """Measure and print two tables."""
    with TemporaryDirectory(prefix="recollect-benchmark-") as home:
        double, held = HostileDouble(), _Held()
        logging.getLogger("recollect.telemetry.loop_watchdog").addHandler(held)
        async with (
            serving(double),
            measured_server(_settings(Path(home), double.url)) as server,
            httpx.AsyncClient(timeout=_SECONDS, trust_env=False) as client,
        ):
            measured: dict[tuple[str, str], tuple[float, float, float]] = {}
            for name in names:
                print(f"\r{name} …          ", end="", file=sys.stderr, flush=True)
                async for request, taken in _measured(client, server, double, TEXTS[name](size)):
                    measured[name, str(request)] = taken
    print(file=sys.stderr)
    _print(measured, rows)
    Console(width=140).print("", _holders(held))


def _settings(home: Path, model: str) -> Settings:
    return load_settings(home=home, loop_held_milliseconds=20, **settings_for(model))


class _Held(logging.Handler):
    """Collects what the watchdog logs."""

    def __init__(self) -> None:
        super().__init__()
        self.milliseconds: dict[tuple[str, str, str], list[float]] = defaultdict(list)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep how long somebody has held the loop."""
        if record.getMessage() == LOOP_HELD:
            facts = record.__dict__["facts"]
            holder = facts["route"], facts["stage"], facts["function"]
            self.milliseconds[holder].append(facts["processor_milliseconds"])


def _holders(held: _Held) -> Table:
    table = Table("route", "stage", "function", "times", "longest CPU ms", box=None)
    for holder, taken in sorted(held.milliseconds.items(), key=lambda item: -max(item[1])):
        table.add_row(*holder, str(len(taken)), f"{max(taken):.0f}")
    return table


async def _measured(
    client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble, text: str
) -> AsyncIterator[tuple[HostileRequest, tuple[float, float, float]]]:
    session_id = await store_in_session(client, server.url, text)
    for request in (*as_question(text), *follow_up_requests(session_id), *as_reply(text)):
        server.loop_time.take()
        worked = time.process_time()
        await send(client, server.url, request, double)
        longest, total = server.loop_time.take()
        yield request, (longest * 1000, total * 1000, (time.process_time() - worked) * 1000)


def _print(measured: dict[tuple[str, str], tuple[float, float, float]], rows: int) -> None:
    by_route = Table("request", "worst text", "longest ms", "total ms", "all threads ms", box=None)
    for request in dict.fromkeys(request for _, request in measured):
        cells = {text: taken for (text, known), taken in measured.items() if known == request}
        text = max(cells, key=lambda name: cells[name])
        by_route.add_row(request, text, *(f"{value:.1f}" for value in cells[text]))
    worst = Table("text", "request", "longest ms", "total ms", "all threads ms", box=None)
    for (text, request), taken in islice(_sorted(measured), rows):
        worst.add_row(text, request, *(f"{value:.1f}" for value in taken))
    Console(width=140).print(by_route, "", worst)


def _sorted(
    measured: dict[tuple[str, str], tuple[float, float, float]],
) -> Iterator[tuple[tuple[str, str], tuple[float, float, float]]]:
    return iter(sorted(measured.items(), key=lambda item: item[1], reverse=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--size", type=int, default=SIZES[-1], help="characters of each text")
    parser.add_argument("--text", action="append", choices=list(TEXTS), help="default: all")
    parser.add_argument("--rows", type=int, default=30, help="of the worst requests")
    given = parser.parse_args()
    asyncio.run(main(max(100, given.size), given.text or list(TEXTS), given.rows))
