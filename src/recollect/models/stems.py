"""Stems of words by Snowball, in five languages, and of the parts of compounds."""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from recollect.domain.followup.language import detect_language
from recollect.domain.language import common_words, fold, words_of
from recollect.models.compounds import Parts, compound_parts

_SNOWBALL: Final = {
    "en": "english",
    "nl": "dutch",
    "de": "german",
    "fr": "french",
    "es": "spanish",
}
_MAX_CHARACTERS: Final = 100_000
"""The rest of a longer text is not indexed: it is a file, not a message."""

_WORDS_AT_ONCE: Final = 100
"""The lock is held for this many words, so that short texts do not wait for long ones.

A hundred words that could be compounds take 20 ms at worst.
"""


class SnowballStems:
    """A `WordStems` of Snowball; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:
        """The stems of a text's words, without common words.

        A Dutch or German compound is followed by the stems of its parts.
        """
        read = text[:_MAX_CHARACTERS]
        spoken = language or detect_language(read)
        empty = _empty_words(spoken)
        words = [word for word in words_of(read) if word not in empty]
        stem = _stemmer(spoken)
        if stem is None:
            return words
        parts_of = _parts(spoken)
        stems: list[str] = []
        for start in range(0, len(words), _WORDS_AT_ONCE):
            some = words[start : start + _WORDS_AT_ONCE]
            with self._lock:  # a stemmer keeps a cache that two threads must not change at once
                stemmed = stem(some)
                if parts_of is None:
                    stems += stemmed
                    continue
                for word, stem_of_word in zip(some, stemmed, strict=True):
                    stems += stem_of_word, *parts_of(word)
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


@cache
def _parts(language: str) -> Parts | None:
    import Stemmer  # noqa: PLC0415  # loaded with the first text

    return compound_parts(language, stem=Stemmer.Stemmer(_SNOWBALL[language]).stemWord)
