"""Jobs that are done in rounds."""

from datetime import timedelta

from recollect.domain.context.compaction import CompactionPolicy
from recollect.engines.in_memory import in_memory_stores
from recollect.ports.jobs import Job, JobKind
from recollect.services.background import Work
from recollect.testing import FixedClock
from support.examples import a_scope, append, messages_of, start_session

SOON = timedelta(seconds=1)


class Scene:
    """Conversations that make jobs, and a worker."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.stores = in_memory_stores(self.clock)
        self.scope = a_scope()
        self.done: list[Job] = []
        self.meanwhile = 0
        """How many conversations make a job while the next one is done."""
        self.work = Work(
            jobs=self.stores.jobs, clock=self.clock, handlers={JobKind.COMPACT: self.handle}
        )

    async def talk(self) -> None:
        session = await start_session(self.stores, self.scope, now=self.clock.now())
        await append(
            self.stores,
            self.scope,
            session.session_id,
            *messages_of("user", "assistant"),
            now=self.clock.now(),
            compaction=CompactionPolicy(trigger=1, keep=0),
        )

    async def handle(self, job: Job) -> None:
        self.done.append(job)
        self.clock.move(SOON)
        for _ in range(self.meanwhile):
            await self.talk()
        self.meanwhile = 0


async def test_a_round_does_the_waiting_jobs_and_leaves_those_queued_meanwhile() -> None:
    scene = Scene()
    await scene.talk()
    await scene.talk()
    scene.meanwhile = 2
    assert await scene.work.do_waiting() == 2
    assert len(scene.done) == 2
    assert await scene.work.do_waiting() == 2
    assert len(scene.done) == 4
    assert await scene.work.do_waiting() == 0


async def test_a_job_is_leased_from_the_moment_it_is_taken() -> None:
    scene = Scene()
    began = scene.clock.now()
    await scene.talk()
    scene.clock.move(timedelta(minutes=4))  # the jobs before took so long
    assert await scene.work.do_one(waiting_at=began)
    (job,) = scene.done
    assert job.scheduled_at == began + timedelta(minutes=9)
