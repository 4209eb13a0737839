"""Which words of a message are the user's own, so that they may be read for facts.

Code, quotations, pasted lines, letters and texts to work on are none, whoever wrote them: what
they say is not said about the user.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.own_words.letters import letters_in
from recollect.domain.facts.reading.own_words.messages import has_message
from recollect.domain.facts.reading.own_words.speakers import spoken_by_others
from recollect.domain.language import MAX_WORD
from recollect.domain.speech.phrases import LANGUAGES, Phrase, words_in
from recollect.domain.speech.spoken import Part, own_parts, sentences_of

_READ_WHOLE: Final = 1_500
_PARAGRAPH: Final = 600
_MAX_QUOTED_WORDS: Final = 5
"""Longer quotations are somebody's sentences; shorter ones are names and terms."""
_MAX_SUBJECT_WORDS: Final = 2
"""The same of quotations with "I" in them."""
_QUOTED: Final = re.compile(
    r"\"[^\"]*+(?:\"|\Z)|“[^”\"]*+(?:[”\"]|\Z)|„[^“”\"]*+(?:[“”\"]|\Z)|«[^»]*+(?:»|\Z)|`[^`]*+(?:`|\Z)"
    r"|\u2018[^\u2019\n]{1,300}+\u2019|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,300}+'(?!\w)"
)
_OPENING_QUOTE: Final = re.compile(r"\s*[\"“„«\u2018'`]")
_COLON: Final = re.compile(r":(?=\s)")
_LINE: Final = re.compile(r"[^\n]*\n?")
_PASTED: Final = re.compile(
    r"\s*+(?:[>|#<{}\[\]$]|//|/\*"  # quoted mail, tables, headings, HTML, JSON, shell, comments
    r"|(?:\d{4}-\d\d-\d\d[T ]|\[?\d\d:)\d\d:\d\d"  # logs
    r"|at [\w.$<>]+\(|File \"|Traceback|Caused by"
    r"|(?:(?i:select\s\S|insert into|update \w+ set|delete from|create table|with \w+ as \())"
    r"|(?:def|class|import|function|const|let|var|public|private|return|#include|sudo|curl|export)"
    r" \S+[ (={;])"
)
_SQL_COMMENT: Final = re.compile(r"\s*+--")
_HEADER: Final = re.compile(
    r"\s*+(?i:from|to|cc|bcc|subject|date|sent|reply-to|van|aan|onderwerp|datum|verzonden|von|an|betreff"
    r"|gesendet|de|à|objet|envoyé|para|asunto|enviado|fecha) ?: ?\S"
)
_MIN_HEADERS: Final = 2
"""The fewest lines, one behind the other, with which a mail begins whose text follows."""
_FIELDS: Final = re.compile(r"\t|;\S|\S\|\S|\s\|\s|\",\"|[^\W\d],\w|\w,[^\W\d]")
_MIN_FIELDS: Final = 2
_LOGGED: Final = re.compile(r"\b(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|Exception)\b")
_CODE_END: Final = re.compile(r"(?:[;{}]|\);|=>)\s*\Z")
Span = tuple[int, int]


def readable_parts(text: str) -> tuple[Part, ...]:
    """The user's own running words in a message, as they stand in it."""
    letters = tuple(letters_in(text))
    return tuple(one for part in own_parts(text, **_LIMITS) for one in _own_words_of(part, letters))


_LIMITS: Final = {"read_whole": _READ_WHOLE, "paragraph": _PARAGRAPH}


def _own_words_of(part: Part, letters: Sequence[Span]) -> Iterator[Part]:
    within = _within(part, letters)
    dropped = sorted([*_quotations(part.text), *_foreign_lines(part.text), *within])
    start = 0
    for begin, end in (*dropped, (len(part.text), len(part.text))):
        own = part.text[start:begin]
        if stripped := own.strip():
            yield Part(start=part.start + start + own.index(stripped), text=stripped)
        start = max(start, end)


def _within(part: Part, spans: Sequence[Span]) -> Iterator[Span]:
    """The places in a part that spans of its message have."""
    for start, end in spans:
        if start < part.end and end > part.start:
            yield max(0, start - part.start), min(len(part.text), end - part.start)


def _quotations(text: str) -> Iterator[Span]:
    for found in _QUOTED.finditer(text):
        words = words_in(found[0][: _MAX_QUOTED_WORDS * MAX_WORD])
        has_subject = any(fact_words(code).subjects.are_in(words) for code in LANGUAGES)
        if len(words) > (_MAX_SUBJECT_WORDS if has_subject else _MAX_QUOTED_WORDS):
            yield found.span()


def _foreign_lines(text: str) -> Iterator[Span]:
    """Where pasted lines stand, and texts that a task or a colon announces."""
    is_introduced, is_text, headers = False, False, 0
    lines = [*_LINE.finditer(text)]
    others = spoken_by_others([line[0] for line in lines])
    for at, line in enumerate(lines):
        stripped = line[0].strip()
        headers = headers + 1 if _HEADER.match(line[0]) else 0
        is_text = is_text or headers >= _MIN_HEADERS
        if not stripped:
            is_introduced = False
        elif is_text or is_introduced or at in others or _is_code(line[0], lines[at + 1 : at + 2]):
            yield line.span()
        else:
            own, is_text = _up_to_text(Part(start=line.start(), text=line[0]))
            yield own, line.end()
            is_introduced = stripped.endswith(":")


def _is_code(line: str, following: Sequence[re.Match[str]]) -> bool:
    """Whether a line is pasted, or a comment of SQL before one that is."""
    is_comment = _SQL_COMMENT.match(line) is not None
    return _is_pasted(line) or (is_comment and any(_is_pasted(one[0]) for one in following))


def _is_pasted(line: str) -> bool:
    if _PASTED.match(line) or _HEADER.match(line) or _LOGGED.search(line) or _CODE_END.search(line):
        return True
    return sum(1 for _ in _FIELDS.finditer(line)) >= _MIN_FIELDS


def _up_to_text(line: Part) -> tuple[int, bool]:
    """Where the user's own words of a line end, and whether the next lines are a text, too."""
    for sentence in sentences_of(line):
        words = words_in(sentence.text)
        is_last = not line.text[sentence.end - line.start :].strip()
        for known in map(fact_words, LANGUAGES):
            if has_message(words, known):
                return sentence.start, True
            if is_last and known.reply_tasks.are_in(words):
                return line.end, line.text.endswith("\n")
            if known.sayings.are_in(words):
                return sentence.start, False
            task = next(known.text_tasks.places_in(words), None)
            if task is None:
                continue
            colon = _colon_after_task(sentence.text, words, task)
            if colon and not _OPENING_QUOTE.match(line.text, sentence.start + colon - line.start):
                return sentence.start + colon, True
            if known.this_text.are_in(words[task:]) and sentence.end >= line.end:
                return line.end, line.text.endswith("\n")
    return line.end, False


def _colon_after_task(sentence: str, words: Phrase, task: int) -> int:
    """The place after the colon that ends the words of a task; 0 if there is none."""
    if ":" not in words[task:]:
        return 0
    before = words[: words.index(":", task)].count(":")
    colons = [found.end() for found in _COLON.finditer(sentence)]
    return colons[before] if before < len(colons) else 0
