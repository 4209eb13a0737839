"""What `recollect.ports.jobs.JobQueue` promises."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from conformance.contracts.shared import (
    END_OF_PAST,
    LEASE,
    an_empty_queue,
    long_ago,
    queue_job,
)
from recollect.ports import Stores
from recollect.ports.jobs import Job, JobKind, job_id_for
from support.examples import a_scope, a_session


class JobQueueContract:
    """Each job goes to one worker at a time, and to another one if that one fails."""

    @pytest.fixture(autouse=True)
    async def _alone(self, stores: Stores) -> AsyncIterator[None]:
        async with an_empty_queue(stores):
            yield

    async def test_a_taken_job_has_its_kind_owner_session_attempts_and_end_of_lease(
        self, stores: Stores
    ) -> None:
        scope = a_scope(user="Zoë")
        session_id = await queue_job(stores, scope, at=long_ago(0))
        assert await stores.jobs.take(now=long_ago(5), lease=LEASE) == Job(
            job_id=job_id_for(JobKind.COMPACT, session_id),
            kind=JobKind.COMPACT,
            scope=scope,
            session_id=session_id,
            attempts=1,
            scheduled_at=long_ago(5) + LEASE,
        )

    async def test_an_empty_queue_has_no_job(self, stores: Stores) -> None:
        assert await stores.jobs.take(now=END_OF_PAST, lease=LEASE) is None

    async def test_the_job_that_has_waited_longest_comes_first(self, stores: Stores) -> None:
        scope = a_scope()
        queued = {second: await queue_job(stores, scope, at=long_ago(second)) for second in (3, 1)}
        queued[2] = await queue_job(stores, a_scope(), at=long_ago(2))
        taken = [await _take(stores, 9) for _ in queued]
        assert [job.session_id for job in taken] == [queued[1], queued[2], queued[3]]
        assert await stores.jobs.take(now=long_ago(9), lease=LEASE) is None

    async def test_of_jobs_that_have_waited_equally_long_the_lower_id_comes_first(
        self, stores: Stores
    ) -> None:
        for _ in range(4):
            await queue_job(stores, a_scope(), at=long_ago(0))
        taken = [(await _take(stores, 1)).job_id for _ in range(4)]
        assert taken == sorted(taken)

    async def test_a_job_is_not_taken_before_its_time(self, stores: Stores) -> None:
        session_id = await queue_job(stores, a_scope(), at=long_ago(10))
        assert await stores.jobs.take(now=long_ago(9.999), lease=LEASE) is None
        assert (await _take(stores, 10)).session_id == session_id

    async def test_a_taken_job_is_nobody_elses_until_the_lease_is_over(
        self, stores: Stores
    ) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        first = await _take(stores, 0)
        assert await stores.jobs.take(now=long_ago(59.999), lease=LEASE) is None
        second = await _take(stores, 60)
        assert second.job_id == first.job_id
        assert (second.attempts, second.scheduled_at) == (2, long_ago(120))

    async def test_many_workers_at_once_get_a_job_each(self, stores: Stores) -> None:
        queued = {await queue_job(stores, a_scope(), at=long_ago(n)) for n in range(5)}
        taken = await asyncio.gather(
            *(stores.jobs.take(now=long_ago(9), lease=LEASE) for _ in range(8))
        )
        sessions = [job.session_id for job in taken if job is not None]
        assert len(sessions) == 5
        assert set(sessions) == queued

    async def test_a_finished_job_is_gone(self, stores: Stores) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        job = await _take(stores, 1)
        await stores.jobs.finish(job)
        assert await stores.jobs.take(now=END_OF_PAST, lease=LEASE) is None
        await stores.jobs.finish(job)
        await stores.jobs.postpone(job, until=long_ago(0))
        assert await stores.jobs.take(now=END_OF_PAST, lease=LEASE) is None

    async def test_finishing_one_job_leaves_the_others(self, stores: Stores) -> None:
        scope = a_scope()
        await queue_job(stores, scope, at=long_ago(0))
        other = await queue_job(stores, scope, at=long_ago(1))
        await stores.jobs.finish(await _take(stores, 2))
        assert (await _take(stores, 2)).session_id == other

    async def test_a_worker_whose_lease_is_over_cannot_finish_the_next_ones_job(
        self, stores: Stores
    ) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        late = await _take(stores, 0)
        current = await _take(stores, 100)
        await stores.jobs.finish(late)
        assert (await _take(stores, 200)).job_id == current.job_id

    async def test_a_worker_whose_lease_is_over_cannot_postpone_the_next_ones_job(
        self, stores: Stores
    ) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        late = await _take(stores, 0)
        current = await _take(stores, 100)
        await stores.jobs.postpone(late, until=long_ago(101))
        assert await stores.jobs.take(now=long_ago(110), lease=LEASE) is None
        await stores.jobs.finish(current)
        assert await stores.jobs.take(now=END_OF_PAST, lease=LEASE) is None

    async def test_a_postponed_job_is_not_taken_before_the_time_it_was_postponed_to(
        self, stores: Stores
    ) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        job = await _take(stores, 0)
        await stores.jobs.postpone(job, until=long_ago(500))
        assert await stores.jobs.take(now=long_ago(499), lease=LEASE) is None
        again = await _take(stores, 500)
        assert (again.job_id, again.attempts) == (job.job_id, 2)

    async def test_a_job_can_be_postponed_to_before_the_end_of_its_lease(
        self, stores: Stores
    ) -> None:
        await queue_job(stores, a_scope(), at=long_ago(0))
        await stores.jobs.postpone(await _take(stores, 0), until=long_ago(1))
        assert (await _take(stores, 1)).attempts == 2

    async def test_two_owners_with_sessions_of_one_id_have_a_job_each(self, stores: Stores) -> None:
        scopes = [a_scope(), a_scope()]
        new = a_session()
        for scope in scopes:
            await stores.sessions.start(scope, new, now=long_ago(0))
            await queue_job(stores, scope, at=long_ago(0), session_id=new.session_id)
        first, second = await _take(stores, 0), await _take(stores, 0)
        assert {first.scope.tenant, second.scope.tenant} == {scope.tenant for scope in scopes}
        await stores.jobs.finish(first)
        assert (await _take(stores, 100)).scope == second.scope

    async def test_a_job_outlives_its_session(self, stores: Stores) -> None:
        scope = a_scope()
        session_id = await queue_job(stores, scope, at=long_ago(0))
        await stores.sessions.delete(scope, session_id, now=long_ago(1))
        job = await _take(stores, 2)
        assert job.session_id == session_id
        assert await stores.summaries.uncompacted(scope, session_id, limit=9) is None


async def _take(stores: Stores, second: float) -> Job:
    """Take a job that is known to wait."""
    job = await stores.jobs.take(now=long_ago(second), lease=LEASE)
    assert job is not None, "a job should wait"
    return job
