"""Prints the request units of what the DynamoDB engine does, by the rules that Amazon publishes.

    AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x python benchmarks/dynamodb_units.py http://127.0.0.1:4566

It works on a table of its own on a server with DynamoDB's interface. Such servers count units only
roughly, so these are computed from the items themselves: reads from the replies, writes from what
differs in the table afterwards.
"""

import asyncio
import math
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from recollect.adapters import open_adapters
from recollect.composition import build_services
from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.paging import PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import DEFAULT_TENANT, Scope
from recollect.engines.dynamodb.engine import dynamo_stores
from recollect.engines.dynamodb.table.client import DynamoClient
from recollect.engines.dynamodb.table.items import Item, decode, size_of
from recollect.engines.dynamodb.table.keys import LAST, name_of
from recollect.engines.dynamodb.table.provisioning import INDEXES, create_table, delete_table
from recollect.engines.dynamodb.table.table import Table
from recollect.memory import Memory
from recollect.ports import Stores
from recollect.settings import load_settings
from recollect.system import SystemClock

WRITE, READ = 1024, 4096
WRITE_PRICE, READ_PRICE = 1.25, 0.25
"""Dollars for a million units, as the fourth seed has them."""


class Meter:
    """Counts the read units of replies while it is on."""

    def __init__(self, client: DynamoClient) -> None:
        self.reads = 0.0
        self.requests = 0
        self.is_on = False
        self._call = client.call
        client.call = self._counted  # type: ignore[method-assign]  # to measure it

    async def _counted(self, operation: str, request: Any) -> dict[str, Any]:  # noqa: ANN401
        answer = await self._call(operation, request)
        if self.is_on:
            self.requests += 1
            self.reads += _read_units(operation, request, answer)
        return answer


def _read_units(operation: str, request: Any, answer: dict[str, Any]) -> float:  # noqa: ANN401
    match operation:
        case "GetItem":
            return _units(size_of(decode(answer.get("Item", {}))), READ)
        case "BatchGetItem":
            ((name, asked),) = request["RequestItems"].items()
            found = [size_of(decode(item)) for item in answer["Responses"].get(name, ())]
            missing = len(asked["Keys"]) - len(found)
            return missing + sum(_units(size, READ) for size in found)
        case "Query":
            units = _units(sum(size_of(decode(item)) for item in answer["Items"]), READ)
            return units / 2 if "IndexName" in request else units
        case _:
            return 0


def _units(size: int, of: int) -> int:
    return max(1, math.ceil(size / of))


def _write_units(before: dict[Any, Item], after: dict[Any, Item]) -> tuple[int, int]:
    """The units of transactions and of the indexes that follow them; one item alone is none."""
    table = indexes = 0
    changed_names = [n for n in before.keys() | after.keys() if before.get(n) != after.get(n)]
    times = 1 if len(changed_names) == 1 else 2
    for name in changed_names:
        old, new = before.get(name, {}), after.get(name, {})
        table += times * _units(max(size_of(old), size_of(new)), WRITE)
        for keys in INDEXES.values():
            places = [
                tuple(item[key] for key in keys) for item in (old, new) if set(keys) <= item.keys()
            ]
            changed = len(places) == 1 or len(set(places)) == 2  # noqa: PLR2004  # both, and other
            indexes += len(places) if changed else 0
    return table, indexes


async def measure(
    what: str, meter: Meter, table: Table, scope: Scope, work: Callable[[], Awaitable[object]]
) -> None:
    """Do something, and print its units and its price."""
    before = {name_of(item): item async for item in table.items(scope.owner_id, " ", LAST)}
    meter.reads, meter.requests, meter.is_on = 0, 0, True
    await work()
    meter.is_on = False
    after = {name_of(item): item async for item in table.items(scope.owner_id, " ", LAST)}
    written, indexed = _write_units(before, after)
    price = (written + indexed) * WRITE_PRICE + meter.reads * READ_PRICE
    print(f"| {what} | {meter.requests} | {meter.reads:g} | {written} | {indexed} | {price:.2f} |")


def _message(role: Role, length: int) -> NewMessage:
    return NewMessage(message_id=uuid4(), role=role, content=("word " * length)[:length])


async def main(address: str) -> None:
    """Measure what a turn, a context and lists take."""
    async with DynamoClient(region="us-east-1", endpoint=address) as client:
        table = Table(client, f"units-{uuid4()}")
        await create_table(client, table.name, is_protected=False, poll_seconds=0.1)
        clock = SystemClock()
        stores, scope, meter = (
            dynamo_stores(table, clock),
            Scope(tenant="t", user="u"),
            Meter(client),
        )
        session = NewSession(session_id=uuid4())

        async def exchange() -> None:
            pair = [_message(Role.USER, 100), _message(Role.ASSISTANT, 500)]
            await stores.messages.append(scope, session.session_id, pair, now=clock.now())

        async def window() -> None:
            await stores.messages.window(scope, session.session_id, count=10, covers_all=False)

        async def sessions() -> None:
            page = PageRequest(limit=10)
            await stores.sessions.list(scope, page, sort=SessionSort.LAST_ACCESSED)

        print("| What | Requests | R | W | W of indexes | dollars for a million |")
        print("| --- | --- | --- | --- | --- | --- |")
        start = lambda: stores.sessions.start(scope, session, now=clock.now())  # noqa: E731
        await measure("start a session", meter, table, scope, start)
        await measure("store an exchange, the first", meter, table, scope, exchange)
        for _ in range(100):
            await exchange()
        await measure("store an exchange, the 102nd", meter, table, scope, exchange)
        await measure("last 10 messages as a window", meter, table, scope, window)
        touch = lambda: stores.sessions.touch(  # noqa: E731
            scope, session.session_id, now=clock.now(), expires_at=None
        )
        await measure("note that a session was used", meter, table, scope, touch)
        for _ in range(29):
            other = NewSession(session_id=uuid4())
            await stores.sessions.start(scope, other, now=clock.now())
        await measure("10 of 30 sessions by last use", meter, table, scope, sessions)
        await _measure_service(stores, table, meter)
        await delete_table(client, table.name)


async def _measure_service(stores: Stores, table: Table, meter: Meter) -> None:
    """What a user's turn takes: its context, storing it, and the work in the background."""
    scope = Scope(tenant=DEFAULT_TENANT, user="whole")
    async with open_adapters(load_settings()) as adapters:
        services = build_services(stores, adapters.dependencies)
        memory = Memory(services)
        session = await memory.session(user=scope.user)

        async def context() -> None:
            await session.context("Which beans did I buy in May?")

        async def exchange() -> None:
            await session.add("user", ("I roast coffee at home on Sundays. " * 3)[:100])
            await session.add("assistant", ("word " * 100)[:500])

        async def background() -> None:
            while await memory.catch_up():
                pass

        for number in range(20):
            await session.add("user", f"Where did I buy the beans of month {number}?")
            await session.add("assistant", ("word " * 100)[:500])
        await background()
        await measure("a context, the first", meter, table, scope, context)
        await measure("a context, nothing new since", meter, table, scope, context)
        await measure("a question and its answer, one by one", meter, table, scope, exchange)
        await measure("index it and learn from it", meter, table, scope, background)
        await measure("a context after a new exchange", meter, table, scope, context)
        await services.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
