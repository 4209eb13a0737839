"""Cells of results as JSON of a bounded size."""

import json
from decimal import Decimal

from recollect.answerers.sql_database.data import json_value, longest_text, to_rows
from support.tables import for_each


@for_each(
    ("value", "shown"),
    [
        (None, None),
        (Decimal("2.50"), 2.5),
        (Decimal("2.00"), 2),
        (Decimal("NaN"), "NaN"),
        (b"ab", "YWI="),
        ({"a": [1, (2, 3)]}, {"a": [1, [2, 3]]}),
        ("x" * 2001, "x" * 1999 + "…"),
        ("a\0b", "ab"),
    ],
)
def test_a_value_becomes_json(value: object, shown: object) -> None:
    assert json_value(value) == shown


def test_long_lists_and_maps_are_cut() -> None:
    assert json_value(list(range(1000))) == [*range(200), "…"]
    assert len(json_value({n: n for n in range(1000)})) == 200


def test_deeply_nested_values_are_cut() -> None:
    value: object = 1
    for _ in range(5000):
        value = [value]
    assert json.dumps(json_value(value)) == json.dumps([[[[[[[["…"]]]]]]]], default=str)


def test_a_number_that_no_float_can_hold_becomes_text() -> None:
    shown = json_value(Decimal(10) ** 5000)
    assert isinstance(shown, str)
    json.dumps(shown)


def test_the_more_values_a_result_has_the_shorter_they_are() -> None:
    assert longest_text(columns=5, rows=100) == 2000
    assert longest_text(columns=200, rows=100) == 200
    assert longest_text(columns=1600, rows=1000) == 64


def test_rows_beyond_the_limit_are_cut_and_not_read() -> None:
    rows = iter([(1,), (2,), (3,), (4,)])
    found = to_rows(["n"], rows, limit=2)
    assert (found.rows, found.is_cut) == (((1,), (2,)), True)
    assert list(rows) == [(4,)]


def test_columns_that_come_as_json_are_read_unless_they_were_cut() -> None:
    found = to_rows(["a", "b"], [("[1]", "[1]"), ("[1, 2", None)], limit=5, encoded={0})
    assert found.rows == (([1], "[1]"), ("[1, 2", None))
