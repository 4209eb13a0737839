"""Recording operations: in batches, without anybody waiting, and what happens when it fails."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.chat.answers import Inquiry
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.fact import FactType
from recollect.domain.identity.audit import AuditAction, AuditFailure, AuditPolicy, OwnedEntry
from recollect.domain.identity.scope import Interface
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.engines.in_memory.privacy.audit import InMemoryAuditLog
from recollect.errors import AuditUnavailable, DatabaseUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.metrics import AUDIT_LOST
from recollect.services.audit import trail
from recollect.services.audit.trail import BATCH, AuditTrail
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds
from recollect.testing import FixedClock
from support.examples import a_message, a_scope
from support.facts.scripted_models import ScriptedExtractor
from support.recorded_telemetry import RecordedTelemetry
from support.scripted_answerer import ScriptedAnswerer
from support.timeouts import PATIENCE

READ = AuditAction.MESSAGE_READ
SCOPE = a_scope()


@dataclass
class Log:
    """An audit log that may fail, or hang, and remembers its batches."""

    batches: list[Sequence[OwnedEntry]] = field(default_factory=list)
    error: Exception | None = None
    is_free: asyncio.Event = field(default_factory=asyncio.Event)
    tries: asyncio.Queue[None] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.is_free.set()

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        self.tries.put_nowait(None)
        await self.is_free.wait()
        if self.error is not None:
            raise self.error
        self.batches.append(tuple(entries))

    async def tried(self, times: int = 1) -> None:
        """Wait until so many more batches were tried."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(times):
                await self.tries.get()

    @property
    def entries(self) -> list[OwnedEntry]:
        return [entry for batch in self.batches for entry in batch]


@dataclass
class Recording:
    """A trail, and what is around it."""

    failure: AuditFailure = AuditFailure.WARN
    log: Log = field(default_factory=Log)
    clock: FixedClock = field(default_factory=FixedClock)
    counters: RecordedTelemetry = field(default_factory=RecordedTelemetry)

    def __post_init__(self) -> None:
        policy = AuditPolicy(is_on=True, failure=self.failure, patience=timedelta(seconds=30))
        self.trail = AuditTrail(
            log=self.log,  # type: ignore[arg-type]  # only what a trail needs
            clock=self.clock,
            policy=policy,
            telemetry=self.counters,
            batch_seconds=0.001,
        )

    def note(self, count: int = 1) -> None:
        for _ in range(count):
            self.trail.note(SCOPE, READ)

    @property
    def lost(self) -> int:
        return self.counters.value(AUDIT_LOST)


async def test_what_is_noted_together_is_written_together_and_in_order() -> None:
    recording = Recording()
    for n in range(2 * BATCH + 1):
        recording.trail.note(SCOPE, READ, n)
    await recording.trail.settle()
    assert [len(batch) for batch in recording.log.batches] == [BATCH, BATCH, 1]
    targets = [owned.entry.target for owned in recording.log.entries]
    assert targets == [str(n) for n in range(2 * BATCH + 1)]
    assert recording.lost == 0


async def test_an_entry_is_written_soon_without_being_settled() -> None:
    recording = Recording()
    for _ in range(2):
        recording.note()
        await recording.log.tried()
    assert [len(batch) for batch in recording.log.batches] == [1, 1]


async def test_entries_wait_until_they_can_be_written_again() -> None:
    recording = Recording()
    recording.log.error = DatabaseUnavailable("away")
    recording.note(3)
    await recording.log.tried(2)
    recording.trail.check()
    recording.log.error = None
    recording.note(2)
    await recording.trail.settle()
    assert (len(recording.log.entries), recording.lost) == (5, 0)


async def test_what_does_not_fit_into_the_queue_is_lost_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trail, "MOST_WAITING", 10)
    recording = Recording()
    recording.log.error = DatabaseUnavailable("away")
    recording.note(13)
    recording.trail.check()
    assert recording.lost == 3
    recording.log.error = None
    await recording.trail.settle()
    assert len(recording.log.entries) == 10


