"""Data questions on a real DuckDB, a real PostgreSQL and a real SQLite."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from unicodedata import category
from urllib.parse import quote
from uuid import uuid4

import asyncpg
import duckdb
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import make_url

from recollect import Memory
from recollect.answerers.sql_database import (
    SqlDatabaseAnswerer,
    alchemy,
    open_database,
    threads,
)
from recollect.answerers.sql_database.alchemy import SqlAlchemyDatabase
from recollect.answerers.sql_database.answerer import statement_in, to_write
from recollect.answerers.sql_database.data import Column, StatementFailed, Table
from recollect.answerers.sql_database.guard import CheckedStatement, check_statement
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context
from recollect.domain.identity.scope import Scope
from recollect.domain.privacy.results import ResultPolicy
from recollect.errors import (
    ConfigurationError,
    DatabaseUnavailable,
    ModelUnavailable,
    RecollectError,
    StatementRefused,
)
from recollect.ports.models import Prompt
from support.tables import for_each
from support.timeouts import PATIENCE

_DATA = (
    "CREATE TABLE sales (region varchar(20), year integer, amount numeric(12, 2))",
    "INSERT INTO sales VALUES ('North', 2024, 2500000), ('South', 2024, 1800000)",
    "INSERT INTO sales VALUES ('North', 2023, 2200000), ('South', 2023, 1500000.5)",
    "CREATE TABLE salaries (name varchar(20), amount integer)",
    "INSERT INTO salaries VALUES ('Ann', 4711)",
)
_ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 7 FROM n) SELECT count(*) FROM n"
)
_SCOPE = Scope(tenant="tests", user="alice")
_SALES = Table(
    schema="public", name="sales", columns=(), is_in_default_schema=True, comment="All of them"
)


class ScriptedModel:
    """Writes what the test says, or the sales of the year that the question names."""

    def __init__(self, *statements: str, explains: bool = True) -> None:
        self._statements = list(statements)
        self._explains = explains
        self.prompts: list[str] = []

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port's
    ) -> str:
        question = messages[-1].content
        self.prompts.append("\n".join(message.content for message in messages))
        if "Rows:" in question:
            if not self._explains:
                raise ModelUnavailable("gone")
            return "Said from " + question.partition("Rows: ")[2]
        if self._statements:
            return self._statements.pop(0)
        year = re.findall(r"\d{4}", self.prompts[-1])[-1]
        return (
            f"```sql\nSELECT region, SUM(amount) AS total FROM sales WHERE year = {year}"
            " GROUP BY region ORDER BY region\n```\nSums the amounts."
        )


Answering = Callable[..., SqlDatabaseAnswerer]


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in (*_DATA, "CREATE SEQUENCE sales_number"):
            connection.execute(statement)
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    for statement in _DATA:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


@pytest_asyncio.fixture
async def postgres_url(admin_dsn: str) -> AsyncIterator[str]:
    """A database of its own on the shared server, with the server's own address."""
    name = f"shop_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    shop = await asyncpg.connect(admin_dsn, database=name)
    for statement in (*_DATA, "CREATE SEQUENCE sales_number"):
        await shop.execute(statement)
    params = shop._params
    await shop.close()
    host = quote(str(Path(shop._addr).parent), safe="")
    yield f"postgresql://{params.user}@/{name}?host={host}"
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture(params=["duckdb", "postgresql", "sqlite"])
def address(request: pytest.FixtureRequest) -> str:
    name = {"duckdb": "duckdb_file", "postgresql": "postgres_url", "sqlite": "sqlite_url"}
    return str(request.getfixturevalue(name[request.param]))


