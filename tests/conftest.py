"""One embedded PostgreSQL for all tests; each test works in a fresh random tenant."""

import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from uuid import uuid4

import httpx._transports.default as httpx_transport
import pytest
import pytest_asyncio
from hypothesis import settings

from recollect.answerers.from_memory import FromMemory
from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.embedded import EmbeddedServer
from recollect.engines.postgres.engine import open_embedded, postgres_stores
from recollect.memory import Memory
from recollect.models.followup.span_editor import SpanEditor
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from support.effort import IS_WHOLE
from support.servers.clusters import (
    copy_home,
    only_one_process,
    scratch_folder,
    stopped_afterwards,
    template_home,
)
from support.timeouts import PATIENCE

_HOME = "RECOLLECT_TESTS_HOME"
_EMBEDDING_TIMEOUT = "MEMORY_EMBEDDING_TIMEOUT_SECONDS"
_COLLECT_AFTER_OBJECTS = 20_000
_SLOW_FOLDERS = {"acceptance", "browser"}
_USUAL_SECONDS = 3.0
"""Of processor time, for a slow test whose mark does not say how many it takes."""


def pytest_configure() -> None:
    """Choose the folder of the one server, and the embedder's time limit, for all processes.

    The folder is not below pytest's own: a second run as root would close that to the server's
    account. The limit is one that a busy machine keeps: no result depends on its speed.
    """
    _forget_settings_from_outside()
    os.environ[_EMBEDDING_TIMEOUT] = str(PATIENCE)
    # Programs that tests start share their compiled modules: a third of a second at each start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if _HOME not in os.environ:  # as it is in the workers of a parallel run
        os.environ[_HOME] = tempfile.mkdtemp(prefix="recollect-tests-", dir=scratch_folder())
    # Each client reads all certificates, in 0.05 s, and many tests have several.
    httpx_transport.create_ssl_context = cache(httpx_transport.create_ssl_context)
    # No deadline: a slow machine is not a wrong answer.
    settings.register_profile("recollect", deadline=None, max_examples=200 if IS_WHOLE else 40)
    settings.load_profile("recollect")


def _forget_settings_from_outside() -> None:
    """What the developer has set must not change what the tests see."""
    for name in [*os.environ]:
        if name.startswith("MEMORY_"):
            del os.environ[name]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let no garbage collection go through the tests and modules, which all stay until the end.

    Later it runs as seldom as in a server: it took a twentieth of the tests' time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(_COLLECT_AFTER_OBJECTS, *gc.get_threshold()[1:])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin the share of each worker with slow tests: at the end short ones fill the gaps.

    pytest-xdist cuts the tests, in their order, into shares of one size. Modules stay together.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    slow: dict[Path, list[pytest.Item]] = {}
    others: list[pytest.Item] = []
    for path, tests in groupby(items, key=lambda test: test.path):
        module = [*tests]
        if _seconds_of(module):
            # A browser takes seconds to start: one worker has it.
            place = path.parent if path.parent.name == "browser" else path
            slow.setdefault(place, []).extend(module)
        else:
            others += module
    left = len(items)
    items.clear()
    for number, share in enumerate(_dealt([*slow.values()], workers)):
        size = left // (workers - number)
        short = max(0, size - len(share))
        items += share + others[:short]
        del others[:short]
        left -= len(share) + short


def _dealt(modules: list[list[pytest.Item]], workers: int) -> list[list[pytest.Item]]:
    """Deal modules out so that each worker has about as much to do, the longest first.

    By turns, one worker got most of the long ones now and then, and the others waited for it.
    """
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    seconds = [0.0] * workers
    for module in sorted(modules, key=_seconds_of, reverse=True):
        least = seconds.index(min(seconds))
        shares[least] += module
        seconds[least] += _seconds_of(module)
    return shares


def _seconds_of(module: list[pytest.Item]) -> float:
    """How long the slow tests of a module take, about; 0 if there are none."""
    return sum(map(_seconds, module))


def _seconds(test: pytest.Item) -> float:
    """How long a test takes that starts servers or a browser, about; 0 for others."""
    mark = test.get_closest_marker("slow")
    if mark is not None:
        return float(mark.kwargs.get("seconds", _USUAL_SECONDS))
    return 0.0 if _SLOW_FOLDERS.isdisjoint(test.path.parts) else _USUAL_SECONDS


def pytest_unconfigure() -> None:
    """Leave nothing behind, once the last process has left the server."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ.pop(_HOME), ignore_errors=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the account of PostgreSQL may enter, whoever runs tests meanwhile.

    Each run of pytest as root closes the folder above all those of `tmp_path`.
    """
    with tempfile.TemporaryDirectory(
        prefix="recollect-home-", dir=scratch_folder(), ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


@pytest_asyncio.fixture(scope="session")
async def home_template() -> Path:
    """A data folder that no server runs on, to be copied; one for all processes."""
    return await template_home(Path(os.environ[_HOME]))


@pytest.fixture(scope="session")
def shared_home(home_template: Path) -> Path:
    """The folder of the one server, the same for all processes of a parallel run."""
    home = home_template.with_name("shared")
    with only_one_process(home.with_suffix(".lock")):
        if not home.exists():
            copy_home(home_template, home)
    return home


@pytest.fixture
def empty_home(open_folder: Path) -> Iterator[Path]:
    """A data folder that does not exist yet; its server is gone when the test ends."""
    with stopped_afterwards(open_folder / "home"):
        yield open_folder / "home"


@pytest.fixture
def new_home(home_template: Path, empty_home: Path) -> Path:
    """A data folder with the schema and nothing else."""
    copy_home(home_template, empty_home)
    return empty_home


@pytest_asyncio.fixture(scope="session")
async def database(shared_home: Path) -> AsyncIterator[Database]:
    """Connections as the role the server works as."""
    async with open_embedded(shared_home, max_connections=20) as opened:
        yield opened


@pytest.fixture(scope="session")
def admin_dsn(shared_home: Path, database: Database) -> str:
    """The connection string of the shared server's administrator."""
    return EmbeddedServer(shared_home).dsn


@pytest.fixture(scope="session")
def stores(database: Database) -> Stores:
    """The PostgreSQL engine's stores."""
    return postgres_stores(database, SystemClock())


@pytest.fixture(scope="session")
def services(stores: Stores) -> Services:
    """The use cases on PostgreSQL."""
    around = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        answerer=FromMemory(),
        sql=SqlglotReader(),
        follow_up_model=SpanEditor(),
    )
    return build_services(stores, around)


@pytest.fixture(scope="session")
def memory(services: Services, database: Database) -> Memory:
    """An open memory on PostgreSQL."""
    return Memory(services, is_answering=database.is_answering)


@pytest.fixture
def scope() -> Scope:
    """A user of a tenant that nobody else has."""
    return Scope(tenant=f"tenant-{uuid4()}", user="alice", actor="test")
