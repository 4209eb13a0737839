"""What belongs to no single owner, so that tests have to take turns: the queue, the clean-up.

Tests work on it in a past of their own, long before anything else in the database. What runs a
worker or a clean-up at the real time would take their jobs and sessions: it needs a database of
its own.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.identity.scope import Scope
from recollect.ports import Stores
from support.examples import a_session, append, messages_of, start_session

END_OF_PAST: Final = datetime(1951, 1, 1, tzinfo=UTC)
LEASE: Final = timedelta(seconds=60)
_PAST: Final = datetime(1950, 1, 1, tzinfo=UTC)
_LONGEST_TEST: Final = timedelta(seconds=60)


def long_ago(seconds: float) -> datetime:
    """A moment so many seconds after the start of the tests' own past."""
    return _PAST + timedelta(seconds=seconds)


def before_all_others(seconds: float) -> datetime:
    """A moment in a past that no other test stores turns in: they run at the same time."""
    return _PAST - timedelta(days=1) + timedelta(seconds=seconds)


@asynccontextmanager
async def alone(stores: Stores, what: str) -> AsyncIterator[None]:
    """Keep all other tests from the same thing, also those of other processes.

    The lock is a session, which only one can start; it expires in case its holder dies.
    """
    scope = Scope(tenant="recollect.testing", user=what)
    lock = a_session(uuid5(NAMESPACE_OID, what))
    while True:
        now = datetime.now(UTC)
        _, is_ours = await stores.sessions.start(
            scope, lock, now=now, expires_at=now + _LONGEST_TEST
        )
        if is_ours:
            break
        await asyncio.sleep(0.02)
    try:
        yield
    finally:
        await stores.sessions.delete(scope, lock.session_id, now=datetime.now(UTC))


@asynccontextmanager
async def an_empty_queue(stores: Stores) -> AsyncIterator[None]:
    """Let a test be alone with a queue in which nothing has waited for long."""
    async with alone(stores, "queue"):
        await _drain(stores)
        yield
        await _drain(stores)


async def queue_job(
    stores: Stores, scope: Scope, *, at: datetime, session_id: UUID | None = None
) -> UUID:
    """Queue the compaction of a new session at a moment; the session's id."""
    if session_id is None:
        session_id = (await start_session(stores, scope, now=at)).session_id
    await append(
        stores,
        scope,
        session_id,
        *messages_of("user", "assistant"),
        now=at,
        compaction=CompactionPolicy(trigger=1, keep=0),
    )
    return session_id


async def _drain(stores: Stores) -> None:
    while job := await stores.jobs.take(now=END_OF_PAST, lease=timedelta(0)):
        await stores.jobs.finish(job)
