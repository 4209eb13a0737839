"""Choosing candidates and their order: BM25, and what else tells that an entry is meant."""

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from heapq import nlargest
from math import exp, fsum
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from recollect.domain.language import fold
from recollect.domain.recall.dates import time_words
from recollect.domain.recall.entry import REACH, Candidate, Entry
from recollect.domain.recall.query import RecallQuestion

Term = TypeVar("Term", bound=Hashable)
K1: Final = 0.9
"""BM25: how soon a repeated word stops to count."""
B: Final = 0.4
"""BM25: how much the length of an entry counts."""
CANDIDATES: Final = 30
"""How many the index is asked for by words, and as many by meaning."""
_WORDS: Final = 3.2
_MEANING: Final = 4.4
_BEFORE: Final = ((1.1, 2.2), (1.1, 1.2))
"""The weights of words and meaning of the entry before, and of the one before that."""
_AFTER: Final = ((0.0, 1.8), (0.2, 0.4))
_AROUND_AN_EXCHANGE: Final = 0.5
_SPEAKER: Final = 1.2
_TIME_NAMED: Final = 5.8
_TIME_TOLD: Final = 2.1
_ASKS: Final = -1.4
_LENGTH: Final = 0.75
_RECENT: Final = 0.1
_FADING: Final = 30 * 86_400.0  # seconds
_SCALE: Final = _WORDS + _MEANING
_WORD: Final = re.compile(r"\w+")