@pytest.fixture(params=["postgres_url", "duckdb_file"])
def address_with_lists(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest_asyncio.fixture
async def answering(address: str) -> AsyncIterator[Answering]:
    opened: list[SqlDatabaseAnswerer] = []

    def answer(model: ScriptedModel, **options: object) -> SqlDatabaseAnswerer:
        database = open_database(address, timeout=PATIENCE)
        options.setdefault("tables", ("sales",))
        opened.append(SqlDatabaseAnswerer(database, model, **options))
        return opened[-1]

    yield answer
    for answerer in opened:
        await answerer.close()


async def _ask(answerer: SqlDatabaseAnswerer, *questions: str) -> Answer:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for question in questions:
            context = await session.context(question)
            answer = await answerer.answer(_SCOPE, AnswerRequest(context=context))
            details = answer.details
            await session.add("user", question)
            await session.add(
                "assistant",
                answer.content,
                sql_query=details.sql_query,
                tables_used=details.tables_used,
            )
    return answer


async def test_a_follow_up_gets_the_figures_of_its_own_year(answering: Answering) -> None:
    answer = await _ask(
        answering(ScriptedModel()), "Show me total sales by region for 2024", "What about 2023?"
    )

    assert "2200000" in answer.content
    assert "1500000.5" in answer.content
    assert "2500000" not in answer.content
    assert "2023" in (answer.details.sql_query or "")
    assert [name.rpartition(".")[2] for name in answer.details.tables_used or ()] == ["sales"]


async def test_the_answer_has_the_fields_of_answer_question(answering: Answering) -> None:
    answer = await _ask(answering(ScriptedModel()), "Show me total sales by region for 2024")

    assert answer.response["execution_result"] == {
        "Row 1": [
            {"columnName": "region", "value": "North"},
            {"columnName": "total", "value": 2500000},
        ],
        "Row 2": [
            {"columnName": "region", "value": "South"},
            {"columnName": "total", "value": 1800000},
        ],
    }
    assert answer.response["query_explanation"] == "Sums the amounts."
    assert set(answer.response) >= {
        *("answer", "sql_query", "tokens", "related_questions", "tables_used", "raw_graph"),
        *("sql_execution_time", "vector_store_search_time", "llm_time", "total_execution_time"),
    }


async def test_the_rows_are_handed_on_as_far_as_any_policy_stores_them(
    answering: Answering,
) -> None:
    answer = await _ask(answering(ScriptedModel()), "Show me total sales by region for 2024")

    rows = [{"region": "North", "total": 2500000}, {"region": "South", "total": 1800000}]
    result = {"columns": ["region", "total"], "row_count": 2, "rows": rows}
    assert answer.details.execution_result == result
    assert ResultPolicy().keep_of(result) == {"columns": ["region", "total"], "row_count": 2}


@pytest.mark.parametrize(
    "statement", ["DROP TABLE sales", "SELECT 1; DROP TABLE sales", "SELECT * FROM salaries"]
)
async def test_a_statement_that_does_more_than_read_is_refused_and_not_run(
    answering: Answering, statement: str
) -> None:
    model = ScriptedModel(f"```sql\n{statement}\n```")
    answerer = answering(model)

    with pytest.raises(StatementRefused) as refused:
        await _ask(answerer, "Show me total sales by region for 2024")

    assert "4711" not in str(refused.value)
    assert len(model.prompts) == 1  # it is not given a second try
    answer = await _ask(answerer, "Show me total sales by region for 2024")
    assert "2500000" in answer.content


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE sales",
        "SELECT 1; DROP TABLE sales",
        "SELECT 1; SELECT 2",
        "DELETE FROM sales",
        "UPDATE sales SET amount = 0",
        "INSERT INTO sales SELECT * FROM sales",
        "CREATE TABLE stolen AS SELECT * FROM sales",
        "SELECT * INTO stolen FROM sales",
        "WITH gone AS (DELETE FROM sales RETURNING *) SELECT * FROM gone",
        "SELECT * FROM salaries",
        "SELECT * FROM sales WHERE amount < (SELECT max(amount) FROM salaries)",
        "WITH salaries AS (SELECT * FROM salaries) SELECT * FROM salaries",
        "SELECT region FROM sales UNION SELECT name FROM salaries",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_authid",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT set_config('a.b', 'c', false)",
        "SELECT region FROM sales FOR UPDATE",
        "COPY sales TO '/tmp/stolen.csv'",
        "ATTACH 'other.db' AS other",
        "PRAGMA table_info('salaries')",
        "EXPLAIN ANALYZE DELETE FROM sales",
        "CALL something()",
        "SELECT (((",
    ],
)
def test_nothing_but_one_reading_statement_passes(
    subtests: pytest.Subtests, statement: str
) -> None:
    for dialect in ["duckdb", "postgres", "sqlite", "mysql", "tsql"]:
        with subtests.test(dialect=dialect), pytest.raises(StatementRefused):
            check_statement(statement, dialect=dialect, allowed=[_SALES], limit=5)


