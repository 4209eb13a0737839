"""What `recollect.ports.conversations.MessageStore` promises of the work that messages make."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

import pytest

from conformance.contracts.shared import END_OF_PAST, LEASE, an_empty_queue, long_ago
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.identity.scope import Scope
from recollect.errors import IdAlreadyUsed
from recollect.ports import Stores
from recollect.ports.jobs import Job
from support.examples import (
    a_message,
    a_scope,
    a_summary,
    append,
    messages_of,
    put_summary,
    start_conversation,
    start_session,
)

POLICY: Final = CompactionPolicy(trigger=4, keep=2)


class QueueingContract:
    """A session that has grown past the trigger has one job waiting, others have none."""

    @pytest.fixture(autouse=True)
    async def _alone(self, stores: Stores) -> AsyncIterator[None]:
        async with an_empty_queue(stores):
            yield

    async def test_a_job_is_queued_when_a_session_passes_the_trigger(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, now=long_ago(0))
        for second in range(1, 5):
            await _append(stores, scope, session.session_id, "user", second=second)
        assert await _take_all(stores) == [], "the trigger is only reached"
        await _append(stores, scope, session.session_id, "user", second=5)
        assert await stores.jobs.take(now=long_ago(4.999), lease=LEASE) is None
        (job,) = await _take_all(stores)
        assert (job.scope, job.session_id) == (scope, session.session_id)

    @pytest.mark.parametrize(
        "roles", ["user user user user user", "assistant user user user user", "system " * 5]
    )
    async def test_one_batch_can_pass_the_trigger(self, stores: Stores, roles: str) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, now=long_ago(0))
        await _append(stores, scope, session.session_id, *roles.split(), second=1)
        assert len(await _take_all(stores)) == 1

    async def test_without_a_policy_nothing_is_queued(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 9, now=long_ago(0))
        await append(stores, scope, session_id, a_message(), now=long_ago(1))
        assert await _take_all(stores) == []

    async def test_a_waiting_job_stays_as_it_is(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 9, now=long_ago(0))
        for second in (1, 2, 3):
            await _append(stores, scope, session_id, "user", second=second)
        job = await stores.jobs.take(now=long_ago(1), lease=LEASE)
        assert job is not None, "it has waited since the first one"
        await stores.jobs.finish(job)
        assert await _take_all(stores) == []

    async def test_writers_at_once_queue_one_job(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 9, now=long_ago(0))
        await asyncio.gather(
            *(_append(stores, scope, session_id, "user", second=second) for second in range(5))
        )
        assert len(await _take_all(stores)) == 1

    async def test_a_job_that_is_being_done_is_not_queued_again_until_it_is_finished(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 9, now=long_ago(0))
        await _append(stores, scope, session_id, "user", second=1)
        (job,) = await _take_all(stores)
        await _append(stores, scope, session_id, "user", second=2)
        await stores.jobs.finish(job)
        assert await _take_all(stores) == []
        await _append(stores, scope, session_id, "user", second=3)
        (again,) = await _take_all(stores)
        assert (again.job_id, again.attempts) == (job.job_id, 1)

    async def test_a_retry_queues_nothing(self, stores: Stores) -> None:
        scope = a_scope()
        session = await start_session(stores, scope, now=long_ago(0))
        messages = messages_of(*["user"] * 9)
        await append(stores, scope, session.session_id, *messages, now=long_ago(1))
        await append(
            stores, scope, session.session_id, *messages, now=long_ago(2), compaction=POLICY
        )
        assert await _take_all(stores) == []

    async def test_a_refused_append_queues_no_job(self, stores: Stores) -> None:
        scope = a_scope()
        session_id, messages = await start_conversation(
            stores, scope, ["user"] * 9, now=long_ago(0)
        )
        other = a_message(content="something else", message_id=messages[0].message_id)
        with pytest.raises(IdAlreadyUsed):
            await append(stores, scope, session_id, other, now=long_ago(1), compaction=POLICY)
        assert await _take_all(stores) == []

    async def test_only_messages_after_the_summary_count_towards_the_compaction_trigger(
        self, stores: Stores
    ) -> None:
        scope = a_scope()
        session_id, _ = await start_conversation(stores, scope, ["user"] * 9, now=long_ago(0))
        assert await put_summary(stores, scope, session_id, a_summary(through=7), replaces=0)
        await _append(stores, scope, session_id, "user", "user", second=1)
        assert await _take_all(stores) == []
        await _append(stores, scope, session_id, "user", second=2)
        assert len(await _take_all(stores)) == 1


async def _append(
    stores: Stores, scope: Scope, session_id: UUID, *roles: str, second: float
) -> None:
    messages = messages_of(*roles)
    await append(stores, scope, session_id, *messages, now=long_ago(second), compaction=POLICY)


async def _take_all(stores: Stores) -> list[Job]:
    """All jobs of the queue, taken before the end of the past for a time beyond it."""
    jobs = []
    while job := await stores.jobs.take(now=END_OF_PAST - LEASE / 2, lease=LEASE):
        jobs.append(job)
    return jobs
