"""The words and marks of a text, with their places in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.language import fold, without_inner_stops
from recollect.domain.speech.spoken import Part

_WORD: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*+)++")
_TOKEN: Final = re.compile(
    rf"{_WORD.pattern}|[,;¿¡()\u2013\u2014\n]|:(?=\s|\Z)"
    r"|(?<![.!?…])[.!?…]++(?=[\s\"'”»)]|\Z)|\?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, without accents and in small letters, or a mark: "?", or "." for other ends."""

    word: str
    start: int
    end: int


def tokens_of(part: Part) -> Iterator[Token]:
    """The words and marks of a part, with their places in the message.

    The full stop of "Dr. Jansen" is none.
    """
    for found in _TOKEN.finditer(without_inner_stops(part.text)):
        yield Token(
            word=_word_of(found[0]),
            start=part.start + found.start(),
            end=part.start + found.end(),
        )


def token_words(text: str) -> frozenset[str]:
    """The words among the tokens of a text, in a quarter of their time."""
    return frozenset(map(fold, _WORD.findall(text)))


def _word_of(token: str) -> str:
    if token[0] in ".!?…":
        return "?" if "?" in token else "."
    return fold(token)
