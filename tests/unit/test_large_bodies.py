"""JSON read in steps says the same as read at once, and none of too many values is read."""

import json
from json import JSONDecodeError

import pytest
from fastapi import HTTPException
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.text import count_values
from recollect.interfaces.http.large_json import (
    MAX_BATCH_VALUES,
    MAX_ITEM_MEMBERS,
    MAX_MEMBERS,
    MAX_VALUES,
    BatchRoute,
    LargeBodyRoute,
    load_json,
)
from support.tables import for_each

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@pytest.mark.parametrize("most", [MAX_VALUES, 0], ids=["at once", "in steps"])
@given(value=VALUES, indent=st.sampled_from([None, 0, 3]), is_ascii=st.booleans())
def test_json_reads_the_same_however_much_it_is(
    value: object, *, most: int, indent: int | None, is_ascii: bool
) -> None:
    text = f"\n\t {json.dumps(value, indent=indent, ensure_ascii=is_ascii)} \r\n"
    assert load_json(text.encode(), at_once=most) == json.loads(text)


@given(
    value=st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=3),
    end=st.integers(min_value=0, max_value=60),
    added=st.sampled_from(["", ",", "]", "}", "x", '"', "[]"]),
)
def test_parsing_in_steps_refuses_the_same_invalid_json(
    value: object, end: int, added: str
) -> None:
    text = json.dumps(value)[:end] + added
    try:
        expected = json.loads(text)
    except JSONDecodeError:
        with pytest.raises(JSONDecodeError):
            load_json(text.encode(), at_once=0)
    else:
        assert load_json(text.encode(), at_once=0) == expected


def values_of(value: object) -> int:
    """A value and those in it."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values_of, parts))


@given(value=st.dictionaries(st.text(), VALUES, max_size=5), is_ascii=st.booleans())
def test_values_are_counted_without_parsing(value: object, *, is_ascii: bool) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii).encode()
    counted = count_values(body + b" " * 10_000, most=10_000)
    values = values_of(value)
    assert values - 1 <= counted <= 2 * values


@for_each(
    "body",
    [
        {str(number): 0 for number in range(MAX_MEMBERS + 1)},
        {"messages": [{str(number): 0 for number in range(MAX_ITEM_MEMBERS + 1)}]},
        {"messages": {"a": [0] * (MAX_BATCH_VALUES + 1)}},
        {"messages": [{"metadata": {"a": [0] * (MAX_VALUES + 1)}}]},
        [{}] * (MAX_BATCH_VALUES + 1),
    ],
    ids=["members", "members of an item", "values", "values of an item", "a list"],
)
@for_each("route", [LargeBodyRoute, BatchRoute])
def test_a_body_that_would_take_long_is_refused(route: type[LargeBodyRoute], body: object) -> None:
    parse = route("/", endpoint=lambda: None).parse
    given = json.dumps(body).encode()
    with pytest.raises(HTTPException) as refused:
        parse(given)
    assert refused.value.status_code == 422
