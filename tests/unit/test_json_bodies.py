"""JSON read piece by piece says the same as read at once."""

import json
from json import JSONDecodeError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.http.json_bodies import load_pieces

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(value=VALUES, indent=st.sampled_from([None, 0, 3]), is_ascii=st.booleans())
def test_json_reads_the_same_in_pieces(
    value: object, *, indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert load_pieces(f"\n\t {text} \r\n", 1000) == json.loads(text)


@given(
    value=st.dictionaries(st.text(max_size=3), VALUES, min_size=1, max_size=3),
    end=st.integers(min_value=0, max_value=60),
    added=st.sampled_from(["", ",", "]", "}", "x", '"', "[]"]),
)
def test_what_is_no_json_is_none_in_pieces(value: object, end: int, added: str) -> None:
    text = json.dumps(value)[:end] + added
    try:
        expected = json.loads(text)
    except JSONDecodeError:
        with pytest.raises(JSONDecodeError):
            load_pieces(text, 1000)
    else:
        assert load_pieces(text, 1000) == expected


def test_reading_ends_with_the_first_item_too_many() -> None:
    text = '{"messages": [' + "{}," * 1000 + "this was never read"
    assert load_pieces(text, 10) == {"messages": [{}] * 11}
