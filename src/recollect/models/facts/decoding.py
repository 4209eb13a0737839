"""From the scores of a message's tokens to the statements in it."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from recollect.domain.dates import DATES
from recollect.domain.facts.reading.cut_words import is_other_subject
from recollect.domain.facts.statement import Operation
from recollect.domain.language import without_inner_stops
from recollect.domain.speech.phrases import LANGUAGES, words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INSIDE: Final = 0.5
_BEGIN: Final = 0.5
_MAX_GAP: Final = 2
"""Unlikely words within a statement that goes on behind them …"""
_IN_GAP: Final = 0.1
"""… if they are not less likely than this."""
_MIN_WORDS: Final = 3
"""The fewest words of a statement …"""
_WHOLE: Final = 0.75
"""… unless it is this much of its clause: "At Philips."."""
_MIN_SHARE: Final = 0.3
"""The least share of its clause that a statement has: less is a chance word or two."""
_MIN_BEGIN: Final = 0.1
"""How likely a statement must begin where it does."""
_MAX_REST: Final = 3
"""Words at the end of a clause that the statement in it has, too: "I'm hard of hearing"."""
_SENTENCE_END: Final = re.compile(r"[.!?…]\s|\n")
_CLAUSE_END: Final = re.compile(r"[.!?;:\n()…]+|,(?=\s)|\s[\u2013\u2014-]\s")
_SHORT: Final = 3
"""Letters of a short month, which may be a name: "Jan"."""
_MONTHS: Final = "|".join(sorted(m for m in DATES["de"].months if len(m) > _SHORT or m == "mai"))
_ORDINAL: Final = re.compile(
    rf"(\b(?:am|der|den|dem|vom|zum|bis)\s(?:[12]\d|3[01]|[1-9]))\.(?=\s(?:{_MONTHS}|märz)\b)",
    re.IGNORECASE,
)
"""A day, with the full stop that ends no sentence behind it: "am 3. Mai"."""
_CONJUNCTIONS: Final = frozenset(
    ["and", "but", "en", "maar", "und", "aber", "et", "mais", "y", "pero"]
)
_REASONS: Final = frozenset(["because", "omdat", "weil", "porque"])
"""What joins a reason, with which no statement ends."""
_SUBJECT: Final = re.compile(r"(?:i|we|ik|wij|ich|wir|je|j|nous|on|yo|nosotros)\b")
_MIN_BEFORE: Final = 3
"""Words before "and I" that can be a statement of their own; "my wife and I" is none."""
_ONE_ALONE: Final = frozenset(["ik", "ich", "je", "yo"])
"""Subjects whose verb tells them from two: "Piet en ik zijn" is not "ik zijn"."""
_POSSESSIVES: Final = frozenset(
    word
    for words in (
        "my our",
        "mijn m'n onze ons",
        "mein meine meinen meinem meiner unser unsere unseren unserem unserer",
        "mon ma mes notre nos",
        "mi mis nuestro nuestra nuestros nuestras",
    )
    for word in words.split()
)
_COPULAS: Final = frozenset(
    word
    for words in (
        "is isn't are was were called named",
        "zijn waren heet heten",
        "ist sind war heißt heissen heißen",
        "est sont était s'appelle s'appellent",
        "es son era llama llaman",
    )
    for word in words.split()
)
"""Verbs of what somebody is; that does not pass."""
_LONGEST_SUBJECT: Final = 60
"""Characters of the other one of two subjects."""
_ADD: Final = tuple(Operation).index(Operation.ADD)
_MAX_NOUNS: Final = 3
"""The most words between "my" and a name: "my twin sister Ann"."""
_DOUBTED: Final = 0.6
"""Below this mean, what is said of somebody named is left out: most often it passes.

"My dog Rex has something in his paw" becomes "My dog Rex". Of the training rows' statements of
that kind nine are cut, seven of them where the rows end, too.
"""
_OPENING: Final = {")": "(", "]": "[", "\u201d": "\u201c", "\u201c": "\u201e", "»": "«", '"': '"'}
_AROUND: Final = " \t\r\n.,;:!?\"'“”„«»()[]\u2013\u2014-…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A part of a message that says something about its user."""

    start: int
    end: int
    slot: int
    """The likeliest, by its number."""
    operation: int
    confidence: float
    is_joined: bool = False
    """Whether another clause is joined to it, which its slot may be that of."""
    subject: str = ""
    """Whom it is about, where an earlier clause says that: "I "."""

    def overlaps(self, other: "Found") -> bool:
        """Whether both have words in common."""
        return self.start < other.end and other.start < self.end

    def has_words_of(self, other: "Found") -> bool:
        """Whether both have the same words."""
        return (self.start, self.end) == (other.start, other.end)