class Bm25Index(Generic[Term]):
    """The words of an owner's entries, scored by BM25; entries are numbered as they are added."""

    def __init__(self, entries: Iterable[Mapping[Term, int]] = ()) -> None:
        self._postings: defaultdict[Term, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        self._length = 0
        for counts in entries:
            self.add(counts)

    def add(self, counts: Mapping[Term, int]) -> None:
        """Add the words of the next entry, and how often it has each."""
        entry, length = len(self._lengths), sum(counts.values())
        self._lengths.append(length)
        self._length += length
        for term, count in counts.items():
            self._postings[term].append((entry, count))

    def scores(self, weights: Mapping[Term, float]) -> dict[int, float]:
        """The BM25 of each entry that has one of the words, by the entry's number.

        A score is the sum over the words of their weight, their rarity and how often they occur.
        """
        entries, lengths = len(self._lengths), self._lengths
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(self._length, 1)
        scores: dict[int, float] = {}
        for term, weight in weights.items():
            postings = self._postings.get(term, ())
            rarity = math.log(1 + (entries - len(postings) + 0.5) / (len(postings) + 0.5))
            worth = weight * (K1 + 1) * rarity
            for entry, count in postings:
                norm = fixed + for_length * lengths[entry]
                scores[entry] = scores.get(entry, 0.0) + worth * count / (count + norm)
        return scores


def best_positions(
    lexical: Mapping[int, float], semantic: Mapping[int, float], *, count: int
) -> set[int]:
    """The places of the `count` best by words and of the `count` best by meaning."""
    by_words = nlargest(count, lexical, key=lexical.__getitem__)
    return {*by_words, *nlargest(count, semantic, key=semantic.__getitem__)}


def neighbouring_positions(
    places: Iterable[int], sessions: Sequence[UUID], is_named: Sequence[bool]
) -> set[int]:
    """The places right before and after these in logs, where both entries name their speakers."""
    return {
        beside
        for at in places
        if is_named[at]
        for beside in (at - 1, at + 1)
        if 0 <= beside < len(sessions) and is_named[beside] and sessions[beside] == sessions[at]
    }


class _Weights(NamedTuple):
    """The weights of the scores of an entry and of those around it, in order."""

    words: tuple[float, ...]
    meanings: tuple[float, ...]
    missing: float
    """The weight of the meanings of neighbours that do not exist."""


def _weights(before: int, after: int, *, around: float) -> _Weights:
    """The weights of an entry with this many neighbours before and after it."""
    there = (*reversed(_BEFORE[:before]), *_AFTER[:after])
    scaled = [(words * around, meaning * around) for words, meaning in there]
    scaled.insert(before, (_WORDS, _MEANING))
    words, meanings = zip(*scaled, strict=True)
    missing = _BEFORE[before:] + _AFTER[after:]
    return _Weights(words, meanings, sum(meaning * around for _, meaning in missing))


_WEIGHTS: Final = {
    (is_exchange, before, before + 1 + after): _weights(before, after, around=around)
    for is_exchange, around in ((False, 1.0), (True, _AROUND_AN_EXCHANGE))
    for before in range(REACH + 1)
    for after in range(REACH + 1)
}
"""By whether it is an exchange, the entries before it, and all entries of the window."""


class Ranked(NamedTuple):
    """A candidate and how well it answers the question."""

    candidate: Candidate
    score: float
    """Higher is better; about 1 for the same words and meaning. Comparable within one search."""


def rank(
    candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
) -> list[Ranked]:
    """All candidates, the best first, independent of the order in which they come."""
    scores = _Weighing.of(candidates, question, now=now).scores(candidates)
    return sorted(map(Ranked, candidates, scores), key=_order)


def said_once(ranked: Iterable[Ranked], *, most: int) -> list[Ranked]:
    """The first `most` without repetitions; of two that say the same the later one stays.

    Its place and score are those of the better one.
    """
    unique: dict[tuple[str | None, str], Ranked] = {}
    for one in ranked:
        entry = one.candidate.entry
        same = unique.get(entry.gist)
        if same is None:
            if len(unique) < most:
                unique[entry.gist] = one
        elif entry.said_at > same.candidate.entry.said_at:
            unique[entry.gist] = Ranked(one.candidate, same.score)
    return list(unique.values())


def _order(ranked: Ranked) -> tuple[float, float, int, int]:
    entry = ranked.candidate.entry
    return -ranked.score, -entry.traits.said_at, entry.session_id.int, entry.sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """What the scores of one question's candidates depend on."""

    question: RecallQuestion
    now: float
    best_words: float
    usual_meaning: float
    """In place of the meaning of entries without a vector and of missing neighbours."""
    one_speaker: str | None
    time_words: frozenset[str]
    """Words that tell a time, if the question asks for one."""

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
    ) -> "_Weighing":
        all_meanings = (meanings[own] for _, _, meanings, own in candidates)
        meanings = [meaning for meaning in all_meanings if meaning is not None]
        speakers = tuple(question.speakers)
        return cls(
            question=question,
            now=now.timestamp(),
            best_words=max((words[own] for _, words, _, own in candidates), default=0.0) or 1.0,
            usual_meaning=fsum(meanings) / len(meanings) if meanings else 0.0,
            one_speaker=speakers[0] if len(speakers) == 1 else None,
            time_words=time_words(question.language) if question.asks_when else frozenset(),
        )

    def scores(self, candidates: Iterable[Candidate]) -> list[float]:
        """The score of each candidate."""
        best, usual, now = self.best_words, self.usual_meaning, self.now
        is_particular = self.is_particular
        scores = []
        for entry, words, meanings, own in candidates:
            weights, meant, missing = _WEIGHTS[entry.speaker is None, own, len(words)]
            fullness, is_question, said_at = entry.traits
            total = missing * usual + _LENGTH * fullness + (_ASKS if is_question else 0.0)
            total += _RECENT * exp((said_at - now) / _FADING) if said_at < now else _RECENT
            most = max(words)
            if most > best:  # a neighbour that a filter leaves out may match better
                words = tuple(min(one, best) for one in words)  # noqa: PLW2901
            if most:
                total += sum(map(mul, weights, words)) / best
            try:
                total += sum(map(mul, meant, meanings))
            except TypeError:  # some have no vector, which is rare
                known = (usual if one is None else one for one in meanings)
                total += sum(map(mul, meant, known))
            if is_particular:
                total += self._fitness(entry)
            scores.append(total / _SCALE)
        return scores

    @property
    def is_particular(self) -> bool:
        """Whether the question asks for a speaker or a time."""
        return bool(self.one_speaker or self.time_words or self.question.time is not None)

    def _fitness(self, entry: Entry) -> float:
        """How well an entry matches the speaker and the time of the question."""
        total = 0.0
        if self.one_speaker and _folded(entry.speaker) == self.one_speaker:
            total += _SPEAKER
        if self.question.time is not None:
            total += _TIME_NAMED * self.question.time.nearness(entry.said_at)
        if self.time_words and not self.time_words.isdisjoint(_WORD.findall(entry.text.lower())):
            total += _TIME_TOLD
        return total


@lru_cache(maxsize=1024)
def _folded(name: str | None) -> str | None:
    return name and fold(name)
