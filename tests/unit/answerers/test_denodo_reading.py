"""What an AI SDK may say, and what is made of it."""

import pytest

from recollect.answerers.denodo import read_response, rows_of, tables_of
from recollect.domain.text import JsonValue
from recollect.sql_reading import SqlglotReader
from support.tables import for_each

CANDIDATES = ("bank.sales", "bank.regions", "hr.staff", "old.staff")
SQL = SqlglotReader()


@for_each(
    ("sql", "tables"),
    [
        ("SELECT * FROM sales s JOIN regions r ON s.id = r.id", ("bank.regions", "bank.sales")),
        ('SELECT "a" FROM "bank"."Sales"', ("bank.sales",)),
        ("SELECT * FROM staff", ("staff",)),
        ("SELECT * FROM unknown", ("unknown",)),
        ("WITH x AS (SELECT * FROM sales) SELECT * FROM x", ("bank.sales",)),
        ("SELECT * FROM sales WHERE id IN (SELECT id FROM hr.staff)", ("hr.staff", "bank.sales")),
        ("SELECT * FROM sales UNION SELECT * FROM sales", ("bank.sales",)),
        ("", CANDIDATES),
        ("SELECT 1", CANDIDATES),
        ("SELECT FROM WHERE ((", CANDIDATES),
    ],
)
def test_the_tables_are_those_of_the_query_or_all_that_were_considered(
    sql: str, tables: tuple[str, ...]
) -> None:
    assert tables_of(sql, CANDIDATES, SQL) == tables


@for_each(
    ("result", "rows"),
    [
        ({"Row 1": [{"columnName": "a", "value": "1"}]}, [{"a": "1"}]),
        ({"full": {"Row 1": [{"columnName": "a", "value": "1"}]}, "llm": {}}, [{"a": "1"}]),
        ({"full": [{"a": "1"}, {"a": "2"}], "full_csv": "a\n1\n2"}, [{"a": "1"}, {"a": "2"}]),
        ({"full": "a\n1"}, []),
        ({}, []),
        ("", []),
        (None, []),
        ({"Row 1": "?", "Row 2": [7]}, []),
    ],
)
def test_rows_are_found_in_every_form(result: JsonValue, rows: list[object]) -> None:
    assert rows_of(result) == rows


@pytest.mark.parametrize(
    "field",
    [
        *("sql_query", "query_explanation", "tokens", "execution_result", "related_questions"),
        *("tables_used", "raw_graph", "sql_execution_time", "llm_time", "llm_model"),
    ],
)
def test_a_field_of_any_type_makes_an_answer_that_can_be_stored(
    subtests: pytest.Subtests, field: str
) -> None:
    for value in [None, "", [], {}, 7, "x\0y", [None], {"a": "\ud800"}, 1e400]:
        with subtests.test(value=str(value)[:80]):
            answer = read_response({"answer": "Fine.", field: value}, reader=SQL)
            assert answer.remembered == "Fine."
            assert isinstance(answer.response["tables_used"], list)
            assert isinstance(answer.response["tokens"], dict)
            assert isinstance(answer.response["llm_time"], float)


@for_each("text", [None, "", " \n", 7])
def test_an_answer_without_text_is_remembered_by_its_query(text: JsonValue) -> None:
    received = {"answer": text, "sql_query": "SELECT 1 FROM sales"}
    assert read_response(received, reader=SQL).remembered == "SELECT 1 FROM sales"
    assert read_response({"answer": text}, reader=SQL).remembered


def test_the_longer_disclaimer_of_metadata_answers_is_not_stored() -> None:
    text = (
        "There are two views.\n        DISCLAIMER: This response has been generated based on an "
        "LLM's interpretation of the data and may not be accurate.\n        Also, …"
    )
    answer = read_response({"answer": text}, reader=SQL)
    assert answer.content == text
    assert answer.remembered == "There are two views."
