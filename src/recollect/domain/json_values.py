"""How much JSON there is: in a text that is not parsed yet, and in values."""

from collections.abc import Collection, Mapping
from typing import Final

from recollect.domain.text import JsonValue

OF_VALUE: Final = 16
"""A value takes as long to write or to read as so many characters of a text."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_BEFORE_VALUES: Final = (b",", b"[", b"{")


def count_values(body: bytes, *, most: int) -> int:
    """About how many values there are: the marks before them, outside of strings.

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
    """About how much there is to write of a value, in characters of plain text.

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
    """How many values there are in one, itself among them; counting ends soon after `most`."""
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
        return value  # type: ignore[return-value]  # as it was just found to be
    return value.values() if isinstance(value, Mapping) else ()
