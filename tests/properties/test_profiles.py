"""Merging values of a profile, whatever they are."""

import json
from collections.abc import Iterator, Mapping

from hypothesis import given
from hypothesis import strategies as st

from conformance.contracts.json_types import assert_same_json
from recollect.domain.profile.json_values import merged, value_text
from recollect.domain.text import JsonValue

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
)
NAMES = st.sampled_from("abcd")
VALUES = st.recursive(
    SCALARS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(NAMES, values, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


def leaves(value: JsonValue, *path: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a merge replaces as a whole, by its path; an empty object replaces nothing."""
    if not isinstance(value, Mapping):
        yield path, value_text(value)
        return
    for name, item in value.items():
        yield from leaves(item, *path, name)


@given(value=VALUES)
def test_a_value_comes_back_from_its_text_as_it_was(value: JsonValue) -> None:
    assert_same_json(json.loads(value_text(value)), value)


@given(old=OBJECTS, new=OBJECTS)
def test_a_merge_has_all_of_the_new_value_and_what_it_does_not_name_of_the_old(
    old: dict[str, JsonValue], new: dict[str, JsonValue]
) -> None:
    before = value_text(old), value_text(new)
    result = merged(old, new)
    assert isinstance(result, dict)
    assert dict(leaves(new)).items() <= dict(leaves(result)).items()
    assert result.keys() == old.keys() | new.keys()
    for name in old.keys() - new.keys():
        assert_same_json(result[name], old[name])
    for name in old.keys() & new.keys():
        assert_same_json(result[name], merged(old[name], new[name]))
    assert (value_text(old), value_text(new)) == before, "neither of them is changed"


@given(old=VALUES, new=VALUES)
def test_a_merge_done_again_changes_nothing(old: JsonValue, new: JsonValue) -> None:
    once = merged(old, new)
    assert value_text(merged(once, new)) == value_text(once)
    assert value_text(merged(once, once)) == value_text(once)


@given(values=st.lists(st.dictionaries(NAMES, SCALARS, max_size=4), min_size=3, max_size=3))
def test_merges_of_flat_objects_can_be_grouped_as_one_likes(
    values: list[dict[str, JsonValue]],
) -> None:
    first, second, third = values
    one = merged(merged(first, second), third)
    other = merged(first, merged(second, third))
    assert_same_json(one, other)
