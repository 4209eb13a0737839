"""Users of a benchmark, with what they said before."""

import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import uuid4

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.memory import Memory
from recollect.settings import load_settings
from talk import answer, conversation

QUESTIONS_A_SESSION: Final = 12


def user_name(number: int) -> str:
    """What a user is called."""
    return f"user {number}"


async def prepare_users(home: Path, *, users: int, history: int) -> str:
    """Make a database whose users have said something before; the key of a service for them."""
    chance = random.Random(1)  # noqa: S311  # the same questions on every run, no secrets
    async with Memory.open(load_settings(home=home, embedding_model="none")) as memory:
        for number in range(users):
            questions = conversation(chance)
            for first in range(0, history, QUESTIONS_A_SESSION):
                session = await memory.session(user=user_name(number))
                for question in islice(questions, min(QUESTIONS_A_SESSION, history - first)):
                    await session.add_exchange(question, answer(chance))
    settings = load_settings(home=home)
    async with Memory.open(settings) as memory:
        if history:
            print("indexing what was said before …", file=sys.stderr)
            await memory.catch_up()
        return await service_key(memory, settings.tenant)


async def service_key(memory: Memory, tenant: str) -> str:
    """Make a key that names the users of a tenant."""
    keys = memory.services.api_keys
    scopes = [KeyScope.SERVICE]
    _, key = await keys.create(TenantScope(tenant=tenant), name="benchmark", scopes=scopes)
    return key


def questions_in_sessions() -> Iterator[tuple[str, str]]:
    """One session after the other: its id and a question, the first as good as half over.

    So each client is somewhere else in its session, as users are.
    """
    chance = random.Random()  # noqa: S311  # no secrets
    left = chance.randint(1, QUESTIONS_A_SESSION)
    while True:
        session_id = str(uuid4())
        for question in islice(conversation(chance), left):
            yield session_id, question
        left = QUESTIONS_A_SESSION
