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
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from recollect.domain.recall.dates import time_words
from recollect.domain.recall.entry import REACH, Candidate, Entry
from recollect.domain.recall.question import Question
from recollect.domain.recall.words import fold

CANDIDATES: Final = 30
"""How many the index is asked for by words and by meaning; those next to them come along."""

Weights = tuple[tuple[float, float], ...]
"""What words and meaning weigh, of each of some entries."""

_WORDS: Final = 3.2
_MEANING: Final = 4.4
_BEFORE: Final[Weights] = ((1.1, 2.2), (1.1, 1.2))
"""What words and meaning weigh of the entry before, and of the one before that."""
_AFTER: Final[Weights] = ((0.0, 1.8), (0.2, 0.4))
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
_QUESTION: Final = "Question: "
_ANSWERS: Final = (" SQL: ", " Tables: ", " Result summary: ")
_score: Final = attrgetter("score")


def _weights(before: int, after: int, *, around: float) -> tuple[Weights, float]:
    """The weights where so many entries lie around one, and those of the meanings missing."""
    there, missing = _BEFORE[:before] + _AFTER[:after], _BEFORE[before:] + _AFTER[after:]
    scaled = tuple((words * around, meaning * around) for words, meaning in there)
    return ((_WORDS, _MEANING), *scaled), sum(meaning * around for _, meaning in missing)


_WEIGHTS: Final = tuple(
    tuple(
        tuple(_weights(before, after, around=around) for after in range(REACH + 1))
        for before in range(REACH + 1)
    )
    for around in (1.0, _AROUND_AN_EXCHANGE)
)
"""By whether it is an exchange, how many entries come before it and how many after."""


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


def said_once(ranked: Iterable[Ranked], *, most: int) -> list[Ranked]:
    """The first without repetitions: what was said twice stands once, as it was said last.

    Its place and score are those of the better one.
    """
    kept: list[Ranked] = []
    alike: dict[str, _Alike] = {}
    for one in ranked:
        entry = one.candidate.entry
        opening = _opening(entry.text)
        begun = alike.get(opening)
        same = None if begun is None else begun.place_of(entry, kept)
        if same is None:
            if len(kept) < most:
                alike.setdefault(opening, begun or _Alike()).places.append(len(kept))
                kept.append(one)
        elif entry.said_at > kept[same].candidate.entry.said_at:
            kept[same] = Ranked(one.candidate, kept[same].score)
    return kept


@dataclass(slots=True)
class _Alike:
    """Where those are kept that begin with the same word, and what they say if that matters."""

    places: list[int] = field(default_factory=list)
    _said: dict[tuple[str | None, str], int] = field(default_factory=dict)

    def place_of(self, entry: Entry, kept: Sequence[Ranked]) -> int | None:
        """Where the same is kept already."""
        for at in self.places[len(self._said) :]:
            self._said[_what_is_said(kept[at].candidate.entry)] = at
        return self._said.get(_what_is_said(entry))


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
        entry, own, before, after = candidate
        weights, missing = _WEIGHTS[entry.speaker is None][len(before)][len(after)]
        best, usual = self.best_words, self.usual_meaning
        total = missing * usual + self._fitness(entry)
        found = (own, *before, *after)
        for (lexical, semantic), (words, meaning) in zip(found, weights, strict=True):
            # What lies around a candidate may match better than any candidate that a filter left.
            total += words * (lexical / best if lexical < best else 1.0)
            total += meaning * (usual if semantic is None else semantic)
        return total / _SCALE

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


def _opening(text: str) -> str:
    """The first word of a question or a message: what repeats another begins as that does."""
    found = _WORD.search(text, len(_QUESTION) if text.startswith(_QUESTION) else 0)
    return found[0].lower() if found else ""


def _what_is_said(entry: Entry) -> tuple[str | None, str]:
    """What two entries share when one repeats the other: speaker and words, or the question."""
    said = entry.text
    if entry.speaker is None and said.startswith(_QUESTION):
        for answer in _ANSWERS:
            said = said.partition(answer)[0]
    return entry.speaker, " ".join(_WORD.findall(said.lower()))
