"""Queries as people, models and databases write them; and as somebody would to hide a table."""

import logging

import pytest

from recollect.sql_reading import SqlglotReader
from support.tables import for_each

READER = SqlglotReader()


@for_each(
    ("sql", "tables"),
    [
        ("SELECT 1", ()),
        ("select a from Sales.Orders;", ("sales.orders",)),
        ("SELECT * FROM a.b x JOIN c.d y ON x.i = y.i, e.f", ("a.b", "c.d", "e.f")),
        ("SELECT (SELECT max(x) FROM a.b) FROM c.d WHERE y IN (SELECT z FROM e.f)", None),
        ("SELECT * FROM a.b UNION ALL SELECT * FROM c.d", ("a.b", "c.d")),
        ("(SELECT * FROM a.b) EXCEPT (SELECT * FROM c.d)", ("a.b", "c.d")),
        ("SELECT * FROM (SELECT * FROM a.b) AS inner_one", ("a.b",)),
        ("SELECT * FROM (VALUES (1, 'x')) AS v (a, b)", ()),
        ("SELECT * FROM generate_series(1, 10)", ()),
        ("SELECT * FROM `sales`.`orders` LIMIT 5", ("sales.orders",)),
        ("SELECT TOP 5 * FROM [db].[dbo].[Orders]", ("db.dbo.orders",)),
        ("SELECT * FROM `project.data.orders`", ("project.data.orders",)),
        ("SELECT o.* FROM ONLY sales.orders o WHERE o.d::date > now()", ("sales.orders",)),
    ],
)
def test_tables_are_read_in_common_dialects(sql: str, tables: tuple[str, ...] | None) -> None:
    assert READER.tables_in(sql) == (("a.b", "c.d", "e.f") if tables is None else tables)


@for_each(
    "sql",
    [
        """SELECT "o"."id" FROM "sales"."orders" "o" WHERE "o"."d" > ADDDAY(CURRENT_DATE(), -30)""",
        "SELECT * FROM sales.orders CONTEXT ('i18n' = 'us_pst', 'cache_wait_for_load' = 'true')",
        "SELECT * FROM sales.orders WHERE x = 1 TRACE",
        "SELECT * FROM sales.orders WHERE x = 1 CONTEXT ('formatted' = 'yes') TRACE;",
        "SELECT * FROM sales.orders OFFSET 5 ROWS LIMIT 3",
        "SELECT GETSESSION('user'), COUNT(*) FROM sales.orders GROUP BY 1",
        "SELECT * FROM sales.orders o NATURAL INNER JOIN sales.orders p",
    ],
)
def test_vql_is_read(sql: str) -> None:
    assert READER.tables_in(sql) == ("sales.orders",)


@for_each(
    ("sql", "tables"),
    [
        ("WITH t AS (SELECT * FROM a.b) SELECT * FROM t", ("a.b",)),
        ("WITH T AS (SELECT 1), u AS (SELECT * FROM t) SELECT * FROM U", ()),
        ("WITH RECURSIVE t AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT * FROM t", ()),
        # Names that only look like those of the query itself:
        ("WITH pay AS (SELECT * FROM pay) SELECT * FROM pay", ("pay",)),
        ("WITH pay AS (SELECT 1) SELECT * FROM hr.pay", ("hr.pay",)),
        ("SELECT * FROM (WITH pay AS (SELECT 1) SELECT * FROM pay) x, pay", ("pay",)),
        ("WITH x AS (SELECT * FROM pay), pay AS (SELECT 1) SELECT * FROM x", ("pay",)),
        ('WITH "Pay" AS (SELECT 1) SELECT * FROM pay', ("pay",)),
        ('WITH "Pay" AS (SELECT 1) SELECT * FROM "PAY"', ("pay",)),
    ],
)
def test_names_the_query_defines_itself_are_no_tables(sql: str, tables: tuple[str, ...]) -> None:
    assert READER.tables_in(sql) == tables


def test_a_procedure_counts_as_a_table_of_its_name() -> None:
    assert READER.tables_in("SELECT * FROM hr.all_salaries(2024)") == ("hr.all_salaries",)
    assert READER.tables_in("SELECT * FROM dblink('x', 'SELECT 1')") == ("dblink",)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "nothing of the sort",
        "SELECT * FROM",
        "SELECT 1; SELECT * FROM hr.pay",
        "SHOW TABLES",
        "CALL hr.pay()",
        "EXEC ('SELECT * FROM hr.pay')",
        "INSERT INTO a.b SELECT * FROM hr.pay",
        "SELECT * FROM FLATTEN hr.pay AS f (f.months)",
        "SELECT * FROM read_csv('/pay.csv')",
        "SELECT * FROM a.b WHERE x IN pay",
        "SELECT a--1 FROM hr.pay",
        "SELECT 1 /*! FROM hr.pay */",
        "SELECT 1 /* /* */ FROM hr.pay /* */ */",
        "SELECT " + "a, " * 6000 + "b FROM hr.pay",
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    ],
)
def test_sql_that_cannot_be_read_with_certainty_is_not_read(
    sql: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert READER.tables_in(sql) is None
    assert "pay" not in caplog.text


@for_each(
    "sql",
    [
        r"SELECT 'a\' FROM a.b -- ' FROM hr.pay",
        "SELECT $$ FROM a.b -- $$ FROM hr.pay",
        "SELECT q'[ it's ]' FROM hr.pay",
    ],
)
def test_of_readings_that_differ_every_table_counts(sql: str) -> None:
    tables = READER.tables_in(sql)
    assert tables is not None
    assert "hr.pay" in tables
    assert READER.shape_of(sql) is None or "a.b" not in tables


@for_each(
    ("sql", "shape"),
    [
        ("SELECT a FROM b.c WHERE d = 'Ann' AND e > 5 -- Ann", "d = ? AND e > ?"),
        ("SELECT a FROM b.c WHERE d IN ('Ann', 7) LIMIT 3", "d IN (?, ?) LIMIT ?"),
        ("SELECT a FROM b.c WHERE d LIKE '%Ann%' AND f", "d LIKE ? AND f"),
        ("SELECT a FROM b.c WHERE d BETWEEN DATE '2020-01-01' AND 'Ann'", "d BETWEEN CAST(? AS"),
        ('SELECT a FROM b.c WHERE d = "Ann" AND "e" = 5', 'd = ? AND "e" = ?'),
        ("SELECT a FROM b.c WHERE d > now() - INTERVAL '3' DAY", "INTERVAL (?) DAY"),
        ("SELECT a FROM b.c WHERE x = TRUE CONTEXT ('i18n' = 'Ann')", "x = ?"),
        ("SELECT CASE WHEN a = 'Ann' THEN 1 END FROM b.c", "CASE WHEN a = ? THEN ? END"),
    ],
)
def test_the_shape_of_a_query_has_its_names_and_none_of_its_values(sql: str, shape: str) -> None:
    shown = READER.shape_of(sql)
    assert shown is not None
    assert shape in shown
    assert "b.c" in shown
    assert "Ann" not in shown
    assert not set("0123456789") & set(shown)


def test_a_query_that_cannot_be_read_has_no_shape() -> None:
    assert READER.shape_of("SELECT 'Ann' FROM FLATTEN x AS f (f.g)") is None
