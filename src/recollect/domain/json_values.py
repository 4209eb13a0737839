"""How many values a JSON text has, told without parsing it."""

from typing import Final

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
