"""Checks of text, JSON and times before they are stored."""

import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias, TypeVar

from recollect.errors import InvalidInput

JsonValue: TypeAlias = (
    "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
)
JsonObject: TypeAlias = Mapping[str, JsonValue]
Choice = TypeVar("Choice", bound=StrEnum)
MAX_JSON_DEPTH = 64
_MAX_EXACT_INTEGER = 2**63
_MAX_KEY = 1000
_UNNAMEABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, surrogate, line and paragraph breaks
OF_VALUE: Final = 16
"""A value takes as long to write or to read as this many characters of a text."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_BEFORE_VALUES: Final = (b",", b"[", b"{")
MAX_AHEAD: Final = timedelta(days=1)
"""How far a time may lie in the future: clocks differ, and time zones are confused."""


def check_text(value: str, field: str, *, max_length: int) -> str:
    """Return the text as it is, or refuse what PostgreSQL or UTF-8 cannot hold."""
    if not isinstance(value, str):
        raise InvalidInput(field, "must be text")
    if len(value) > max_length:
        raise InvalidInput(field, f"is longer than {max_length:,} characters")
    if "\0" in value:
        raise InvalidInput(field, "must not contain NUL characters")
    if not value.isascii():  # a flag of the string, while encoding copies it
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidInput(field, "must not contain lone surrogates") from None
    return value


def check_name(value: str, field: str, *, max_length: int) -> str:
    """Return a name without the blanks around it; a blank or unprintable one is refused."""
    name = check_text(value, field, max_length=max_length).strip()
    if not name:
        raise InvalidInput(field, "must not be blank")
    # None of those is printable; to ask takes a fiftieth of looking at each character.
    if not name.isprintable() and any(unicodedata.category(one) in _UNNAMEABLE for one in name):
        raise InvalidInput(field, "must not contain control characters or line breaks")
    return name


def parse_choice(kind: type[Choice], text: str, field: str) -> Choice:
    """Read a value of an enumeration; the error lists those there are."""
    try:
        return kind(text)
    except ValueError:
        raise InvalidInput(field, f"must be one of: {', '.join(kind)}") from None


def without_breaks(text: str) -> str:
    """Put a text on one line, as a name must be."""
    joined = " ".join(text.split())
    if joined.isprintable():  # none of those is; a fifth of the time of looking at each
        return joined
    return "".join(c for c in joined if unicodedata.category(c) not in _UNNAMEABLE)


def storable(text: str) -> str:
    """Return a text without what no database can store: for answers, which nobody can correct."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def storable_json(value: JsonValue, *, depth: int = 0) -> JsonValue:
    """Return JSON with storable texts; what is too deep or too large a number becomes null."""
    match value:
        case str():
            return storable(value)
        case None | bool():
            return value
        case int() | float():
            return None if _problem_of(value) else value
        case _ if depth >= MAX_JSON_DEPTH:
            return None
        case Mapping():
            return {
                storable(str(key))[:_MAX_KEY]: storable_json(item, depth=depth + 1)
                for key, item in value.items()
            }
        case _:
            return [storable_json(item, depth=depth + 1) for item in value]


def check_json(value: JsonValue, field: str, *, depth: int = 0) -> None:
    """Refuse JSON that would not come back from the database as it went in."""
    if depth > MAX_JSON_DEPTH:
        raise InvalidInput(field, f"is nested deeper than {MAX_JSON_DEPTH} levels")
    match value:
        case None | bool():
            pass
        case str():
            check_text(value, field, max_length=len(value))
        case int() | float():
            if problem := _problem_of(value):
                raise InvalidInput(field, problem)
        case Mapping():
            for key, item in value.items():
                check_text(key, field, max_length=_MAX_KEY)
                check_json(item, field, depth=depth + 1)
        case list() | tuple():
            for item in value:
                check_json(item, field, depth=depth + 1)
        case _:
            raise InvalidInput(field, "must be JSON")


def check_json_object(value: JsonObject, field: str) -> JsonObject:
    """Return a JSON object as it is, or refuse what is not one."""
    if value == {}:  # what most messages have
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(field, "must be a JSON object")
    check_json(value, field)
    return value


def _problem_of(number: float) -> str | None:
    """What keeps a number from coming back from the database as it is."""
    if isinstance(number, int):
        is_small = -_MAX_EXACT_INTEGER <= number < _MAX_EXACT_INTEGER
        return None if is_small else "must not contain integers beyond 64 bits"
    return None if math.isfinite(number) else "must not contain NaN or infinite numbers"


def count_values(body: bytes, *, most: int) -> int:
    """Return about how many values JSON has: the marks before them, outside of strings.

    Takes milliseconds for megabytes. Beyond `most` a rough number is returned.
    """
    if len(body) <= most:
        return 0  # each value takes a byte
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    quotes = plain.count(b'"')
    if quotes > 4 * most:  # each value may have a key, each of both two quotes
        return quotes // 4
    between_strings = b"".join(plain.split(b'"')[::2])
    return sum(between_strings.count(mark) for mark in _BEFORE_VALUES)


def json_characters(value: JsonValue, *, most: int) -> int:
    """Return about how much there is to write of a value, in characters of plain text.

    Counting ends soon after `most`: 100,000 takes a millisecond at most.
    """
    counted = 0
    waiting = [value]
    while waiting and counted <= most:
        item = waiting.pop()
        counted += OF_VALUE
        if type(item) is str:
            counted += len(item)
            continue
        parts = _parts(item)
        if parts:
            if counted + OF_VALUE * len(parts) > most:
                return counted + OF_VALUE * len(parts)
            if type(item) is dict:
                counted += sum(map(len, item))
            waiting.extend(parts)
    return counted


def count_parts(value: JsonValue, *, most: int) -> int:
    """Return how many values there are in one, with itself; counting ends soon after `most`."""
    counted = 0
    waiting = [value]
    while waiting and counted <= most:
        counted += 1
        waiting.extend(_parts(waiting.pop()))
    return counted


def _parts(value: JsonValue) -> Collection[JsonValue]:
    """What is in an array or an object."""
    kind = type(value)
    if kind in _SCALARS:
        return ()
    # To ask whether a list is a mapping takes ten times as long as this.
    if kind is list or kind is tuple:
        return value  # type: ignore[return-value]  # checked above
    return value.values() if isinstance(value, Mapping) else ()


def to_utc(moment: datetime, field: str) -> datetime:
    """Return an aware time in UTC; refuse a time without a zone, and what is no time."""
    if not isinstance(moment, datetime):
        raise InvalidInput(field, "must be a time")
    if moment.utcoffset() is None:
        raise InvalidInput(field, "must have a time zone, such as 2024-05-01T09:30:00Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "must lie between the years 1 and 9999") from None


def parse_moment(text: str, field: str) -> datetime:
    """Read a time in ISO 8601 with its time zone, such as 2024-05-01T09:30:00.000Z."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError):  # also of what is no text
        problem = "must be a time in ISO 8601, such as 2024-05-01T09:30:00Z"
        raise InvalidInput(field, problem) from None
    return to_utc(moment, field)


def check_not_ahead(moment: datetime, field: str, *, now: datetime) -> None:
    """Refuse a time more than a day in the future."""
    if moment - now > MAX_AHEAD:
        raise InvalidInput(field, "must not lie more than a day in the future")
