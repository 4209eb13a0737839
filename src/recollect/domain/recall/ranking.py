"""Which of the candidates is meant: words, meaning and what was said around them, weighed.

The score of a candidate is a sum. Its own words and meaning count most; a message is understood
by those before it, which often ask what it answers, and a little by those after. To that come
who is asked about, when, and that statements tell more than questions and short replies.

The weights were fitted to public conversations by a softmax over each question's entries, each
conversation judged by weights of the others; the large ones differ by a few percent from fold to
fold, and all are rounded. An exchange stands for itself more than a message does: what is around
it counts half.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from recollect.domain.recall.dates import time_words
from recollect.domain.recall.entry import Candidate, Entry, Scores
from recollect.domain.recall.question import Question
from recollect.domain.recall.words import fold

CANDIDATES: Final = 30
"""How many the index is asked for by words and by meaning; those next to them come along."""

_WORDS: Final = 3.2
_MEANING: Final = 4.4
_OWN: Final = ((_WORDS, _MEANING),)
_BEFORE: Final = ((1.1, 2.2), (1.1, 1.2))
"""What words and meaning weigh of the entry before, and of the one before that."""
_AFTER: Final = ((0.0, 1.8), (0.2, 0.4))
_AROUND_AN_EXCHANGE: Final = 0.5
_SPEAKER: Final = 1.2
_TIME_NAMED: Final = 5.8
_TIME_TOLD: Final = 2.1
_ASKS: Final = -1.4
_LENGTH: Final = 0.75
_LONGEST: Final = 600
_RECENT: Final = 0.1
_RECENT_DAYS: Final = 30.0
_DAY: Final = 86_400.0  # seconds
_LETTERS_A_WORD: Final = 6
_SCALE: Final = _WORDS + _MEANING
_WORD: Final = re.compile(r"\w+")
_ANSWERS: Final = (" SQL: ", " Tables: ", " Result summary: ")
_score: Final = attrgetter("score")


class Ranked(NamedTuple):
    """A candidate and how well it answers the question."""

    candidate: Candidate
    score: float
    """Higher is better; about 1 for the same words and meaning. Only comparable in one answer."""


def rank(candidates: Sequence[Candidate], question: Question, *, now: datetime) -> list[Ranked]:
    """All candidates, the best first; in whichever order they come, the order is the same."""
    weighing = _Weighing.of(candidates, question, now=now)
    ranked = [Ranked(one, weighing.score(one)) for one in candidates]
    ranked.sort(key=_score, reverse=True)
    if any(one.score == other.score for one, other in pairwise(ranked)):
        ranked.sort(key=_order)
    return ranked


def said_once(ranked: Iterable[Ranked]) -> list[Ranked]:
    """The same without repetitions: what was said twice stands once, as it was said last.

    Its place and score are those of the better one.
    """
    kept: dict[object, Ranked] = {}
    for one in ranked:
        key = _what_is_said(one.candidate.entry)
        first = kept.setdefault(key, one)
        if first is not one and one.candidate.entry.said_at > first.candidate.entry.said_at:
            kept[key] = Ranked(one.candidate, first.score)
    return list(kept.values())


def _order(ranked: Ranked) -> tuple[float, float, int, int]:
    entry = ranked.candidate.entry
    return -ranked.score, -entry.said_at.timestamp(), entry.session_id.int, entry.sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """What the scores of one question's candidates are measured by."""

    question: Question
    now: datetime
    best_words: float
    usual_meaning: float
    """Stands for the meaning of what has no vector, and of what is not there."""
    one_speaker: str | None
    time_words: frozenset[str]
    """Words that tell a time, where one is asked for."""

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], question: Question, *, now: datetime
    ) -> "_Weighing":
        found = [one.scores for one in candidates]
        meanings = [meaning for _, meaning in found if meaning is not None]
        speakers = tuple(question.speakers)
        return cls(
            question=question,
            now=now,
            best_words=max((words for words, _ in found), default=0.0) or 1.0,
            usual_meaning=math.fsum(meanings) / len(meanings) if meanings else 0.0,
            one_speaker=speakers[0] if len(speakers) == 1 else None,
            time_words=time_words(question.language) if question.asks_when else frozenset(),
        )

    def score(self, candidate: Candidate) -> float:
        """A candidate's score."""
        entry = candidate.entry
        around = self._match(candidate.before, _BEFORE) + self._match(candidate.after, _AFTER)
        if entry.speaker is None:
            around *= _AROUND_AN_EXCHANGE
        own = self._match((candidate.scores,), _OWN)
        return (own + around + self._fitness(entry)) / _SCALE

    def _match(self, found: Sequence[Scores], weights: Sequence[tuple[float, float]]) -> float:
        """How well all these match, each with what its words and its meaning weigh."""
        best, usual, total = self.best_words, self.usual_meaning, 0.0
        for (lexical, semantic), (words, meaning) in zip(found, weights, strict=False):
            # What lies around a candidate may match better than any candidate that a filter left.
            total += words * (lexical / best if lexical < best else 1.0)
            total += meaning * (usual if semantic is None else semantic)
        for _, meaning in weights[len(found) :]:
            total += meaning * usual
        return total

    def _fitness(self, entry: Entry) -> float:
        """How well an entry fits the question, whatever it says."""
        text = entry.text
        days = (self.now - entry.said_at).total_seconds() / _DAY
        total = _LENGTH * math.log1p(min(len(text), _LONGEST) / _LETTERS_A_WORD)
        total += _RECENT * math.exp(-days / _RECENT_DAYS) if days > 0 else _RECENT
        if self.one_speaker and _folded(entry.speaker) == self.one_speaker:
            total += _SPEAKER
        if self.question.time is not None:
            total += _TIME_NAMED * self.question.time.nearness(entry.said_at)
        if self.time_words and not self.time_words.isdisjoint(_WORD.findall(text.lower())):
            total += _TIME_TOLD
        if text.endswith("?"):
            total += _ASKS
        return total


@lru_cache(maxsize=1024)
def _folded(name: str | None) -> str | None:
    return name and fold(name)


def _what_is_said(entry: Entry) -> tuple[str | None, str]:
    """What two entries share when one repeats the other: speaker and words, or the question."""
    said = entry.text
    if entry.speaker is None and said.startswith("Question: "):
        for answer in _ANSWERS:
            said = said.partition(answer)[0]
    return entry.speaker, " ".join(_WORD.findall(said.lower()))
