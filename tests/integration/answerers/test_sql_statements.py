"""Hundreds of statements on real databases: ordinary ones run, and none shows the secret.

Each file in `statements` has the tables of a dialect, statements that must run, statements that
show the secret where nobody checks them, and others that must be refused as well.
"""

import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import asyncpg
import duckdb
import pytest
import pytest_asyncio

from recollect.answerers.sql_database import open_database
from recollect.answerers.sql_database.data import ReadOnlyDatabase, StatementFailed, Table
from recollect.answerers.sql_database.guard import CheckedStatement, check_statement
from recollect.errors import StatementRefused
from support.tables import for_each

_FOLDER = Path(__file__).parent / "statements"
_ALLOWED = {"sales", "customers", "Mixed Case"}
_MARKER = "MARKER"
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\n")


def _statements(dialect: str, section: str) -> list[str]:
    text = (_FOLDER / f"{dialect}.sql").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("-- section: ")[1:])
    lines = {name: body.splitlines() for name, _, body in parts}[section]
    return [_ESCAPE.sub(_unescaped, line) for line in lines if line]


def _unescaped(escape: re.Match[str]) -> str:
    """A character that cannot be seen in a file: a line break, or one by its number."""
    return chr(int(escape[1], 16)) if escape[1] else "\n"


async def _verdicts(
    database: ReadOnlyDatabase, statements: list[str]
) -> dict[str, CheckedStatement | str]:
    """What the guard says of each statement."""
    tables = [
        table
        for table in await database.tables()
        if table.is_in_default_schema and table.name in _ALLOWED
    ]
    verdicts: dict[str, CheckedStatement | str] = {}
    for statement in statements:
        try:
            verdicts[statement] = check_statement(
                statement,
                dialect=database.dialect,
                allowed=tables,
                limit=50,
                functions=["net_price", "public.regions"],
            )
        except StatementRefused as refused:
            verdicts[statement] = str(refused)
    return verdicts


@pytest_asyncio.fixture
async def postgres(admin_dsn: str) -> AsyncIterator[str]:
    name = f"shop_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    shop = await asyncpg.connect(admin_dsn, database=name)
    for statement in _statements("postgres", "setup"):
        await shop.execute(statement)
    host = quote(str(Path(shop._addr).parent), safe="")
    await shop.close()
    yield f"postgresql://{shop._params.user}@/{name}?host={host}"
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    for statement in _statements("sqlite", "setup"):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite:///{tmp_path / 'shop.sqlite'}"


@pytest.fixture
def duckdb_file(tmp_path: Path) -> str:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        for statement in _statements("duckdb", "setup"):
            connection.execute(statement)
    return str(tmp_path / "shop.duckdb")


@pytest.fixture(params=["postgres", "sqlite", "duckdb"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def address(request: pytest.FixtureRequest, dialect: str) -> str:
    return str(request.getfixturevalue({"duckdb": "duckdb_file"}.get(dialect, dialect)))


@pytest_asyncio.fixture
async def shop(address: str) -> AsyncIterator[ReadOnlyDatabase]:
    opened = open_database(address, timeout=60)
    yield opened
    await opened.close()


async def test_ordinary_statements_run_and_show_no_secret(
    dialect: str, shop: ReadOnlyDatabase
) -> None:
    problems = {}
    for statement, verdict in (await _verdicts(shop, _statements(dialect, "runs"))).items():
        found = verdict if isinstance(verdict, str) else await _run_checked(shop, verdict)
        if not found.startswith("Rows(") or _MARKER in found.upper():
            problems[statement] = found
    assert problems == {}


@pytest.mark.parametrize("section", ["leaks", "refused"])
async def test_statements_that_reach_further_are_refused(
    dialect: str, shop: ReadOnlyDatabase, section: str
) -> None:
    verdicts = await _verdicts(shop, _statements(dialect, section))
    assert [text for text, verdict in verdicts.items() if not isinstance(verdict, str)] == []


@pytest.mark.parametrize("unreachable", ["mysql", "tsql", "oracle"])
def test_on_other_databases_only_their_own_functions_pass(unreachable: str) -> None:
    sales = Table(schema="shop", name="sales", columns=(), is_in_default_schema=True)
    wrong = [
        statement
        for section in ("runs", "refused")
        for statement in _statements(unreachable, section)
        if _passes(statement, unreachable, sales) is not (section == "runs")
    ]
    assert wrong == []


@for_each("unreachable", ["mysql", "tsql", "oracle"])
def test_a_function_of_the_settings_passes_on_other_databases(unreachable: str) -> None:
    sales = Table(schema="shop", name="sales", columns=(), is_in_default_schema=True)
    statement = "SELECT dbo.net_price(amount), initcap(region) FROM sales"
    assert _passes(statement, unreachable, sales, functions=["dbo.net_price", "initcap"])


def _passes(statement: str, dialect: str, table: Table, *, functions: Sequence[str] = ()) -> bool:
    try:
        check_statement(statement, dialect=dialect, allowed=[table], limit=50, functions=functions)
    except StatementRefused:
        return False
    return True


async def test_functions_that_hide_behind_other_names_are_not_reached(
    dialect: str, shop: ReadOnlyDatabase
) -> None:
    shown = {}
    for statement, verdict in (await _verdicts(shop, _statements(dialect, "hidden"))).items():
        found = verdict if isinstance(verdict, str) else await _run_checked(shop, verdict)
        if _MARKER in found.upper():
            shown[statement] = found
    assert shown == {}


async def test_each_statement_listed_as_leaking_does_leak_without_the_check(
    dialect: str, address: str
) -> None:
    run = {"postgres": _run_on_postgres, "sqlite": _run_on_sqlite, "duckdb": _run_on_duckdb}
    harmless = {}
    for statement in _statements(dialect, "leaks") + _statements(dialect, "hidden"):
        found = await run[dialect](address, statement)
        if _MARKER not in found.upper():
            harmless[statement] = found
    assert harmless == {}


async def _run_checked(shop: ReadOnlyDatabase, checked: CheckedStatement) -> str:
    try:
        return str(await shop.read(checked.limited, limit=50))
    except StatementFailed as failed:
        return f"{failed}: {checked.limited}"


async def _run_on_postgres(address: str, statement: str) -> str:
    user, _, rest = address.removeprefix("postgresql://").partition("@/")
    name, _, host = rest.partition("?host=")
    connection = await asyncpg.connect(user=user, database=name, host=host.replace("%2F", "/"))
    try:
        return str(await connection.fetch(statement))
    except asyncpg.PostgresError as error:
        return repr(error)
    finally:
        await connection.close()


async def _run_on_sqlite(address: str, statement: str) -> str:
    connection = sqlite3.connect(address.removeprefix("sqlite:///"))
    try:
        return str(connection.execute(statement).fetchall())
    except sqlite3.Error as error:
        return repr(error)
    finally:
        connection.close()


async def _run_on_duckdb(address: str, statement: str) -> str:
    with duckdb.connect(address, read_only=True) as connection:
        try:
            return str(connection.execute(statement).fetchall())
        except duckdb.Error as error:
            return repr(error)
