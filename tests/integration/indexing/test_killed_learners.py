"""Worker processes learn from the same turns and are killed again and again."""

import asyncio
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from signal import SIGKILL
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import NewMessage
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import FactChange
from recollect.domain.facts.query import FactFilter
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import a_message, a_scope, append, start_session
from support.servers.programs import Program, start_program

TURNS = int(os.environ.get("RECOLLECT_LEARNT_TURNS", "16"))
WORKERS = int(os.environ.get("RECOLLECT_LEARNERS", "2"))
OWNERS = max(2, TURNS // 20)
MOST_PROGRESS = 40
"""Turns that are indexed or learnt from between two kills, at most."""

SUBJECTS = (
    "my bicycle stands in shed {0}",
    "the alarm of our shop has the name {0}",
    "the cello I play was made by {0}",
    "my grandmother's recipe book is called {0}",
    "our tax adviser is Mrs {0}",
    "invoices go to the office in {0}",
    "the wifi in the cabin is named {0}",
    "my running club is {0}",
    "the beehives stand near {0}",
    "our choir rehearses in the church of {0}",
    "the boat lies in the harbour of {0}",
    "we buy flour from the mill {0}",
    "my dentist has a practice in {0}",
)


@pytest.mark.slow
async def test_no_fact_is_lost_or_doubled_or_anothers_when_workers_are_killed(
    own_dsn: str, own_stores: Stores, tmp_path: Path
) -> None:
    said = {scope: await talk(own_stores, scope) for scope in map(an_owner, range(OWNERS))}
    environment = {
        **os.environ,
        "MEMORY_HOME": str(tmp_path),
        "MEMORY_DB_CONNECTION_STRING": own_dsn,
    }
    async with asyncio.timeout(25 * TURNS):
        await learn_with_killed_workers(own_stores, environment)

    for scope, messages in said.items():
        learnt = await changes_learnt(own_stores, scope)
        assert Counter(one.message_id for one in learnt) == Counter(messages.keys()), "each once"
        facts = [one.fact for one in await own_stores.facts.active(scope)]
        assert len({fact.content for fact in facts}) == len(facts) > 0
        assert names_in(fact.content for fact in facts) <= names_in(messages.values())


def names_in(texts: Iterable[str]) -> set[str]:
    """The names that one owner's messages have, and no other's."""
    return {name for text in texts for name in re.findall("q[0-9a-f]{8}", text)}


async def changes_learnt(stores: Stores, scope: Scope) -> list[FactChange]:
    """What messages changed, of all facts that an owner has or had."""
    page = await stores.facts.list(scope, PageRequest(limit=100), filters=FactFilter(status=None))
    histories = await stores.facts.histories(scope, [fact.fact_id for fact in page.items])
    changes = (change for history in histories.values() for change in history)
    return [change for change in changes if change.statement is not None]


def an_owner(number: int) -> Scope:
    return a_scope(user=f"user {number}")


async def talk(stores: Stores, scope: Scope) -> dict[UUID, str]:
    """Store an owner's turns, in which each fact is said twice, and return the messages."""
    count = TURNS // OWNERS // 2
    facts = [subject.format(f"q{uuid4().hex[:8]}") for subject in islice(SUBJECTS, count)]
    session = await start_session(stores, scope)
    messages: dict[UUID, str] = {}
    for fact in random.sample([*facts, *facts], 2 * count):
        stored, _ = await append(stores, scope, session.session_id, *turn(fact))
        messages[stored.message_id] = stored.content
    return messages


def turn(fact: str) -> tuple[NewMessage, NewMessage]:
    return a_message("user", f"Remember that {fact}."), a_message("assistant", "I will.")


async def learn_with_killed_workers(stores: Stores, environment: Mapping[str, str]) -> None:
    """Run workers, and kill one after each bit of progress, until nothing is left to learn."""
    workers: list[Program] = []
    try:
        while left := await turns_left(stores):
            while len(workers) < WORKERS:
                workers.append(start_program("recollect", "worker", env=environment))
            progress = random.randint(1, MOST_PROGRESS)  # noqa: S311  # chance
            while await turns_left(stores) > max(0, left - progress):  # noqa: ASYNC110  # no event
                await asyncio.sleep(0.02)
            await asyncio.sleep(random.uniform(0, 0.3))  # noqa: S311  # chance
            kill(workers.pop(random.randrange(len(workers))))  # noqa: S311  # chance
    finally:
        for worker in workers:
            kill(worker)


async def turns_left(stores: Stores) -> int:
    """How often a turn is still to be indexed or to be learnt from."""
    assert stores.indexing is not None
    assert stores.learning is not None
    return 2 * await stores.indexing.depth() + await stores.learning.depth()


def kill(worker: Program) -> None:
    worker.send_signal(SIGKILL)
    worker.wait(60)