async def test_a_full_queue_refuses_operations_where_all_must_be_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trail, "MOST_WAITING", 10)
    recording = Recording(failure=AuditFailure.FAIL)
    recording.note(9)
    recording.trail.check()
    recording.note()
    with pytest.raises(AuditUnavailable):
        recording.trail.check()
    await recording.trail.settle()
    recording.trail.check()


@pytest.mark.parametrize("error", [DatabaseUnavailable("away"), ValueError("a bug")], ids=repr)
async def test_operations_are_refused_once_writing_has_failed_for_a_while(
    error: Exception,
) -> None:
    recording = Recording(failure=AuditFailure.FAIL)
    recording.log.error = error
    recording.note()
    await recording.log.tried()
    recording.clock.move(timedelta(seconds=29))
    recording.trail.check()
    recording.clock.move(timedelta(seconds=1))
    with pytest.raises(AuditUnavailable):
        recording.trail.check()
    recording.log.error = None
    await recording.trail.settle()
    recording.trail.check()
    assert len(recording.log.entries) == 1


async def test_a_batch_that_can_never_be_written_does_not_keep_others_waiting() -> None:
    recording = Recording()
    recording.log.error = ValueError("a bug")
    recording.note(2)
    await recording.log.tried()
    recording.log.error = None
    recording.note()
    await recording.trail.settle()
    assert (len(recording.log.entries), recording.lost) == (1, 2)


async def test_what_cannot_be_written_at_the_end_is_given_up_and_counted() -> None:
    recording = Recording()
    recording.log.error = DatabaseUnavailable("away")
    recording.note(4)
    async with asyncio.timeout(PATIENCE):
        await recording.trail.settle()
    assert recording.lost == 4
    recording.log.error = None
    recording.note()
    await recording.trail.settle()
    assert len(recording.log.entries) == 1


async def test_what_is_recorded_at_once_waits_or_is_refused_if_that_fails() -> None:
    for failure in AuditFailure:
        recording = Recording(failure=failure)
        await recording.trail.record(SCOPE, AuditAction.FACT_EXPORTED)
        assert len(recording.log.entries) == 1
        recording.log.error = DatabaseUnavailable("away")
        if failure is AuditFailure.FAIL:
            with pytest.raises(AuditUnavailable):
                await recording.trail.record(SCOPE, AuditAction.FACT_EXPORTED)
            continue
        await recording.trail.record(SCOPE, AuditAction.FACT_EXPORTED)
        recording.log.error = None
        await recording.trail.settle()
        assert len(recording.log.entries) == 2


class FailingLog(InMemoryAuditLog):
    """The log of an engine, of which a test decides whether it can be written."""

    log = Log()

    async def append(self, entries: Sequence[OwnedEntry]) -> None:
        await self.log.append(entries)
        await super().append(entries)


@pytest_asyncio.fixture
async def stores() -> AsyncIterator[Stores]:
    """Stores whose audit log fails as the test says."""
    made = in_memory_stores(FixedClock())
    assert isinstance(made.audit, InMemoryAuditLog)
    FailingLog.log = Log()
    yield replace(made, audit=FailingLog(made.audit.data))
    FailingLog.log.is_free.set()


def services_on(stores: Stores, failure: AuditFailure = AuditFailure.WARN) -> Services:
    around = ServiceDependencies(
        clock=FixedClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        answerer=ScriptedAnswerer(),
    )
    policy = AuditPolicy(is_on=True, failure=failure, patience=timedelta())
    return build_services(stores, around, Policies(audit=policy))


async def test_no_turn_waits_for_the_audit_log(stores: Stores) -> None:
    services = services_on(stores)
    FailingLog.log.is_free.clear()
    scope = a_scope()
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):
            answered = await services.chat.ask(scope, Inquiry(text="How much?"))
    assert answered.reply_id is not None
    assert await stores.audit.entries(scope, limit=9) == ()
    FailingLog.log.is_free.set()
    await services.settle()
    entries = await stores.audit.entries(scope, limit=99)
    assert [entry.action for entry in entries].count(AuditAction.MESSAGE_WRITTEN) == 6


