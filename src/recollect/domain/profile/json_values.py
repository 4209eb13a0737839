"""The JSON values of a profile: their limits, their text, and how two of them merge."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Final

from recollect.domain.text import JsonValue, check_text
from recollect.errors import InvalidInput

MAX_DEPTH: Final = 32
"""How deep arrays and objects may be nested."""
MAX_VALUE_BYTES: Final = 64 * 1024
"""The most bytes of one value, as compact JSON in UTF-8."""
_MAX_INTEGER_BITS: Final = 4096  # Python refuses to write or read more than 4,300 digits
_TOO_LARGE: Final = f"is larger than {MAX_VALUE_BYTES // 1024} KiB as JSON"


def value_text(value: JsonValue, field: str = "value") -> str:
    """Return a value as compact JSON, from which `json.loads` makes the same value again.

    Integers of up to 1,233 digits and all finite floats keep their types and digits; a tuple
    becomes an array.

    Raises:
        InvalidInput: it is no JSON, nested too deeply, or too large.
    """
    _check(value, field)
    return _compact(value, field)


def merged_text(old: str, new: str) -> str:
    """Merge a value into another, both as the text that `value_text` has made of them.

    What is merged of two such values needs no check but that of its size.

    Raises:
        InvalidInput: the merged value is too large.
    """
    return _compact(merged(json.loads(old), json.loads(new)), "value")


def merged(old: JsonValue, new: JsonValue) -> JsonValue:
    """Return the old value with the new one merged into it, neither of them changed.

    Objects merge member by member, at every depth. Everything else is replaced: arrays, texts
    and numbers, and also by null, which is a value like others and deletes nothing.
    """
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    changes = {key: merged(old[key], item) if key in old else item for key, item in new.items()}
    return {**old, **changes}


def _compact(value: JsonValue, field: str) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    if len(text.encode()) > MAX_VALUE_BYTES:
        raise InvalidInput(field, _TOO_LARGE)
    return text


def _check(value: JsonValue, field: str) -> None:
    """Refuse what is no JSON or too deep; stop at what must be larger than a value may be."""
    waiting: list[tuple[Collection[JsonValue], int]] = [([value], -1)]
    room = MAX_VALUE_BYTES
    while waiting:
        parts, depth = waiting.pop()
        room -= len(parts)
        for part in parts:
            inner = _parts(part, field)
            if isinstance(part, str):
                room -= len(part)
            elif inner is not None and depth + 1 == MAX_DEPTH:
                raise InvalidInput(field, f"is nested deeper than {MAX_DEPTH} levels")
            elif inner is not None:
                waiting.append((inner, depth + 1))
            if room < 0:
                raise InvalidInput(field, _TOO_LARGE)


def _parts(item: JsonValue, field: str) -> Collection[JsonValue] | None:
    """What is in an array, or in an object with its keys; None for a scalar, which is checked."""
    match item:
        case str():
            check_text(item, field, max_length=MAX_VALUE_BYTES)
        case None | bool():
            pass
        case int() | float():
            if problem := _problem_of(item):
                raise InvalidInput(field, problem)
        case list() | tuple():
            return item
        case Mapping():
            if not all(isinstance(key, str) for key in item):
                raise InvalidInput(field, "must have texts as keys")
            return [*item, *item.values()]
        case _:
            raise InvalidInput(field, "must be JSON")
    return None


def _problem_of(number: float) -> str | None:
    """What keeps a number from being written as JSON, or from being read again."""
    if isinstance(number, int):
        is_short = number.bit_length() <= _MAX_INTEGER_BITS
        return None if is_short else "must not contain integers of more than 1,233 digits"
    return None if math.isfinite(number) else "must not contain NaN or infinite numbers"


def _plain(value: object) -> dict[object, object]:
    """A mapping that is no dict, which `json` does not know."""
    assert isinstance(value, Mapping)  # noqa: S101  # checked before it is written
    return dict(value)
