"""One real browser and one server of each kind for all tests of the dashboard."""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from recollect.answerers.from_memory import FromMemory
from recollect.composition import build_services
from recollect.domain.facts.ranking import FactPolicy
from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.policy import Policies
from recollect.engines.postgres.connection.database import Database
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.followup.span_editor import SpanEditor
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from recollect.telemetry.measuring import Measuring
from recollect.telemetry.metrics import MetricStore
from support.dashboard.visitors import Dashboard, Visitor
from support.servers.http_servers import serving

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def executable() -> str:
    """The browser of the machine; without one the tests are skipped, but not in CI."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        problem = "no browser was found; on Debian: apt install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(problem)
        pytest.skip(problem)
    return found


@pytest_asyncio.fixture(scope="session")
async def browser(executable: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        launched = await playwright.chromium.launch(executable_path=executable, args=args)
        yield launched
        await launched.close()


@pytest.fixture(scope="session")
def memory(stores: Stores, database: Database) -> Memory:
    """An open memory on PostgreSQL, whose operations are recorded."""
    around = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        answerer=FromMemory(),
        sql=SqlglotReader(),
        follow_up_model=SpanEditor(),
        telemetry=Measuring(metrics=MetricStore()),
    )
    policies = Policies(
        audit=AuditPolicy(is_on=True),
        facts=FactPolicy(is_enabled=True),
        profile_keys=("company",),
    )
    return Memory(build_services(stores, around, policies), is_answering=database.is_answering)


@pytest_asyncio.fixture(scope="session")
async def dashboards(memory: Memory) -> AsyncIterator[Callable[..., Any]]:
    """Starts a server with settings, or finds the one that was started with them."""
    known: dict[str, Dashboard] = {}
    async with AsyncExitStack() as stack:

        async def start(**settings: object) -> Dashboard:
            key = repr(sorted(settings.items()))
            if key not in known:
                app = create_app(memory, load_settings(**settings))
                url = await stack.enter_async_context(serving(app))
                known[key] = Dashboard(
                    url=url,
                    services=memory.services,
                    codec=await app.state.dashboard.codec(),
                )
            return known[key]

        yield start


@pytest_asyncio.fixture(scope="session")
async def keyed(dashboards: Callable[..., Any]) -> Dashboard:
    """A server that asks for API keys."""
    started: Dashboard = await dashboards(
        user_id_source="api_key",
        allow_data_export=True,
        allow_data_deletion=True,
        profile_keys="company",
    )
    return started


@pytest_asyncio.fixture
async def sanne(browser: Browser, keyed: Dashboard) -> AsyncIterator[Visitor]:
    """Somebody who has signed in, of a tenant that nobody else has."""
    async with keyed.visited(browser, user="sanne") as visitor:
        await visitor.arrive()
        yield visitor
