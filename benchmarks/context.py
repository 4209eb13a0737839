"""How long a context takes by the length of its session: it should not matter.

    python benchmarks/context.py [--rounds N]

Sessions of 0 to 10,000 messages are measured in turns, so that noise hits all of them alike.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

import uvloop
from rich.console import Console
from rich.table import Table

from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.memory import Memory
from recollect.settings import load_settings

LENGTHS: Final = (0, 1, 9, 10, 11, 100, 10_000)
PRESETS: Final = ("chat", "data-questions")
QUESTION: Final = "What about 2023?"
SCOPE: Final = Scope(tenant="benchmark", user="reader")
_AT_ONCE: Final = 1000


async def main(rounds: int) -> None:
    """Measure every preset on a database of its own and print one table."""
    table = Table("preset", "messages", "p50 ms", "p95 ms", "÷ 10 messages", box=None)
    for preset in PRESETS:
        with TemporaryDirectory(prefix="recollect-benchmark-") as folder:
            settings = load_settings(home=folder, preset=preset)
            async with Memory.open(settings) as memory:
                await memory.services.rewriting.prepare()  # as the server does
                sessions = {length: await load(memory, length) for length in LENGTHS}
                print(f"{preset}: summarising …", file=sys.stderr)
                while await memory.services.work.do_one():
                    pass
                samples = await measure(memory, sessions, rounds)
        usual = statistics.median(samples[10])
        for length, taken in samples.items():
            p50, p95 = statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]
            table.add_row(
                *(preset, f"{length:,}", f"{p50:.2f}", f"{p95:.2f}", f"{p50 / usual:.2f}")
            )
    Console().print(table)


async def load(memory: Memory, length: int) -> UUID:
    """A session with so many messages."""
    services = memory.services
    session = NewSession(session_id=services.ids.new_id())
    await services.sessions.start(SCOPE, session)
    messages = list(conversation(memory, length))
    for start in range(0, length, _AT_ONCE):
        part = messages[start : start + _AT_ONCE]
        await services.messages.append(SCOPE, session.session_id, part)
    return session.session_id


def conversation(memory: Memory, length: int) -> Iterator[NewMessage]:
    """Questions about years and their answers, in turns."""
    for number in range(length):
        is_question = number % 2 == 0
        year = 1900 + number // 2
        yield NewMessage(
            message_id=memory.services.ids.new_id(),
            role=Role.USER if is_question else Role.ASSISTANT,
            content=f"Show me total sales by region for {year}"
            if is_question
            else f"In {year} the North sold 2.5M, the South 1.8M and the East 0.9M.",
            details=AnswerDetails()
            if is_question
            else AnswerDetails(sql_query=f"FROM sales SELECT region WHERE year = {year}"),
        )


async def measure(memory: Memory, sessions: dict[int, UUID], rounds: int) -> dict[int, list[float]]:
    """Milliseconds that a context takes in each session, measured in turns."""
    samples: dict[int, list[float]] = defaultdict(list)
    for number in range(rounds + 20):
        for length, session_id in sessions.items():
            began = time.perf_counter()
            await memory.services.contexts.build(SCOPE, session_id, QUESTION)
            if number >= 20:  # noqa: PLR2004  # the first ones warm caches and plans
                samples[length].append((time.perf_counter() - began) * 1000)
    return samples


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=200, help="contexts of each session")
    uvloop.run(main(max(1, parser.parse_args().rounds)))
