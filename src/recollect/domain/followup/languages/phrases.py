"""Phrases of a language, and where a sentence has them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

Phrase = tuple[str, ...]


class PhraseList(tuple[Phrase, ...]):  # noqa: SLOT001  # `__dict__` has the cached index
    """Phrases in their order, which are looked up by their first word."""

    @cached_property
    def by_first_word(self) -> Mapping[str, Sequence[Phrase]]:
        """The phrases that begin with a word, the longest first."""
        found: dict[str, list[Phrase]] = {}
        for phrase in sorted(filter(None, self), key=len, reverse=True):
            found.setdefault(phrase[0], []).append(phrase)
        return found

    @cached_property
    def pairs(self) -> Mapping[str, str]:
        """The first word of each phrase of several words, with its second: "won", "win"."""
        return {phrase[0]: phrase[1] for phrase in self if len(phrase) > 1}


def starting_phrase(words: Sequence[str], phrases: PhraseList, *, start: int = 0) -> int:
    """How many words the longest phrase has that begins at a place; 0 if there is none."""
    if start >= len(words):
        return 0
    for phrase in phrases.by_first_word.get(words[start], ()):
        length = len(phrase)
        if length == 1 or tuple(words[start : start + length]) == phrase:
            return length
    return 0


def phrase_places(words: Sequence[str], phrases: PhraseList) -> Iterator[int]:
    """The places where one of some phrases begins, the first place first."""
    first_words = phrases.by_first_word
    for place, word in enumerate(words):
        if word in first_words and starting_phrase(words, phrases, start=place):
            yield place
