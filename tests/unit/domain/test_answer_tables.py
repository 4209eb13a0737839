import pytest

from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.identity.permissions import UNKNOWN, tables_of_answer
from recollect.sql_reading import SqlglotReader

READ = SqlglotReader().tables_in
UNREADABLE = "SELECT FROM WHERE"


def tables_of(**details: object) -> tuple[str, ...]:
    return tables_of_answer(AnswerDetails(**details), READ)  # type: ignore[arg-type]  # as given


def test_an_answer_draws_on_the_tables_in_its_sql_and_not_on_other_candidates() -> None:
    assert tables_of(
        sql_query='SELECT * FROM "Sales"."Orders" JOIN stock.items USING (id)',
        tables_used=("sales.orders", "stock.items", "hr.salaries"),
    ) == ("sales.orders", "stock.items")


def test_without_sql_it_draws_on_every_candidate() -> None:
    assert tables_of(tables_used=('"HR"."Pay"', "sales.orders")) == ("hr.pay", "sales.orders")
    assert tables_of(sql_query="  ", tables_used=("hr.pay",)) == ("hr.pay",)


def test_unreadable_sql_draws_on_every_candidate_table_or_on_an_unknown_one() -> None:
    assert tables_of(sql_query=UNREADABLE, tables_used=("a.b", "c.d")) == ("a.b", "c.d")
    assert tables_of(sql_query=UNREADABLE) == (UNKNOWN,)
    assert tables_of(sql_query=UNREADABLE, tables_used=()) == (UNKNOWN,)


def test_a_result_without_sql_and_candidates_draws_on_an_unknown_table() -> None:
    assert tables_of(execution_result={"rows": [[5000]]}) == (UNKNOWN,)
    assert tables_of(execution_result={}) == ()


def test_an_answer_without_data_draws_on_nothing() -> None:
    assert tables_of() == ()
    assert tables_of(tables_used=(), tokens=5, model="gpt-4o") == ()
    assert tables_of(sql_query="SELECT 1", tables_used=("sales.orders",)) == ()


@pytest.mark.parametrize("database", ["Sales", '"sales"'])
def test_a_table_without_a_database_is_in_that_of_the_answer(database: str) -> None:
    assert tables_of(sql_query="SELECT * FROM orders", database=database) == ("sales.orders",)
    assert tables_of(tables_used=("orders",), database=database) == ("sales.orders",)
    assert tables_of(sql_query="SELECT * FROM hr.pay", database=database) == ("hr.pay",)
    assert tables_of(sql_query=UNREADABLE, database=database) == (UNKNOWN,)


def test_a_candidate_of_the_same_name_tells_the_database_better() -> None:
    given = {"sql_query": "SELECT * FROM orders", "database": "sales"}
    assert tables_of(**given, tables_used=("eu.orders",)) == ("eu.orders",)
    assert tables_of(**given, tables_used=("eu.orders", "us.orders")) == ("eu.orders", "us.orders")
    assert tables_of(**given, tables_used=("eu.backorders",)) == ("sales.orders",)


def test_without_any_database_the_name_stays_as_it_is() -> None:
    assert tables_of(sql_query="SELECT * FROM Orders") == ("orders",)
