"""Phrases of a language, and looking them up among the words of a text."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.domain.language import fold

LANGUAGES: Final = ("en", "nl", "de", "fr", "es")
"""Those that have their phrases in TOML files."""
_WORD: Final = re.compile(r"[^\W_]+|,|:(?=\s)")
Phrase = tuple[str, ...]


class Phrases:
    """Phrases that are looked up by the words at some place of a sentence."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = frozenset(phrases)
        self._lengths = sorted({len(phrase) for phrase in phrases}, reverse=True)
        self._firsts = frozenset(phrase[0] for phrase in phrases)
        self.first = " ".join(phrases[0]) if phrases else ""

    @classmethod
    def parse(cls, text: str) -> "Phrases":
        """Read phrases that are separated by semicolons."""
        return cls([phrase for part in text.split(";") if (phrase := words_in(f"{part} "))])

    @classmethod
    def joined(cls, several: "Iterable[Phrases]") -> "Phrases":
        """All phrases of several, to look for any of them at once."""
        return cls([phrase for phrases in several for phrase in phrases])

    def __iter__(self) -> Iterator[Phrase]:
        """The phrases, in no order."""
        return iter(self._phrases)

    def __contains__(self, phrase: Phrase) -> bool:
        """Whether some words are one of them."""
        return phrase in self._phrases

    def length_at(self, words: Phrase, place: int = 0) -> int:
        """How many words the longest phrase has that begins at this place; 0 if none does."""
        if place >= len(words) or words[place] not in self._firsts:
            return 0
        parts = (words[place : place + length] for length in self._lengths)
        return next((len(part) for part in parts if part in self._phrases), 0)

    def may_be_in(self, words: Phrase) -> bool:
        """Whether a first word of theirs is among the words; most texts have none of a language."""
        return not self._firsts.isdisjoint(words)

    def places_in(self, words: Phrase) -> Iterator[int]:
        """The places at which a phrase begins."""
        if self.may_be_in(words):
            yield from (at for at in range(len(words)) if self.length_at(words, at))

    def are_in(self, words: Phrase) -> bool:
        """Whether one of them is anywhere among the words."""
        return self.may_be_in(words) and any(True for _ in self.places_in(words))


@cache
def phrase_tables(package: str, code: str) -> Mapping[str, str]:
    """The tables of phrases that a package has for one of the `LANGUAGES`, by name."""
    text = files(package).joinpath(f"{code}.toml").read_text("utf-8")
    tables: dict[str, str] = tomllib.loads(text)
    return tables


def words_in(text: str) -> Phrase:
    """The words, commas and colons of a text, without accents and in small letters."""
    return tuple(_WORD.findall(fold(text)))


def spelled_words_in(text: str) -> Phrase:
    """The same as they are written."""
    return tuple(_WORD.findall(text))
