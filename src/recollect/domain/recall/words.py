"""The words of texts as recall searches them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

MAX_WORD: Final = 64
"""Longer runs of letters are cut."""
_RUN: Final = re.compile(r"[^\W_]+(?:[.,:'\u2019@/_-]+[^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[._@]|\d")
_JOINTS: Final = re.compile(r"[.,:@/_-]+")
_APOSTROPHE: Final = re.compile(r"['\u2019]")
_LETTERS: Final = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"}
_FOLDED: Final = str.maketrans(_LETTERS)
# Chinese, Japanese and Thai have no blanks between words: pairs of characters stand for them.
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SHORTENED: Final = 2
"""The longest part beside an apostrophe that means nothing: 's, 'll, l', qu'."""


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
    """A text in lower case and without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).lower().translate(_FOLDED)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _parts(run: str) -> Iterator[str]:
    for piece in _JOINTS.split(run):
        whole = _APOSTROPHE.split(piece)
        for part in whole:
            if len(part) <= _SHORTENED and len(whole) > 1:
                continue
            for word in _PART.findall(part):
                yield from _pairs(word) if _UNSPACED.fullmatch(word) else [word[:MAX_WORD]]


def _pairs(characters: str) -> Iterator[str]:
    if len(characters) == 1:
        yield characters
    for at in range(len(characters) - 1):
        yield characters[at : at + 2]


class PlainWords:
    """`WordStems` without knowledge of languages: each word is its own stem."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:  # noqa: ARG002  # the port's signature
        """The words of a text."""
        return list(words_of(text))
