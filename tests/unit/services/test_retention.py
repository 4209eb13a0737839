"""How long sessions are kept, by the server's settings and by the tenant."""

import asyncio
from datetime import datetime, timedelta

import pytest

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ConfigurationError, SessionNotFound
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import FIRST_MOMENT, CountingIds, FixedClock
from support.examples import a_message, a_scope, a_session
from support.tables import for_each

A_DAY = timedelta(days=1)


def services_with(clock: FixedClock, policies: Policies) -> Services:
    around = ServiceDependencies(
        clock=clock, ids=CountingIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    return build_services(in_memory_stores(clock), around, policies)


async def end_of_new(services: Services, scope: Scope) -> datetime | None:
    session, _ = await services.sessions.start(scope, a_session())
    return session.expires_at


async def test_each_tenant_has_its_own_retention_and_the_others_the_usual_one() -> None:
    settings = load_settings(
        retention="fixed:7",
        retention_by_tenant={"acme": "sliding:90", "archive": "none", "brief": "fixed:0.5"},
    )
    services = services_with(FixedClock(), settings.policies())

    ends = {
        tenant: await end_of_new(services, a_scope(tenant))
        for tenant in ("acme", "archive", "brief", "somebody")
    }

    assert ends == {
        "acme": FIRST_MOMENT + 90 * A_DAY,
        "archive": None,
        "brief": FIRST_MOMENT + A_DAY / 2,
        "somebody": FIRST_MOMENT + 7 * A_DAY,
    }


@for_each(
    ("preset", "days"),
    [
        ("default", None),
        ("data-questions", 7),
        ("chat", None),
        ("app", None),
        ("agent", 90),
        ("assistant", None),
    ],
)
async def test_a_preset_keeps_sessions_as_long_as_its_seed_says(
    preset: str, days: int | None
) -> None:
    services = services_with(FixedClock(), load_settings(preset=preset).policies())

    end = await end_of_new(services, a_scope())

    assert end == (None if days is None else FIRST_MOMENT + days * A_DAY)


async def test_one_tenants_clean_up_leaves_the_others_alone() -> None:
    clock = FixedClock()
    settings = load_settings(
        retention="none",
        retention_by_tenant={"brief": "fixed:1"},
        log_memory_operations=False,
    )
    services = services_with(clock, settings.policies())
    brief, kept = a_scope("brief"), a_scope("kept")
    for scope in (brief, kept):
        await services.sessions.start(scope, a_session())

    clock.move(A_DAY)

    assert await services.retention.count() == 1
    assert await services.retention.clean_up() == 1
    assert [entry.action for entry in await services.audit.entries(brief, limit=10)] == [
        "session.expired"
    ]
    assert await services.audit.entries(kept, limit=10) == ()


async def test_many_expired_sessions_are_deleted_in_batches_with_progress() -> None:
    clock = FixedClock()
    services = services_with(clock, load_settings(retention="fixed:1").policies())
    scope = a_scope()
    for _ in range(1201):
        await services.sessions.start(scope, a_session())
    clock.move(A_DAY)
    progress: list[int] = []

    assert await services.retention.clean_up(progress=progress.append) == 1201

    assert progress == [500, 1000, 1201]


async def test_a_write_to_an_expired_session_is_refused_and_stores_nothing() -> None:
    clock = FixedClock()
    services = services_with(clock, load_settings(retention="sliding:1").policies())
    scope, session = a_scope(), a_session()
    await services.sessions.start(scope, session)
    clock.move(A_DAY)

    with pytest.raises(SessionNotFound):
        await services.messages.append(scope, session.session_id, [a_message()])

    assert await services.history.count(scope) == 0


async def test_a_session_in_use_slides_on_even_if_it_is_kept_for_minutes_only() -> None:
    """Noting use at most once an hour must not end a session that is read all the time."""
    clock = FixedClock()
    half_an_hour = 1 / 48
    services = services_with(clock, load_settings(retention=f"sliding:{half_an_hour}").policies())
    scope, session = a_scope(), a_session()
    await services.sessions.start(scope, session)
    for _ in range(12):
        clock.move(timedelta(minutes=20))
        await services.contexts.build(scope, session.session_id, "What is the capital of France?")
        await asyncio.sleep(0)  # use is noted after the answer
        await services.sessions.get(scope, session.session_id)


@for_each("text", ["forever", "fixed", "fixed:0", "sliding:-1", "none:3", "fixed:x"])
def test_a_retention_that_makes_no_sense_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_RETENTION"):
        load_settings(retention=text)
    with pytest.raises(ConfigurationError, match="MEMORY_RETENTION_BY_TENANT"):
        load_settings(retention_by_tenant={"acme": text})


@for_each("text", ["fixed:nan", "sliding:inf", "fixed:36501"])
def test_a_retention_without_a_day_to_end_on_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_RETENTION"):
        load_settings(retention=text)


@for_each(("answer_timeout", "minutes"), [(1, 10), (120, 10), (600, 20)])
async def test_a_question_waits_for_twice_the_time_of_an_answer_and_ten_minutes_at_least(
    answer_timeout: float, minutes: float
) -> None:
    clock = FixedClock()
    around = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        sql=SqlglotReader(),
        answer_timeout=answer_timeout,
    )
    services = build_services(in_memory_stores(clock), around)
    scope, session = a_scope(), a_session()
    await services.sessions.start(scope, session)
    await services.messages.append(scope, session.session_id, [a_message("user")])

    settled = []
    for seconds in (60 * minutes - 1, 1, 1):
        clock.move(timedelta(seconds=seconds))
        settled.append(await services.retention.settle_abandoned())

    assert settled == [0, 1, 0]
