"""Stems of words by Snowball, in five languages."""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from recollect.domain.followup.language import detect_language
from recollect.domain.language import common_words, fold, words_of

_SNOWBALL: Final = {
    "en": "english",
    "nl": "dutch",
    "de": "german",
    "fr": "french",
    "es": "spanish",
}
_MAX_CHARACTERS: Final = 100_000
"""The rest of a longer text is not indexed: it is a file, not a message."""

_WORDS_AT_ONCE: Final = 500
"""The lock is held for this many words, so that short texts do not wait for long ones."""


class SnowballStems:
    """A `WordStems` of Snowball; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:
        """The stems of a text's words, without common words."""
        read = text[:_MAX_CHARACTERS]
        spoken = language or detect_language(read)
        empty = _empty_words(spoken)
        words = [word for word in words_of(read) if word not in empty]
        stem = _stemmer(spoken)
        if stem is None:
            return words
        stems: list[str] = []
        for start in range(0, len(words), _WORDS_AT_ONCE):
            with self._lock:  # a stemmer keeps a cache that two threads must not change at once
                stems += stem(words[start : start + _WORDS_AT_ONCE])
        return stems


@cache
def _empty_words(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in common_words(language))


@cache
def _stemmer(language: str) -> Callable[[Sequence[str]], list[str]] | None:
    import Stemmer  # noqa: PLC0415  # loaded with the first text

    name = _SNOWBALL.get(language)
    if name is None:
        return None
    stem: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name).stemWords
    return stem
