"""The words of a text, as they are searched, and BM25."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

MAX_WORD: Final = 64
"""Longer runs of letters are no words that anybody looks for."""
_RUN: Final = re.compile(r"[^\W_]+(?:[.,:'\u2019@/_-]+[^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[._@]|\d")
_JOINTS: Final = re.compile(r"[.,:@/_-]+")
_APOSTROPHE: Final = re.compile(r"['\u2019]")
_LETTERS: Final = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"}
_FOLDED: Final = str.maketrans(_LETTERS)
# Chinese, Japanese and Thai put no blanks between words: pairs of signs stand for them.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SHORTENED: Final = 2
"""What is left before or after an apostrophe when it says nothing: 's, 'll, l', qu'."""
K1: Final = 0.9
"""How soon saying a word again stops to matter."""
B: Final = 0.4
"""How much a long entry is held against its words."""


def words_of(text: str) -> Iterator[str]:
    """The words of a text in their order, in lower case and without accents.

    A number or a name with dots, underscores or digits comes whole and, after that, in parts.
    """
    for run in _RUN.findall(fold(text)):
        if run.isascii() and run.isalnum():  # as most are: there is nothing to take apart
            yield run[:MAX_WORD]
            continue
        parts = list(_parts(run))
        if len(parts) > 1 and _NAME.search(run):
            yield run[:MAX_WORD]
        yield from parts


def fold(text: str) -> str:
    """A text in lower case, its accents and other ornaments taken off."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).lower().translate(_FOLDED)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _parts(run: str) -> Iterator[str]:
    for piece in _JOINTS.split(run):
        whole = _APOSTROPHE.split(piece)
        said = [part for part in whole if len(part) > _SHORTENED or len(whole) == 1]
        for part in said:
            for word in _PART.findall(part):
                yield from _pairs(word) if _UNSPACED.fullmatch(word) else [word[:MAX_WORD]]


def _pairs(signs: str) -> Iterator[str]:
    if len(signs) == 1:
        yield signs
    for at in range(len(signs) - 1):
        yield signs[at : at + 2]


class PlainWords:
    """Implements `recollect.ports.recall.WordStems` without any knowledge of languages."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:  # noqa: ARG002  # the port's signature
        """The words of a text: nothing but the same word is found by it."""
        return list(words_of(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What the entries of one owner have in common; never those of two."""

    entries: int
    mean_length: float
    """How many words an entry has on average; each counts as often as it is said."""
    entries_with: Mapping[str, int]
    """In how many entries a word occurs."""

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, int]]) -> Self:
        """Count the words of all entries."""
        count = length = 0
        entries_with: dict[str, int] = {}
        for terms in entries:
            count += 1
            length += sum(terms.values())
            for term in terms:
                entries_with[term] = entries_with.get(term, 0) + 1
        mean = length / count if count else 0.0
        return cls(entries=count, mean_length=mean, entries_with=entries_with)

    def rarity(self, term: str) -> float:
        """How much finding this word tells; always more than nothing."""
        return rarity(self.entries_with.get(term, 0), of=self.entries)


def rarity(found: int, *, of: int) -> float:
    """How much finding a word tells that so many entries have, of all."""
    return math.log(1 + (of - found + 0.5) / (found + 0.5))


def score(question: Mapping[str, float], terms: Mapping[str, int], statistics: Statistics) -> float:
    """The sum over the question's words of their weight, their rarity and how often they occur."""
    length = sum(terms.values())
    relative = length / statistics.mean_length if statistics.mean_length else 0.0
    norm = K1 * (1 - B + B * relative)
    return math.fsum(
        weight * statistics.rarity(term) * terms[term] * (K1 + 1) / (terms[term] + norm)
        for term, weight in question.items()
        if term in terms
    )
