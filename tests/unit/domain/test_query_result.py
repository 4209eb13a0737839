"""How much of a query's result is kept."""

import json

import pytest

from recollect.domain.privacy.results import (
    MAX_CELL_CHARACTERS,
    MAX_STORED_CHARACTERS,
    ResultPolicy,
)
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from support.tables import for_each

ROWS = [{"region": "North", "sales": 2.5}, {"region": "South", "sales": 1.8, "note": None}]
COLUMNS = ["region", "sales", "note"]


@for_each(
    ("policy", "kept"),
    [
        ("none", None),
        ("summary", {"columns": COLUMNS, "row_count": 2}),
        ("rows:1", {"columns": COLUMNS, "row_count": 2, "rows": ROWS[:1]}),
        ("rows:0", {"columns": COLUMNS, "row_count": 2, "rows": []}),
        ("rows:9999", {"columns": COLUMNS, "row_count": 2, "rows": ROWS}),
    ],
)
def test_a_result_policy_decides_how_much_of_a_result_is_stored(
    policy: str, kept: JsonValue
) -> None:
    assert ResultPolicy.parse(policy).keep(ROWS) == kept


def test_an_empty_result_is_not_stored() -> None:
    assert ResultPolicy.parse("rows:3").keep([]) is None


SUMMARY = {"columns": ["region", "sales"], "row_count": 1}
NORTH = {"region": "North", "sales": 98765}


@for_each(
    "result",
    [
        [NORTH],
        {"full": [NORTH], "full_csv": "region,sales\nNorth,98765", "llm": [NORTH]},
        {"Row 1": [{"columnName": name, "value": value} for name, value in NORTH.items()]},
        {"rows": [NORTH], "took": 12},
        NORTH,
        {**SUMMARY, "rows": [NORTH]},
        SUMMARY,
    ],
)
def test_a_result_in_any_form_is_stored_by_the_policy(result: JsonValue) -> None:
    assert ResultPolicy.parse("none").keep_of(result) is None
    assert ResultPolicy.parse("summary").keep_of(result) == SUMMARY
    with_rows = ResultPolicy.parse("rows:5").keep_of(result)
    is_summary = result == SUMMARY
    assert with_rows == {**SUMMARY, "rows": [] if is_summary else [NORTH]}
    assert ResultPolicy.parse("rows:5").keep_of(with_rows) == with_rows


@for_each(
    ("result", "count"),
    [
        ([["North", 98765]], 1),
        ({"rows": [["North", 98765], []]}, 2),
        ("North 98765", 1),
        (98765, 1),
    ],
)
def test_of_a_result_without_columns_its_number_of_rows_is_stored(
    result: JsonValue, count: int
) -> None:
    assert ResultPolicy().keep_of(result) == {"columns": [], "row_count": count}


@for_each("result", [None, [], {}, ""])
def test_of_no_result_nothing_is_stored(result: JsonValue) -> None:
    assert ResultPolicy.parse("rows:5").keep_of(result) is None


def test_the_size_of_what_is_stored_of_a_result_is_bounded() -> None:
    rows: list[dict[str, JsonValue]] = [{"text": "x" * 5_000} for _ in range(2_000)]
    many: dict[str, JsonValue] = {f"{n}{'c' * 1_000}": n for n in range(5_000)}

    kept = json.dumps(ResultPolicy.parse("rows:9999").keep_of(rows))
    columns = json.dumps(ResultPolicy().keep_of([many]))

    assert json.loads(kept)["row_count"] == 2_000
    assert 50 <= len(json.loads(kept)["rows"]) < 100
    assert len(json.loads(kept)["rows"][0]["text"]) == MAX_CELL_CHARACTERS + 1
    assert len(kept) < 1.1 * MAX_STORED_CHARACTERS
    assert len(columns) < 300_000


@for_each("text", ["", "rows", "rows:", "rows:-1", "rows:10000", "all", "SUMMARY"])
def test_an_unknown_result_policy_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="rows:N"):
        ResultPolicy.parse(text)