async def test_nothing_is_done_that_must_be_recorded_and_cannot(stores: Stores) -> None:
    for failure in AuditFailure:
        services, scope = services_on(stores, failure), a_scope()
        FailingLog.log = Log(error=DatabaseUnavailable("away"))
        session, _ = await services.sessions.start(
            scope, NewSession(session_id=a_message().message_id)
        )
        assert services.audit_trail is not None
        services.audit_trail.batch_seconds = 0.001
        await FailingLog.log.tried(2)
        add = services.messages.append(scope, session.session_id, [a_message()])
        ask = services.chat.ask(scope, Inquiry(text="How much?"))
        if failure is AuditFailure.WARN:
            await add
            await ask
        else:
            for work in (add, ask):
                with pytest.raises(AuditUnavailable):
                    await work
            await services.sessions.delete(scope, session.session_id)  # records itself
        FailingLog.log.error = None
        await services.settle()


async def test_old_entries_are_pruned_by_the_retention_of_the_log_itself(stores: Stores) -> None:
    clock = FixedClock()
    around = ServiceDependencies(clock=clock, ids=RandomIds(), counter_for=token_counter_for)
    for days, left in ((None, 3), (100, 3), (10, 2), (7, 1)):
        scope = a_scope()
        await stores.audit.append(
            [OwnedEntry.of(scope, READ, at=clock.now() - timedelta(days=age)) for age in (20, 9, 2)]
        )
        policy = AuditPolicy(retention=None if days is None else timedelta(days=days))
        services = build_services(stores, around, Policies(audit=policy))
        counted = await services.audit_pruning.count()
        assert counted == await services.audit_pruning.prune()
        assert len(await stores.audit.entries(scope, limit=9)) == left
        assert await services.audit_pruning.prune() == 0


async def test_facts_that_fade_are_recorded(stores: Stores) -> None:
    scope = replace(a_scope(), actor="worker", interface=Interface.WORKER)
    services = services_on(stores)
    fact = await services.facts.add(scope, "Likes tea.", type=FactType.CONTEXT)
    clock = services.fact_pruning.clock
    assert isinstance(clock, FixedClock)
    clock.move(timedelta(days=9999))
    assert await services.fact_pruning.prune() == 1
    await services.settle()
    pruned, *_ = await stores.audit.entries(scope, limit=9)
    assert (pruned.action, pruned.items) == (AuditAction.FACT_PRUNED, (fact.fact_id,))


@pytest.mark.parametrize(
    "forgetting",
    ["Forget that I live in Utrecht.", "Forget where I live.", "Forget everything about me."],
)
async def test_what_is_learnt_is_recorded_by_the_ids_of_its_facts(
    stores: Stores, forgetting: str
) -> None:
    around = ServiceDependencies(
        clock=FixedClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        fact_extractor=ScriptedExtractor({}),
    )
    services = build_services(stores, around, Policies(audit=AuditPolicy(is_on=True)))
    scope = a_scope()
    session, _ = await services.sessions.start(scope, NewSession(session_id=SCOPE.owner_id))
    told = a_message(content="Remember that I live in Utrecht.")
    await services.messages.append(scope, session.session_id, [told])
    await services.settle()
    learnt = [
        entry
        for entry in await stores.audit.entries(scope, limit=9)
        if entry.action == AuditAction.FACT_LEARNT
    ]
    (fact,) = await stores.facts.active(scope)
    assert [entry.items for entry in learnt] == [(fact.fact.fact_id,)]

    told = a_message(content=forgetting)
    await services.messages.append(scope, session.session_id, [told])
    await services.settle()
    ended = [
        entry.items
        for entry in await stores.audit.entries(scope, limit=9)
        if entry.action == AuditAction.FACT_CHANGED
    ]
    assert ended == [(fact.fact.fact_id,)]