async def test_a_statement_the_database_does_not_take_is_written_again(
    answering: Answering,
) -> None:
    model = ScriptedModel("```sql\nSELECT nonsense FROM sales\n```")

    answer = await _ask(answering(model), "Show me total sales by region for 2024")

    assert "did not take" in model.prompts[1]
    assert "2500000" in answer.content


async def test_two_statements_the_database_does_not_take_are_an_error(
    answering: Answering,
) -> None:
    wrong = "```sql\nSELECT nonsense FROM sales\n```"

    with pytest.raises(ModelUnavailable, match="in other words"):
        await _ask(answering(ScriptedModel(wrong, wrong)), "Show me total sales by region")


async def test_more_rows_than_the_limit_are_cut_and_said_to_be(answering: Answering) -> None:
    model = ScriptedModel("```sql\nSELECT * FROM sales ORDER BY amount\n```", explains=False)

    answer = await _ask(answering(model, row_limit=3), "Show me everything")

    assert answer.content.endswith("\n…")
    result = answer.details.execution_result
    assert isinstance(result, dict)
    assert (result["columns"], result["row_count"]) == (["region", "year", "amount"], 3)


async def test_without_words_from_the_model_the_rows_are_shown(answering: Answering) -> None:
    answer = await _ask(answering(ScriptedModel(explains=False)), "Sales by region for 2024")

    assert answer.content == "region | total\nNorth | 2500000\nSouth | 1800000"


async def test_a_question_the_tables_cannot_answer_runs_nothing(answering: Answering) -> None:
    answer = await _ask(answering(ScriptedModel("NO SQL: there is no weather here")), "Rain?")

    assert answer.content == "there is no weather here"
    assert answer.details.sql_query is None
    assert answer.response["execution_result"] == {}


async def test_the_model_sees_only_the_tables_it_may_read(answering: Answering) -> None:
    model = ScriptedModel()
    await _ask(answering(model), "Show me total sales by region for 2024")

    assert "sales(region" in model.prompts[0]
    assert "salaries" not in model.prompts[0]


async def test_even_a_statement_that_slips_through_cannot_write(address: str) -> None:
    database = open_database(address, timeout=PATIENCE)
    (table,) = [table for table in await database.tables() if table.name == "sales"]
    name = ".".join(part for part in (table.catalog, table.schema, table.name) if part)

    with pytest.raises(StatementFailed):
        await database.read("DELETE FROM " + name, limit=1)  # noqa: S608  # from the catalogue
    if database.dialect != "sqlite":
        with pytest.raises(StatementFailed, match=r"read-only"):
            await database.read(f"SELECT nextval('{name}_number')", limit=1)

    rows = await database.read("SELECT count(*) AS n FROM " + name, limit=1)  # noqa: S608
    assert rows.rows == ((4,),)
    await database.close()


async def test_blocking_drivers_open_no_more_connections_than_set(sqlite_url: str) -> None:
    database = SqlAlchemyDatabase(make_url(sqlite_url), timeout=PATIENCE, connections=2)

    await asyncio.gather(*(database.read("SELECT 1 AS n", limit=1) for _ in range(6)))

    assert database._engine.pool.size() == 2
    assert database._engine.pool._max_overflow == 0
    await database.close()


async def test_long_texts_are_cut_before_they_are_read(address: str) -> None:
    database = open_database(address, timeout=PATIENCE)
    doubled = (
        "WITH RECURSIVE t(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM t WHERE"
        " n < 20) SELECT s FROM t WHERE n = 20"
    )

    rows = await database.read(doubled, limit=5)

    assert rows.rows == (("x" * 1999 + "…",),)
    await database.close()


async def test_a_result_of_many_columns_has_short_texts(address: str) -> None:
    database = open_database(address, timeout=PATIENCE)
    columns = ", ".join(f"'{'x' * 100}' AS c{n}" for n in range(1000))

    rows = await database.read(f"SELECT {columns}", limit=100)  # the test's own

    assert {len(str(cell)) for cell in rows.rows[0]} == {64}
    await database.close()


