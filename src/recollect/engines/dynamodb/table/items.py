"""Items as DynamoDB's JSON has them, and the values of their attributes."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from recollect.domain.text import JsonValue

Attribute: TypeAlias = str | int | bool | bytes
Item: TypeAlias = dict[str, Attribute]
"""An item by the names of its attributes; one that is None is left out."""
_TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def encode(item: Mapping[str, Attribute | None]) -> dict[str, Any]:
    """Return an item, or a key, in the form of requests."""
    return {name: encode_value(value) for name, value in item.items() if value is not None}


def encode_value(value: Attribute) -> dict[str, Any]:
    """Return one value in the form of requests."""
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case bytes():
            return {"B": b64encode(value).decode()}
        case _:
            return {"S": value}


def decode(item: Mapping[str, Mapping[str, Any]]) -> Item:
    """Read an item of a response."""
    return {name: _decode_value(value) for name, value in item.items()}


def _decode_value(value: Mapping[str, Any]) -> Attribute:
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return int(content)
        case "B":
            return b64decode(content)
        case _:
            return content  # type: ignore[no-any-return]  # S and BOOL are what they are


def size_of(item: Mapping[str, Attribute | None]) -> int:
    """Return about how many bytes an item takes, by DynamoDB's rules."""
    return sum(
        len(name) + (len(value.encode()) if isinstance(value, str) else _width(value))
        for name, value in item.items()
        if value is not None
    )


def _width(value: int | bool | bytes) -> int:  # noqa: FBT001  # a value, not a flag
    return len(value) if isinstance(value, bytes) else 21


def time_text(moment: datetime) -> str:
    """Return a time in a fixed width, so that texts sort as times do."""
    # strftime drops leading zeros of a year on some platforms; no memory is that old.
    return moment.astimezone(UTC).strftime(_TIME)


def time_from(text: object) -> datetime:
    """Read what `time_text` wrote."""
    return datetime.fromisoformat(str(text))


def optional_time(text: object) -> datetime | None:
    """Read a time that may be absent."""
    return None if text is None else time_from(text)


def json_text(value: object) -> str:
    """Return JSON with the types of all numbers, which DynamoDB's own numbers lose."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]


def json_from(text: object) -> Any:  # noqa: ANN401  # as it was stored
    """Read what `json_text` wrote; an absent text is an empty object."""
    value: JsonValue = json.loads(str(text)) if text is not None else {}
    return value
