"""How much of a query's result is kept."""

import pytest

from recollect.domain.chat.answers import ResultPolicy
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput

ROWS = [{"region": "North", "sales": 2.5}, {"region": "South", "sales": 1.8, "note": None}]
COLUMNS = ["region", "sales", "note"]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["", "rows", "rows:", "rows:-1", "rows:10000", "all", "SUMMARY"])
def test_an_unknown_result_policy_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="rows:N"):
        ResultPolicy.parse(text)
