"""Phrases of messages, by which a verification looks for what was erased."""

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"\S+")
_READ: Final = 2_000  # characters of a message
_WORDS: Final = 6
_FEWEST: Final = 3
"""Fewer words are said again by chance."""


def phrases_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return one phrase of each text that is long enough, as it is written there, each once."""
    phrases = {phrase: None for text in texts if (phrase := _phrase_of(text))}
    return tuple(phrases)


def _phrase_of(text: str) -> str | None:
    """The words in the middle of a text."""
    words = [*_WORD.finditer(text[:_READ])]
    if len(words) < _FEWEST:
        return None
    first = max(0, (len(words) - _WORDS) // 2)
    last = min(first + _WORDS, len(words)) - 1
    return text[words[first].start() : words[last].end()]
