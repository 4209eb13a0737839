"""Comparing JSON more strictly than `==`, to which 1, 1.0 and True are the same."""

from collections.abc import Mapping

from recollect.domain.text import JsonValue


def assert_same_json(found: JsonValue, expected: JsonValue) -> None:
    """Check that two JSON values are equal, down to the type of every number."""
    assert _with_types(found) == _with_types(expected)


def _with_types(value: JsonValue) -> object:
    match value:
        case Mapping():
            return {key: _with_types(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_types(item) for item in value]
        case _:
            return (type(value).__name__, value)