async def test_values_keep_their_kind_and_long_lists_are_cut(address_with_lists: str) -> None:
    database = open_database(address_with_lists, timeout=PATIENCE)
    found = await database.read(
        "SELECT ARRAY[1, 2], 1.50::numeric(9, 2), 3::numeric(9, 2), 'a'::text, true,"
        " CAST('2024-01-02' AS date), NULL::text, NULL::integer[],"
        " (SELECT array_agg(g) FROM generate_series(1, 100000) AS s(g))",
        limit=5,
    )
    *short, long = found.rows[0]

    assert short == [[1, 2], 1.5, 3, "a", True, "2024-01-02", None, None]
    assert str(long).startswith("[1,2,3,")
    assert len(str(long)) == 2000
    await database.close()


async def test_a_value_of_very_many_bytes_is_refused_by_sqlite(sqlite_url: str) -> None:
    database = open_database(sqlite_url, timeout=PATIENCE)
    doubled = (
        "WITH RECURSIVE t(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM t WHERE"
        " n < 30) SELECT s FROM t WHERE n = 30"
    )

    with pytest.raises(StatementFailed, match="too big"):
        await database.read(doubled, limit=5)

    await database.close()


async def test_a_stored_value_of_very_many_bytes_can_be_left_out_of_a_row(sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("CREATE TABLE files (name text, content blob)")
        connection.execute("INSERT INTO files VALUES ('a.pdf', zeroblob(20000000))")
    connection.close()
    database = open_database(sqlite_url, timeout=PATIENCE)

    with pytest.raises(StatementFailed, match="Name the columns that are needed"):
        await database.read("SELECT * FROM files", limit=5)

    rows = await database.read("SELECT name, length(content) FROM files", limit=5)
    assert rows.rows == (("a.pdf", 20000000),)
    await database.close()


async def test_many_long_values_in_one_row_are_too_much_for_sqlite(sqlite_url: str) -> None:
    database = open_database(sqlite_url, timeout=PATIENCE)
    copies = ", ".join(f"s || {n}" for n in range(300))
    doubled = (
        "WITH RECURSIVE t(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM t WHERE"  # noqa: S608  # the test's own
        f" n < 24) SELECT {copies} FROM t WHERE n = 24"
    )

    with pytest.raises(StatementFailed, match="more memory"):
        await database.read(doubled, limit=5)

    assert (await database.read("SELECT 1 AS n", limit=1)).rows == ((1,),)
    await database.close()


async def test_times_with_a_zone_are_read(address_with_lists: str) -> None:
    database = open_database(address_with_lists, timeout=PATIENCE)

    found = await database.read(
        "SELECT now(), CAST('2024-01-02 03:04:05+00' AS timestamptz),"
        " CAST('10:00:00+02' AS timetz), CAST(NULL AS timestamptz)",
        limit=1,
    )

    now, moment, time, missing = found.rows[0]
    assert datetime.fromisoformat(f"{moment}") == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert datetime.fromisoformat(f"{now}").tzinfo is not None
    assert str(time).startswith("10:00:00+02")
    assert missing is None
    await database.close()


async def test_a_backslash_ends_no_string_whatever_the_database_has_set(
    admin_dsn: str, postgres_url: str
) -> None:
    name = make_url(postgres_url).database
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"ALTER DATABASE {name} SET standard_conforming_strings = off")
    await admin.close()
    database = open_database(postgres_url, timeout=PATIENCE)

    rows = await database.read(r"SELECT 'a\' AS b", limit=1)

    assert rows.rows == (("a\\",),)
    await database.close()


async def test_a_number_of_very_many_digits_becomes_text(postgres_url: str) -> None:
    database = open_database(postgres_url, timeout=PATIENCE)

    rows = await database.read("SELECT 10::numeric ^ 100000 AS n", limit=5)

    assert str(rows.rows[0][0]).startswith("1000000")
    assert len(str(rows.rows[0][0])) == 2000
    await database.close()


async def test_a_statement_that_takes_too_long_is_interrupted_and_leaves_its_connection(
    address: str,
) -> None:
    database = open_database(address, timeout=1, connections=1)

    for _ in range(2):  # each keeps a core busy for its second
        with pytest.raises(StatementFailed, match="more than 1 seconds"):
            await database.read(_ENDLESS, limit=1)

    assert (await database.read("SELECT 1 AS n", limit=1)).rows == ((1,),)
    await database.close()


