"""Shows the DynamoDB engine at size: many writers, many sessions, and a very long session.

    python benchmarks/dynamodb.py
    AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x python benchmarks/dynamodb.py http://127.0.0.1:4566

It works on tables of its own on a server with DynamoDB's interface, or without an address on a
double in this process: such servers read a whole partition for every query. Request units are
computed as in dynamodb_units.py.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

from dynamodb_units import Meter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.paging import PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.session_items import conversation_item
from recollect.engines.dynamodb.conversations.store import Conversations
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.engines.dynamodb.table.items import size_of
from recollect.engines.dynamodb.table.keys import key_of, message_key
from recollect.engines.dynamodb.table.provisioning import create_table, delete_table
from recollect.engines.dynamodb.table.table import Table
from recollect.ports import Stores
from recollect.system import SystemClock
from support.doubles.dynamodb import a_double

CLOCK = SystemClock()
MESSAGES_OF_EACH = 40
PROCESSES = 3


@asynccontextmanager
async def a_table(address: str | None) -> AsyncIterator[Table]:
    """A table that is deleted afterwards; without an address, one in this process."""
    name = f"size-{uuid4()}"
    if address is None:
        yield a_double(longest_wait=0.002)
        return
    async with DynamoClient(region="us-east-1", endpoint=address) as client:
        await create_table(client, name, is_protected=False, poll_seconds=0.1)
        yield Table(client, name)
        await delete_table(client, name)


def a_message(role: Role, text: str) -> NewMessage:
    """A message of an id of its own."""
    return NewMessage(message_id=uuid4(), role=role, content=text)


async def writers(address: str | None, count: int, *, doubled: bool) -> None:
    """Let writers of several processes append to one session; each message comes once."""
    scope, session = Scope(tenant="t", user="u"), NewSession(session_id=uuid4())
    async with a_table(address) as table:
        # Tables of their own share no lock, as those of several processes do not.
        processes = [
            dynamo_stores(Table(table.client, table.name), CLOCK) for _ in range(PROCESSES)
        ]
        await processes[0].sessions.start(scope, session, now=CLOCK.now())
        sent: set[UUID] = set()

        async def write(number: int) -> None:
            for at in range(MESSAGES_OF_EACH):
                message = a_message(Role.ASSISTANT, f"writer {number}, message {at}")
                sent.add(message.message_id)
                chosen = random.sample(processes, 2 if doubled else 1)
                await asyncio.gather(
                    *(
                        one.messages.append(scope, session.session_id, [message], now=CLOCK.now())
                        for one in chosen
                    )
                )

        began = time.monotonic()
        await asyncio.gather(*map(write, range(count)))
        seconds = time.monotonic() - began
        one = await Conversations(table, CLOCK).stored(scope.owner_id, session.session_id)
        assert one is not None  # noqa: S101  # it was started
        places = [
            key_of(scope.owner_id, message_key(session.session_id, one.incarnation, number))
            for number in range(1, len(sent) + 2)
        ]
        # By their keys: a server that reads whole partitions takes a minute for a query.
        stored = (await table.get_many(places)).values()
        is_right = {int(item["sequence"]) for item in stored} == {*range(1, len(sent) + 1)}
        is_right &= {str(item["messageId"]) for item in stored} == {*map(str, sent)}
        is_right &= one.last_sequence == len(sent)
        print(
            f"{count} writers x {MESSAGES_OF_EACH} messages{', each request doubled' * doubled}: "
            f"{len(stored)} stored, numbered 1..{len(sent)} without gap or double: {is_right}; "
            f"{seconds:.0f} s"
        )


async def many_sessions(address: str | None, count: int) -> None:
    """List the sessions of a user by last access, with a tenth and with all of them."""
    scope = Scope(tenant="t", user="u")
    async with a_table(address) as table:
        stores, meter = dynamo_stores(table, CLOCK), Meter(table.client)
        print("| sessions of the user | page | requests | R |\n| --- | --- | --- | --- |")
        there = 0
        for number in (count // 100, count // 10, count):
            await _start(stores, scope, number - there)
            there = number
            for name, page in await _pages(stores, scope):
                await counted(meter, lambda page=page: _list(stores, scope, page))
                print(f"| {there:,} | {name} | {meter.requests} | {meter.reads:g} |")


async def _start(stores: Stores, scope: Scope, count: int) -> None:
    async def start(_: int) -> None:
        await stores.sessions.start(scope, NewSession(session_id=uuid4()), now=CLOCK.now())

    for begun in range(0, count, 20):
        await asyncio.gather(*map(start, range(min(20, count - begun))))


async def _list(stores: Stores, scope: Scope, page: PageRequest) -> str | None:
    listed = await stores.sessions.list(scope, page, sort=SessionSort.LAST_ACCESSED)
    assert len(listed.items) == page.limit  # noqa: S101  # there are more
    return listed.next_cursor


async def _pages(stores: Stores, scope: Scope) -> Sequence[tuple[str, PageRequest]]:
    first = PageRequest(limit=10)
    return ("first 10", first), (
        "next 10",
        PageRequest(limit=10, cursor=await _list(stores, scope, first)),
    )


async def counted(meter: Meter, work: Callable[[], Awaitable[object]]) -> None:
    """Count what something takes."""
    meter.reads, meter.requests, meter.is_on = 0, 0, True
    await work()
    meter.is_on = False


async def long_session(address: str | None, count: int, *, irregular: bool) -> None:
    """Read the last 10 messages of a session as it grows."""
    scope, session = Scope(tenant="t", user="u"), NewSession(session_id=uuid4())
    roles = random.Random(7)  # noqa: S311  # the same each time
    async with a_table(address) as table:
        stores, meter = dynamo_stores(table, CLOCK), Meter(table.client)
        await stores.sessions.start(scope, session, now=CLOCK.now())
        kind = "1 to 6 messages a turn" if irregular else "a question and an answer a turn"
        print(f"\nA session of {count:,} messages, {kind}:")
        print(
            "| messages | session item | last 10: requests | R | ms | window of 10: requests | R |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        there = 0
        for number in (count // 100, count // 10, count):
            while there < number:
                batch = _batch(roles, irregular=irregular, most=min(1_000, number - there))
                await stores.messages.append(scope, session.session_id, batch, now=CLOCK.now())
                there += len(batch)
            await _show_tail(table, stores, meter, scope, session.session_id)


def _batch(roles: random.Random, *, irregular: bool, most: int) -> list[NewMessage]:
    batch: list[NewMessage] = []
    while len(batch) < most:
        replies = roles.randint(0, 5) if irregular else 1
        batch.append(a_message(Role.USER, "What were the sales of 2024 by region, and why? " * 2))
        batch += [a_message(Role.ASSISTANT, "They were 2.5M. " * 30) for _ in range(replies)]
    return batch[:most]


async def _show_tail(
    table: Table, stores: Stores, meter: Meter, scope: Scope, session_id: UUID
) -> None:
    one = await Conversations(table, CLOCK).stored(scope.owner_id, session_id)
    assert one is not None  # noqa: S101  # it was started
    began = time.monotonic()
    await counted(meter, lambda: stores.messages.last(scope, session_id, count=10))
    milliseconds = 1000 * (time.monotonic() - began)
    of_last = f"{meter.requests} | {meter.reads:g} | {milliseconds:.0f}"
    await counted(
        meter, lambda: stores.messages.window(scope, session_id, count=10, covers_all=False)
    )
    size = f"{size_of(conversation_item(one)):,} bytes"
    print(f"| {one.stored_count:,} | {size} | {of_last} | {meter.requests} | {meter.reads:g} |")


async def main(given: argparse.Namespace) -> None:
    """Run what was chosen."""
    if "writers" in given.parts:
        for doubled in (False, True):
            await writers(given.address, given.writers, doubled=doubled)
    if "sessions" in given.parts:
        await many_sessions(given.address, given.sessions)
    if "messages" in given.parts:
        for irregular in (False, True):
            await long_session(given.address, given.messages, irregular=irregular)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", nargs="?")
    parser.add_argument("--parts", nargs="+", default=["writers", "sessions", "messages"])
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=100_000)
    asyncio.run(main(parser.parse_args(sys.argv[1:])))
