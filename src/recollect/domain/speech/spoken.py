"""Which sentences of a message its author speaks, and does not quote, list or paste."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.language import sentence_parts

_READ_WHOLE: Final = 800
"""Longer messages are mostly pasted: their first and last paragraph may be the user's own."""
_PARAGRAPH: Final = 400
_FENCED: Final = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*+(?:\n[^\S\n]*+)++")
_NOT_SPOKEN: Final = re.compile(r"^(?:[>|#$<{\[*•]|[-\u2013\u2014] |\d{1,3}[.)] |\t| {4})")
_QUOTE_MARKS: Final = re.compile(r"[\"“”„«»]")
_CLOSING: Final = {"“": "”", "„": "“”", "«": "»", '"': '"', "»": "«"}
_QUOTED_START: Final = re.compile(r"[\"“„«»'\u2018`]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a message, with its place in it."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)


def own_parts(
    text: str, *, read_whole: int = _READ_WHOLE, paragraph: int = _PARAGRAPH
) -> Iterator[Part]:
    """The parts of a message that its author has probably written, not pasted.

    Line breaks stand for fenced code. Of a message longer than `read_whole`, only the first and
    the last paragraph are its author's, if they are not longer than `paragraph`.
    """
    prose = _FENCED.sub(lambda code: "\n" * len(code[0]), text)
    code = 0 if prose is text else sum(len(found[0]) for found in _FENCED.finditer(text))
    if len(prose) - code <= read_whole:
        yield Part(start=0, text=prose)
        return
    paragraphs = [part for part in _paragraphs(prose) if part.text.strip()]
    ends = {part.text: part for part in (*paragraphs[-1:], *paragraphs[:1])}
    in_order = sorted(ends.values(), key=lambda part: part.start)
    yield from (part for part in in_order if len(part.text) <= paragraph)


def _paragraphs(prose: str) -> Iterator[Part]:
    start = 0
    for gap in _PARAGRAPHS.finditer(prose):
        yield Part(start=start, text=prose[start : gap.start()])
        start = gap.end()
    yield Part(start=start, text=prose[start:])


def sentences_of(part: Part) -> Iterator[Part]:
    """The sentences of a part as they stand in it; together they are the part."""
    start = part.start
    for text in sentence_parts(part.text):
        yield Part(start=start, text=text)
        start += len(text)


def spoken_sentences(part: Part) -> Iterator[Part]:
    """The sentences outside of quotations, lists and other lines that nobody speaks.

    What follows a line that ends with a colon is quoted, up to the next empty line.
    """
    quote, is_introduced = "", False
    for sentence in sentences_of(part):
        text, line = sentence.text, sentence.text.strip()
        if not line:
            is_introduced = is_introduced and "\n\n" not in text
            continue
        is_inside, quote = bool(quote), _open_quote(text, quote)
        begins_quoted = _QUOTED_START.match(line) is not None
        if not (is_inside or begins_quoted or is_introduced or _NOT_SPOKEN.match(text)):
            yield Part(start=sentence.start + text.index(line), text=line)
        is_introduced = (is_introduced or line.endswith(":")) and not text.endswith("\n\n")


def _open_quote(part: str, quote: str) -> str:
    """The marks that would close the quotation which is open after this part; '' if none is."""
    for mark in _QUOTE_MARKS.finditer(part):
        if not quote:
            quote = _CLOSING.get(mark[0], "")
        elif mark[0] in quote:
            quote = ""
    return quote
