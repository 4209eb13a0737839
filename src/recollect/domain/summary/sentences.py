"""Cutting text into the sentences a summary is made of."""

import re
from collections.abc import Iterator
from typing import Final

# Each run of marks is tried once, from its start: ten thousand dots must not take seconds.
_ENDS: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”\u2019)\]*]*+(?=\s)|[。\uff01\uff1f]+|\n+")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE: Final = re.compile(r"^```[^\S\n]*\w*\n|```\s*$")
_LIST_MARK: Final = re.compile(r"^(?:[-*•#>]+|\d{1,3}[.)])\s+")
_NO_LETTER_OR_DIGIT: Final = re.compile(r"[\W_]+")
_ABBREVIATED: Final = """mr mrs ms dr st prof e.g i.e vs etc no nr approx fig incl excl resp ca
    bijv bv dhr mevr drs ing d.w.z a.u.b o.a m.b.t n.a.v z.b usw bzw sr jr"""
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; a block of code is one of them."""
    found: list[str] = []
    start = 0
    for block in _CODE_BLOCK.finditer(text):
        found += _split_prose(text[start : block.start()])
        found += _one_line(_FENCE.sub("", block.group()))
        start = block.end()
    return found + _split_prose(text[start:])


def _split_prose(text: str) -> list[str]:
    found: list[str] = []
    for part in _parts(text):
        found += _one_line(_LIST_MARK.sub("", part.strip()))
    return found


def _parts(text: str) -> Iterator[str]:
    start = 0
    for end in _ENDS.finditer(text):
        if end.group() == "." and _goes_on(text, start, end):
            continue
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _goes_on(text: str, start: int, dot: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation, an initial, a list's number, or a figure's half."""
    before = text[max(start, dot.start() - 12) : dot.start()].split()
    if not before:
        return True
    last = before[-1].lower().lstrip("(\"'")
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i"):
        return True
    following = text[dot.end() : dot.end() + 2].strip()
    return last[-1:].isdigit() and (
        following[:1].isdigit() or not text[start : dot.start()].strip(" 0123456789\n")
    )


def _one_line(text: str) -> list[str]:
    line = " ".join(text.split())
    return [] if _NO_LETTER_OR_DIGIT.fullmatch(line) or not line else [line]