class Scores(NamedTuple):
    """What the network says of a message and of each of its tokens, as probabilities."""

    present: float
    inside: "NDArray[np.float32]"
    begin: "NDArray[np.float32]"
    slots: "NDArray[np.float32]"
    operations: "NDArray[np.float32]"


@dataclass(slots=True)
class _Word:
    start: int
    end: int
    first: int
    last: int
    """The numbers of its tokens."""
    inside: float = 0.0
    begin: float = 0.0


def statements_in(text: str, offsets: Sequence[tuple[int, int]], scores: Scores) -> list[Found]:
    """The statements of a message, in their order; `offsets` are those of its tokens."""
    words = list(_words(offsets, scores))
    text = without_inner_stops(_ORDINAL.sub(r"\1_", text))
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    joined = _joined_clauses(text, words, ends)
    for conjunction, subject in joined:
        subject.begin, subject.inside = 1.0, max(subject.inside, conjunction.inside)
        conjunction.inside = 0.0
        insort(ends, conjunction.start)
        insort(ends, subject.start)
    found = []
    for run in (_without_conjunction(text, run) for run in _runs(text, words)):
        start, end = _trimmed(text, run[0].start, run[-1].end)
        start = _with_first_subject(text, words, ends, start)
        if start < end and _is_statement(run, words, ends, start, end):
            end = _with_last_words(text, words, ends, (start, end))
            one = replace(_found(run, scores, start, end), is_joined=bool(joined))
            found.append(_without_doubted(text, words, one))
    return found


def _with_last_words(
    text: str, words: Sequence[_Word], ends: Sequence[int], span: tuple[int, int]
) -> int:
    """Where a statement ends with the last words of its clause, if there are few."""
    start, end = span
    last = ends[min(bisect_left(ends, end), len(ends) - 1)]
    rest = [word for word in words if word.start >= end and word.end <= last]
    if not 0 < len(rest) <= _MAX_REST or any(word.begin > _BEGIN for word in rest):
        return end
    return _trimmed(text, start, rest[-1].end)[1]


def _with_first_subject(text: str, words: Sequence[_Word], ends: Sequence[int], start: int) -> int:
    """Where a statement begins with the other one who is its subject: "Piet en ik"."""
    first = ends[bisect_right(ends, start) - 1]
    before = [word for word in words if first <= word.start < start]
    subject = next((word for word in words if word.start == start), None)
    if subject is None or not before:
        return start
    is_short = 1 < len(before) <= _MIN_BEFORE and _lowered(text, before[-1]) in _CONJUNCTIONS
    is_joined = is_short and _lowered(text, subject) in _ONE_ALONE
    is_joined = is_joined or _is_with_other(text, before[0].start, subject)
    return before[0].start if is_joined else start


def _is_with_other(text: str, start: int, subject: _Word) -> bool:
    """Whether the other one of two subjects stands before "I": "my sister and I"."""
    if subject.start - start > _LONGEST_SUBJECT or not _SUBJECT.match(_lowered(text, subject)):
        return False
    before = words_in(text[start : subject.start])
    return any(is_other_subject(before, code) for code in LANGUAGES)


def _without_doubted(text: str, words: Sequence[_Word], found: Found) -> Found:
    """A statement without what it says of somebody named, where that is doubted."""
    own = [word for word in words if found.start <= word.start < found.end]
    named = _introduced(text[: found.end], own)
    said = own[named:]
    if not named or not said or found.operation != _ADD:
        return found
    if _lowered(text, said[0]) in _COPULAS | _CONJUNCTIONS:
        return found
    if sum(word.inside for word in said) / len(said) >= _DOUBTED:
        return found
    return replace(found, end=own[named - 1].end)


def _introduced(text: str, words: Sequence[_Word]) -> int:
    """How many of the first words introduce somebody: "my dog Rex"; 0 if they do not."""
    if not words or _lowered(text, words[0]) not in _POSSESSIVES:
        return 0
    for at in range(2, min(len(words), _MAX_NOUNS + 2)):
        before = _lowered(text, words[at - 1])
        if not before.isalpha() or before in _COPULAS:
            return 0
        if _is_name(text, words[at]):
            named = takewhile(partial(_is_of_name, text), words[at:])
            return at + sum(1 for _ in named)
    return 0


