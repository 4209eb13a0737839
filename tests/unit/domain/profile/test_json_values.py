"""The values of a profile: what is refused, and how two of them merge."""

import json
from types import MappingProxyType

import pytest

from recollect.domain.profile.json_values import MAX_DEPTH, MAX_VALUE_BYTES, merged, value_text
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from support.tables import for_each


def nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


def doubled(times: int) -> JsonValue:
    """A value that has few objects in memory and 2 ** times in its JSON."""
    value: JsonValue = [1]
    for _ in range(times):
        value = [value, value]
    return value


@for_each(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (1e17, "1e+17"),
        (10**30, "1" + "0" * 30),
        (("a", 1), '["a",1]'),
        (MappingProxyType({"b": {"é": None}, "a": True}), '{"b":{"é":null},"a":true}'),
    ],
)
def test_a_value_is_written_with_its_types(value: JsonValue, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), "NaN"),
        ([float("-inf")], "infinite"),
        ({1: "a"}, "texts as keys"),
        ({"a": object()}, "must be JSON"),
        ({"a": {1, 2}}, "must be JSON"),
        (b"bytes", "must be JSON"),
        ("a\0b", "NUL"),
        ({"\ud800": 1}, "surrogates"),
        (10**1300, "1,233 digits"),
        (nested(MAX_DEPTH + 1), "32 levels"),
        (doubled(31), "64 KiB"),
        ("x" * (MAX_VALUE_BYTES - 1), "64 KiB"),
        ("é" * (MAX_VALUE_BYTES // 2), "64 KiB"),
        ([0] * 10_000_000, "64 KiB"),
        (["x" * 60_000] * 60_000, "64 KiB"),
        ([{"x" * 60_000: 1}] * 60_000, "64 KiB"),
        (dict.fromkeys(map(str, range(100_000))), "64 KiB"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_what_cannot_be_stored_as_it_is_is_refused(value: JsonValue, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        value_text(value)


@for_each("value", [nested(MAX_DEPTH), "x" * (MAX_VALUE_BYTES - 2), 10**1232])
def test_what_is_just_within_the_limits_is_taken(value: JsonValue) -> None:
    assert json.loads(value_text(value)) == value


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[JsonValue] = []
    value.append(value)
    with pytest.raises(InvalidInput, match="levels"):
        value_text(value)


@for_each(
    ("old", "new", "result"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1, "c": {"d": 2}}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
        ({"a": 1}, "text", "text"),
        ("text", {"a": 1}, {"a": 1}),
        ({"a": 1}, None, None),
    ],
)
def test_objects_merge_and_everything_else_is_replaced(
    old: JsonValue, new: JsonValue, result: JsonValue
) -> None:
    assert merged(old, new) == result