async def test_a_statement_is_refused_when_all_connections_are_busy(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (alchemy, threads):  # the endless statement keeps a core busy meanwhile
        monkeypatch.setattr(module, "WAIT_SECONDS", 0.5)
    database = open_database(address, timeout=600, connections=1)
    endless = asyncio.create_task(database.read(_ENDLESS, limit=1))
    await asyncio.sleep(0)

    with pytest.raises(DatabaseUnavailable, match="busy"):
        await database.read("SELECT 1 AS n", limit=1)

    endless.cancel()
    with pytest.raises(asyncio.CancelledError):
        await endless
    assert (await database.read("SELECT 1 AS n", limit=1)).rows == ((1,),)
    await database.close()


async def test_closing_ends_a_statement_that_still_runs(sqlite_url: str, duckdb_file: Path) -> None:
    for address in (sqlite_url, str(duckdb_file)):
        database = open_database(address, timeout=600, connections=1)
        endless = asyncio.create_task(database.read(_ENDLESS, limit=1))
        await asyncio.sleep(0)
        await database.close()
        with pytest.raises(StatementFailed, match=r"(?i)interrupt"):
            await endless


async def test_the_answer_can_be_streamed(answering: Answering) -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        context = await session.context("Show me total sales by region for 2024")
    parts = [
        part
        async for part in answering(ScriptedModel()).stream(_SCOPE, AnswerRequest(context=context))
    ]

    assert isinstance(parts[-1], Answer)
    assert "".join(part for part in parts[:-1] if isinstance(part, str)) == parts[-1].content


@for_each(
    ("address", "problem"),
    [
        ("/no/such/file.duckdb", "no file"),
        ("not a url", "no URL"),
        ("nosuchdialect://host/db", "no URL"),
        ("oracle+oracledb://host/db", "needs oracledb"),
    ],
)
def test_an_address_that_opens_nothing_says_so(address: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        open_database(address, timeout=1)


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.write_text("no database at all, but long enough to be looked at" * 100)
    with pytest.raises(ConfigurationError, match="MEMORY_SQL_DATABASE"):
        open_database(str(path), timeout=1)


@given(st.text(max_size=200))
def test_any_text_is_refused_or_reads(text: str) -> None:
    try:
        checked = check_statement(text, dialect="postgres", allowed=[_SALES], limit=5)
    except RecollectError:
        return
    assert set(checked.tables) <= {"public.sales"}


@cache
def _hidden_characters() -> list[str]:
    kinds = {"Cf", "Zs", "Zl", "Zp"}
    return [c for c in map(chr, range(0x110000)) if category(c) in kinds and c != " "]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "sqlite", "mysql", "tsql", "oracle"])
def test_no_character_that_cannot_be_seen_is_part_of_a_name(dialect: str) -> None:
    hidden = _hidden_characters()
    statements = ["SELECT region?, year FROM sales".replace("?", c) for c in hidden]
    checked = [_checked(statement, dialect) for statement in statements]

    # What is a blank to the check as well is left out of what is run.
    assert [check for check in checked if check and not check.limited.isascii()] == []


def _checked(statement: str, dialect: str) -> CheckedStatement | None:
    try:
        return check_statement(statement, dialect=dialect, allowed=[_SALES], limit=5)
    except StatementRefused:
        return None


@for_each(
    ("statement", "limited"),
    [
        ("SELECT region FROM sales", "LIMIT 6"),
        ("SELECT region FROM sales LIMIT 3;", "LIMIT 3"),
        ("SELECT region FROM sales LIMIT 300", "LIMIT 6"),
        ("SELECT region FROM sales FETCH FIRST 300 ROWS ONLY", "FETCH FIRST 6 ROWS ONLY"),
    ],
)
def test_a_statement_never_finds_more_rows_than_wanted(statement: str, limited: str) -> None:
    checked = check_statement(statement, dialect="postgres", allowed=[_SALES], limit=5)
    assert checked.limited.removeprefix('SELECT region FROM "public"."sales" ') == limited


