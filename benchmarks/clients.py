"""Many clients at once on kept connections: how many requests fail, and how.

    python benchmarks/clients.py [--clients N] [--requests N] [--processes N] [--at-once]

Each client opens a connection and asks on it, one question after the other. With --at-once all
of them wait for the slowest before each further question, so that connections are idle in
between. The program that users start runs on a database of its own.
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from serving import serving

_PATIENCE = 300


async def measure(arguments: argparse.Namespace) -> None:
    """Print what became of all requests."""
    with TemporaryDirectory(prefix="recollect-clients-", ignore_cleanup_errors=True) as folder:
        async with serving(
            Path(folder),
            MEMORY_PROCESSES=str(arguments.processes),
            MEMORY_EMBEDDING_MODEL="none",
            MEMORY_LOG_LEVEL="WARNING",
        ) as server:
            began = time.perf_counter()
            outcomes = await ask_all(server.port, arguments)
            seconds = time.perf_counter() - began
    print(f"{arguments.clients} clients, {arguments.processes} processes, {seconds:.1f} s")
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:>8}  {outcome}")


async def ask_all(port: int, arguments: argparse.Namespace) -> Counter[str]:
    """How often each status or error came."""
    outcomes: Counter[str] = Counter()
    barrier = asyncio.Barrier(arguments.clients) if arguments.at_once else None

    async def client(name: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(arguments.requests):
            async with barrier or nullcontext():
                pass
            try:
                outcomes[await ask(reader, writer, f"Question {number} of {name}?")] += 1
            except (OSError, EOFError, TimeoutError) as error:
                outcomes[type(error).__name__] += 1
        writer.close()

    await asyncio.gather(*map(client, range(arguments.clients)))
    return outcomes


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, question: str) -> str:
    """The status of one answer."""
    body = json.dumps({"query": question}).encode()
    writer.write(
        b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    )
    async with asyncio.timeout(_PATIENCE):
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("content-length:")[2].partition("\r\n")[0])
        await reader.readexactly(length)
    return head.split()[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=2)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--at-once", action="store_true", help="wait for all between questions")
    asyncio.run(measure(parser.parse_args()))