def _is_name(text: str, word: _Word) -> bool:
    written = _written(text, word)
    return written[:1].isupper() and written.replace("-", "").isalpha()


def _is_of_name(text: str, word: _Word) -> bool:
    return _is_name(text, word) or _written(text, word).isdecimal()


def _words(offsets: Sequence[tuple[int, int]], scores: Scores) -> Iterator[_Word]:
    """Tokens that no blank divides, as words."""
    words: list[_Word] = []
    for token, (start, end) in enumerate(offsets):
        if words and start == words[-1].end:
            words[-1].end, words[-1].last = end, token
        else:
            words.append(_Word(start, end, token, token))
    for word in words:
        word.inside = float(scores.inside[word.first : word.last + 1].mean())
        word.begin = float(scores.begin[word.first])
        yield word


def _runs(text: str, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Words that follow each other and belong to one statement."""
    run: list[_Word] = []
    gap: list[_Word] = []
    for word in words:
        is_in, begins = word.inside > _INSIDE, word.begin > _BEGIN
        if run and not is_in:
            gap.append(word)
            continue
        if run and (begins or not _goes_on(text, run, gap, word)):
            yield run
            run = []
        if is_in:
            run = [*run, *gap, word] if run else [word]
        gap = []
    if run:
        yield run


def _joined_clauses(
    text: str, words: Sequence[_Word], ends: Sequence[int]
) -> list[tuple[_Word, _Word]]:
    """Where a clause begins behind another: the "and I" of "I work there and I have two cats"."""
    joined = []
    for at, word in enumerate(words[_MIN_BEFORE + 1 :], _MIN_BEFORE + 1):
        first, conjunction = words[at - 1 - _MIN_BEFORE], words[at - 1]
        is_far = bisect_right(ends, first.start) == bisect_right(ends, word.start)
        is_subject = _SUBJECT.match(_lowered(text, word)) is not None
        if not is_subject or not is_far or _lowered(text, conjunction) not in _CONJUNCTIONS:
            continue
        if not _is_with_other(text, ends[bisect_right(ends, word.start) - 1], word):
            joined.append((conjunction, word))
    return joined


def _written(text: str, word: _Word) -> str:
    return text[word.start : word.end]


def _lowered(text: str, word: _Word) -> str:
    return _written(text, word).lower()


def _without_conjunction(text: str, run: list[_Word]) -> list[_Word]:
    """The words without a last one that only joins what follows."""
    is_joint = _lowered(text, run[-1]) in _CONJUNCTIONS | _REASONS
    return run[:-1] if len(run) > 1 and is_joint else run


def _goes_on(text: str, run: Sequence[_Word], gap: Sequence[_Word], word: _Word) -> bool:
    """Whether a statement goes on with a word behind a gap: in its sentence, and not far away."""
    if _SENTENCE_END.search(text, run[-1].end - 1, word.start):
        return False
    return not gap or (len(gap) <= _MAX_GAP and min(one.inside for one in gap) > _IN_GAP)


def _is_statement(
    run: Sequence[_Word], words: Sequence[_Word], ends: Sequence[int], start: int, end: int
) -> bool:
    """Whether words are likely to be a statement of their own, and no chance hits."""
    first = ends[bisect_right(ends, start) - 1]
    last = ends[min(bisect_left(ends, end), len(ends) - 1)]
    clause = sum(word.start >= first and word.end <= last for word in words)
    share = len(run) / max(clause, 1)
    is_whole = len(run) >= _MIN_WORDS or share >= _WHOLE
    return is_whole and share >= _MIN_SHARE and run[0].begin >= _MIN_BEGIN


def _found(run: Sequence[_Word], scores: Scores, start: int, end: int) -> Found:
    tokens = slice(run[0].first, run[-1].last + 1)
    inside = sum(word.inside for word in run) / len(run)
    return Found(
        start=start,
        end=end,
        slot=int(scores.slots[tokens].mean(0).argmax()),
        operation=int(scores.operations[tokens].mean(0).argmax()),
        confidence=(inside * scores.present) ** 0.5,
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _AROUND:
        start += 1
    while end > start and text[end - 1] in _AROUND and not _closes(text[start:end]):
        end -= 1
    return start, end


def _closes(text: str) -> bool:
    """Whether a text ends with the other one of a pair of marks in it: "(since 2010)"."""
    mark = text[-1]
    if mark not in _OPENING:
        return False
    if mark == _OPENING[mark]:
        return text.count(mark) % 2 == 0
    return text.count(_OPENING[mark]) >= text.count(mark)
