"""Long texts in pieces that can be counted one after the other.

The tokenizers hold Python's interpreter lock while they count, 1 µs per character at worst (runs
of dashes): a text of a megabyte would stop every thread for a second. A piece takes a few
milliseconds at most.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST: Final = 2_000
"""Characters of a piece, at most."""
_LOOKED_AT: Final = 250
"""Characters at the end of a piece among which a place to cut is looked for."""
_NEVER_BETWEEN: Final = frozenset("LM")
"""Unicode's letters and marks, which run on into one another."""


class Piece(NamedTuple):
    """A part of a text."""

    text: str
    is_torn: bool
    """Whether it was cut from the next piece at a place where a token may lie."""


def pieces(text: str) -> Iterator[Piece]:
    """Part a text, at places where its tokens end wherever there is one.

    The pieces of a text's beginning are the pieces of the text, save the last one or two.
    """
    start = 0
    while len(text) - start > LONGEST:
        end = _token_end(text, start)
        yield Piece(text[start : end or start + LONGEST], is_torn=end is None)
        start = end or start + LONGEST
    yield Piece(text[start:], is_torn=False)


def _token_end(text: str, start: int) -> int | None:
    """The last place of a piece where the text can be cut without a change to its tokens."""
    for place in range(start + LONGEST, start + LONGEST - _LOOKED_AT, -1):
        if _is_token_end(text[place - 1], text[place]):
            return place
    return None


def _is_token_end(before: str, after: str) -> bool:
    """Whether OpenAI's encodings always end a token between the two characters.

    Their patterns take a space only at the start of a token or among white space, and letters
    only with letters, marks and `'s` behind them.
    """
    if after == " ":
        return not before.isspace()
    return (
        before.isalpha() and after != "'" and unicodedata.category(after)[0] not in _NEVER_BETWEEN
    )