@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "sqlite", "mysql"])
def test_a_long_chain_of_conditions_passes(dialect: str) -> None:
    conditions = " AND ".join(["year=1"] * 400)
    statement = f"SELECT region FROM sales WHERE {conditions}"  # noqa: S608  # the test's own
    checked = check_statement(statement, dialect=dialect, allowed=[_SALES], limit=5)
    assert checked.limited.count("year = 1") == 400


@for_each(
    ("written", "statement", "remark"),
    [
        ("```sql\nSELECT 1\n```\nOne.", "SELECT 1", "One."),
        ("Here it is:\n```sql\nSELECT 1\n```\nOne.", "SELECT 1", "Here it is:\n\nOne."),
        ("```postgresql\nSELECT 1\n```", "SELECT 1", ""),
        ("```\nSELECT\n1\n```", "SELECT\n1", ""),
        ("```sql SELECT 1```", "SELECT 1", ""),
        ("```SELECT 1```", "SELECT 1", ""),
        ("```sql\nSELECT 1", "SELECT 1", ""),
        ("SELECT 1", "SELECT 1", ""),
        ("NO SQL: no such table", "", "no such table"),
    ],
)
def test_the_statement_is_found_in_what_a_model_writes(
    written: str, statement: str, remark: str
) -> None:
    assert statement_in(written) == (statement, remark)


async def test_earlier_turns_are_messages_of_questions_and_their_sql() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        await session.add("user", "Show me total sales by region for 2024")
        await session.add(
            "assistant",
            "North sold most.",
            sql_query="SELECT region FROM sales WHERE year = 2024",
            query_explanation="Lists the regions.",
        )
        await session.add("user", "How is the weather?")
        await session.add("assistant", "there is no weather here")
        await session.add("user", "Drop it all")
        await session.add("user", "Show me total sales in the south for 2024")
        await session.add("assistant", "It sold less.", sql_query="SELECT 1 FROM sales")
        context = await session.context("What about 2023?")

    prompts = to_write(context, [_SALES], "postgres")

    assert [(prompt.role, prompt.content) for prompt in prompts[1:]] == [
        ("user", "Show me total sales by region for 2024"),
        (
            "assistant",
            "```sql\nSELECT region FROM sales WHERE year = 2024\n```\nLists the regions.",
        ),
        ("user", "Show me total sales in the south for 2024"),
        ("assistant", "```sql\nSELECT 1 FROM sales\n```"),
        ("user", context.question_with_meaning),
    ]
    assert context.question_with_meaning.startswith("What about 2023?\n\n(")
    assert "weather" not in str(prompts)


async def test_without_earlier_sql_the_standalone_question_is_sent() -> None:
    asked = Context(question="And in 2023?", standalone_question="How much was sold in 2023?")

    prompts = to_write(replace(asked, shows_meaning=True), [_SALES], "postgres")

    assert prompts[-1].content == "How much was sold in 2023?"


async def test_sql_whose_values_are_withheld_is_no_example() -> None:
    grants = {"restricted": ["sales"], "tables": []}
    async with Memory.in_memory(permissions=lambda _tenant, _user: grants) as memory:
        session = await memory.session(user="alice")
        await session.add("user", "Sales of Ann Smith?")
        sql = "SELECT amount FROM sales WHERE name = 'Ann Smith'"
        await session.add("assistant", "4711", sql_query=sql, tables_used=["sales"])
        context = await session.context("And in total?")

    prompts = to_write(context, [_SALES], "postgres")

    assert "4711" not in str(prompts)
    assert "SELECT amount" not in str(prompts)
    assert [prompt.role for prompt in prompts] == ["system", "user"]


async def test_of_very_many_tables_the_fitting_ones_are_shown() -> None:
    columns = (Column(name="amount", type="int"),)
    tables = [
        Table(schema="public", name=f"t{n}", columns=(), is_in_default_schema=True)
        for n in range(200)
    ]
    wanted = Table(schema="shop", name="invoices", columns=columns, is_in_default_schema=False)
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        context = await session.context("How many invoices are there?")

    prompts = to_write(context, [*tables, wanted], "postgres")

    assert "shop.invoices(amount int)" in prompts[0].content
    assert "t199" not in prompts[0].content
