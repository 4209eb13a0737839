"""A quote among the words of its message: its clause, its sentence, and what stands near it."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.speech.phrases import Phrase, Phrases
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import tokens_of

_SENTENCE_MARKS: Final = frozenset(".!?\n")
_CLAUSE_MARKS: Final = _SENTENCE_MARKS | frozenset(",;:()\u2013\u2014")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedClause:
    """The words of the user's own parts of a message, with the places of a quote in them.

    Every end is the place after the last word; marks count as words, and parts are separated by
    line breaks.
    """

    words: Phrase
    start: int
    end: int
    clause_start: int
    clause_end: int
    sentence_start: int
    sentence_end: int
    capitals: frozenset[int] = frozenset()
    """The places of words that are written with a capital."""

    @classmethod
    def read(cls, parts: Sequence[Part], *, start: int, end: int) -> "QuotedClause":
        """Read a message whose quote has these places among its characters."""
        words: list[str] = []
        places: list[int] = []
        capitals: set[int] = set()
        for part in parts:
            for token in tokens_of(part):
                if part.text[token.start - part.start].isupper():
                    capitals.add(len(words))
                words.append(token.word)
                places.append(token.start)
            words.append("\n")
            places.append(part.end)
        first, last = bisect_left(places, start), bisect_left(places, end)
        while last > first and words[last - 1] in _CLAUSE_MARKS:
            last -= 1
        return cls(
            words=tuple(words),
            start=first,
            end=last,
            clause_start=_start(words, first, _CLAUSE_MARKS),
            clause_end=_end(words, last, _CLAUSE_MARKS),
            sentence_start=_start(words, first, _SENTENCE_MARKS),
            sentence_end=_end(words, last, _SENTENCE_MARKS),
            capitals=frozenset(capitals),
        )

    @classmethod
    def find(cls, quote: str, parts: Sequence[Part]) -> "QuotedClause | None":
        """Read the first of the user's own words that are a quote; None if none are."""
        start = place_of(quote, parts)
        return None if start is None else cls.read(parts, start=start, end=start + len(quote))

    @property
    def is_asked(self) -> bool:
        """Whether the sentence is a question."""
        return self.words[self.sentence_end : self.sentence_end + 1] == ("?",)

    @property
    def is_told(self) -> bool:
        """Whether the sentence ends with a full stop."""
        return self.words[self.sentence_end : self.sentence_end + 1] == (".",)

    @property
    def sentence_before(self) -> Phrase:
        """The sentence before that of the quote, without marks at its end."""
        end = self.sentence_start
        while end > 0 and self.words[end - 1] in _SENTENCE_MARKS:
            end -= 1
        return self.words[_start(self.words, end, _SENTENCE_MARKS) : end]

    @property
    def clause_before(self) -> Phrase:
        """The clause of the same sentence before that of the quote."""
        end = max(self.sentence_start, self.clause_start - 1)
        return self.words[_start(self.words, end, _CLAUSE_MARKS) : end]

    @property
    def next_clause(self) -> Phrase:
        """The clause of the same sentence after that of the quote."""
        first = min(self.sentence_end, self.clause_end + 1)
        return self.words[first : _end(self.words, first, _CLAUSE_MARKS)]

    def near(self, reach: int) -> Phrase:
        """The quote with so many words of its clause before and after it."""
        first = max(self.clause_start, self.start - reach)
        return self.words[first : min(self.clause_end, self.end + reach)]

    def source(self, reach: int) -> Phrase:
        """The clause up to the end of the quote, with so many words of the sentence before it."""
        first = max(self.sentence_start, self.clause_start - reach)
        return self.words[first : self.end]

    def covers_start(self, phrases: Phrases) -> bool:
        """Whether a phrase begins before the quote, in the same clause, and ends within it."""
        return any(
            at + phrases.length_at(self.words, at) > self.start
            for at in range(max(self.clause_start, self.start - 3), self.start)
        )

    def follows(self, phrases: Phrases) -> bool:
        """Whether a phrase ends right before the quote."""
        return any(
            at + phrases.length_at(self.words, at) == self.start
            for at in range(max(self.clause_start, self.start - 3), self.start)
        )


def place_of(quote: str, parts: Sequence[Part]) -> int | None:
    """Where the first of the user's own words that are a quote begin; None if none are."""
    places = (part.start + part.text.find(quote) for part in parts if quote in part.text)
    return next(places, None)


def _start(words: Sequence[str], place: int, marks: frozenset[str]) -> int:
    while place > 0 and words[place - 1] not in marks:
        place -= 1
    return place


def _end(words: Sequence[str], place: int, marks: frozenset[str]) -> int:
    while place < len(words) and words[place] not in marks:
        place += 1
    return place
