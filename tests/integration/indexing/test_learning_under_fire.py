"""Workers learn from the same turns at once and are stopped anywhere: each fact is there once."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from uuid import uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import ChangeKind
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Statement
from recollect.domain.identity.scope import Scope
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from support.examples import a_message, a_scope

_OWNERS = 4
_TURNS = 40
"""Of each owner; every fact is said in two of them."""
_WORKERS = 8
_LONGEST = 3.0


class Quoting:
    """Takes every message of a user for a statement."""

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        await asyncio.sleep(0)
        return tuple(
            Statement(
                message_id=one.message_id, quote=one.content, content=one.content, slot=Slot.OTHER
            )
            for one in messages
            if one.role is Role.USER
        )


def services_of(stores: Stores) -> Services:
    return build_services(
        stores,
        ServiceDependencies(
            clock=SystemClock(),
            ids=RandomIds(),
            counter_for=token_counter_for,
            fact_extractor=Quoting(),
        ),
    )


async def talk(services: Services, scope: Scope) -> set[str]:
    """Store the owner's turns, and return what is to be known then."""
    facts = [f"Tool number {number} of {scope.user} is blue" for number in range(_TURNS // 2)]
    session_id = uuid4()
    messages = [
        message
        for text in random.sample([*facts, *facts], _TURNS)
        for message in (a_message("user", text), a_message("assistant", "I see."))
    ]
    await services.messages.append(scope, session_id, messages, starts_session=True)
    return set(facts)


async def work(services: Services, done: asyncio.Event) -> None:
    """Learn until all is done; most rounds are stopped at a moment of chance."""
    assert services.indexing is not None
    assert services.turn_learning is not None
    while not done.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(random.uniform(0.01, _LONGEST)):  # noqa: S311  # chance
                await services.indexing.do_some()
                await services.turn_learning.do_some()
        await asyncio.sleep(0)


@pytest.mark.slow
async def test_no_fact_is_lost_or_doubled_or_anothers(own_stores: Stores) -> None:
    services = services_of(own_stores)
    indexing, learning = own_stores.indexing, own_stores.learning
    assert indexing is not None
    assert learning is not None
    scopes = [a_scope(user=f"user {number}") for number in range(_OWNERS)]
    wanted = {scope: await talk(services, scope) for scope in scopes}
    done = asyncio.Event()
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        for _ in range(_WORKERS):
            group.create_task(work(services_of(own_stores), done))
        while await indexing.depth() + await learning.depth():  # noqa: ASYNC110  # the database's, no event
            await asyncio.sleep(0.05)
        done.set()

    for scope in scopes:
        facts = [one.fact for one in await own_stores.facts.active(scope)]
        assert sorted(fact.content for fact in facts) == sorted(wanted[scope])
        for fact in facts:
            kinds = [one.kind for one in await own_stores.facts.history(scope, fact.fact_id)]
            assert kinds == [ChangeKind.CREATED, ChangeKind.REINFORCED]
