from collections.abc import Mapping
from types import MappingProxyType

import pytest

from recollect.domain.text import (
    MAX_JSON_DEPTH,
    JsonValue,
    check_json,
    check_json_object,
    check_name,
    check_text,
)
from recollect.errors import InvalidInput
from support.tables import for_each


def nested(depth: int) -> JsonValue:
    value: JsonValue = "bottom"
    for _ in range(depth):
        value = [value]
    return value


@for_each("text", ["", "plain", " blanks ", "tab\tline\r\n", "\x01", "数据 🧠 \u202e"])
def test_text_is_returned_as_it_is(text: str) -> None:
    assert check_text(text, "content", max_length=100) == text


@for_each(
    ("text", "problem"),
    [
        ("a\0b", "must not contain NUL characters"),
        ("\ud800", "must not contain lone surrogates"),
        ("ok \udfff", "must not contain lone surrogates"),
        ("12345678901", "is longer than 10 characters"),
        (17, "must be text"),
        (None, "must be text"),
        (b"bytes", "must be text"),
    ],
)
def test_text_that_cannot_be_stored_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_text(text, "content", max_length=10)
    assert (refusal.value.field, refusal.value.problem) == ("content", problem)


def test_text_may_be_as_long_as_the_limit() -> None:
    assert check_text("x" * 10, "content", max_length=10) == "x" * 10


def test_a_name_loses_the_blanks_around_it() -> None:
    assert check_name("  Sales of 2024 \n", "name", max_length=100) == "Sales of 2024"


@pytest.mark.parametrize(
    "name", ["", "   ", "\n\t", "a\nb", "a\x07b", "a\0b", pytest.param("x" * 101, id="too long")]
)
def test_a_blank_or_unprintable_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_name(name, "name", max_length=100)


@for_each(
    "value",
    [
        None,
        True,
        0,
        -(2**63),
        2**63 - 1,
        0.1,
        1e308,
        "",
        "🧠",
        [],
        (),
        {},
        {"": {"nested": [1, (2, None)]}},
        MappingProxyType({"read": "only"}),
        nested(MAX_JSON_DEPTH),
    ],
)
def test_json_that_can_be_stored_is_taken(value: JsonValue) -> None:
    check_json(value, "metadata")


@for_each(
    ("value", "problem"),
    [
        (2**63, "integers beyond 64 bits"),
        (-(2**63) - 1, "integers beyond 64 bits"),
        (float("nan"), "NaN or infinite"),
        (float("inf"), "NaN or infinite"),
        (float("-inf"), "NaN or infinite"),
        ("a\0b", "NUL"),
        ("\ud800", "lone surrogates"),
        ({"a\0b": 1}, "NUL"),
        ({"\ud800": 1}, "lone surrogates"),
        ({1: "number as key"}, "must be text"),
        ({"k" * 1001: 1}, "longer than"),
        (b"bytes", "must be JSON"),
        ({1, 2}, "must be JSON"),
        (object(), "must be JSON"),
        (nested(MAX_JSON_DEPTH + 1), "nested deeper than 64 levels"),
    ],
)
def test_json_that_would_not_come_back_is_refused(value: JsonValue, problem: str) -> None:
    for wrapped in (value, [value], {"a": value}, {"a": [value, 1]}):
        with pytest.raises(InvalidInput, match=problem):
            check_json(wrapped, "metadata")


def test_json_that_contains_itself_is_refused() -> None:
    endless: list[JsonValue] = []
    endless.append(endless)
    with pytest.raises(InvalidInput, match="nested deeper"):
        check_json(endless, "metadata")


@for_each("value", [None, [], "text", 1, True])
def test_json_that_is_no_object_is_refused(value: Mapping[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput, match="metadata must be a JSON object"):
        check_json_object(value, "metadata")


def test_a_json_object_is_returned_as_it_is() -> None:
    value: Mapping[str, JsonValue] = {"language": "nl"}
    assert check_json_object(value, "metadata") is value


@for_each("name", ["👩\u200d👩\u200d👧", "می\u200cشود", "全角\u3000空白", "10\u202f000 €"])
def test_names_are_written_as_people_write_them(name: str) -> None:
    assert check_name(name, "name", max_length=100) == name


@for_each("name", ["bell\x07", "two\nlines", "two\u2028lines", "escape\x1b[31m"])
def test_names_stay_on_one_line(name: str) -> None:
    with pytest.raises(InvalidInput, match="control characters"):
        check_name(name, "name", max_length=100)
