"""Choosing candidates and their order: BM25, and what else tells that an entry is meant."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from itertools import chain
from math import exp, fsum
from operator import mul
from typing import Final, Generic, NamedTuple, Self, TypeVar
from uuid import UUID

from recollect.domain.recall.entry import REACH, Candidate, Entry
from recollect.domain.recall.fitness import Fitness
from recollect.domain.recall.log_context import LogContext
from recollect.domain.recall.occurrence import Occurrence
from recollect.domain.recall.query import RecallQuestion

Term = TypeVar("Term", bound=Hashable)
K1: Final = 0.9
"""BM25: how soon a repeated word stops to count."""
B: Final = 0.4
"""BM25: how much the length of an entry counts."""
CANDIDATES: Final = 30
"""How many the index is asked for by words, and as many by meaning."""
_FADING: Final = 30 * 86_400.0  # seconds
_RECENT: Final = 0.1
# Exchanges: words count as a share of the highest BM25 possible, so that one chance word of many
# cannot outweigh the meaning. Chosen on long chats and on memories in five languages.
_EXCHANGE_WORDS: Final = 3.0
_EXCHANGE_TIME: Final = 3.0
_MEANING: Final = 7.0
# Logs: fitted to two kinds of them, one with an assistant's long replies; docs/decisions/0037.
_WORDS: Final = 2.4
"""Of words beside `_MEANING` in how well a message matches for its session."""
_OWN_WORDS: Final = 2.6
_OWN_MEANING: Final = 10.4
_MANY_WORDS: Final = 2.2
"""Of the square of the words: half of them tell less than half."""
_BOTH: Final = -7.2
"""Of words times meaning, which tell the same again."""
_SHORT: Final = 0.7
_SHORT_WORDS: Final = -1.5
"""A word in a short message may be by chance."""
_LEAST_WORDS: Final = 0.5
_BEFORE: Final = ((0.1, 0.0), (1.2, 0.5))
"""The weights of words and meaning of the entry before, and of the one before that."""
_REPLY: Final = (2.0, 2.0)
"""Added to those of the entry before, if another speaker asks something in it."""
_AFTER: Final = ((0.15, 1.6), (0.55, 0.0))
_SESSION: Final = 0.9
"""How much the best match of its session counts for an entry."""
_AGAIN: Final = 0.1
"""How much less each further message of a session counts."""
_ASKS: Final = -1.0
_EXCESS: Final = -1.2
_SCALE: Final = _EXCHANGE_WORDS + _MEANING
# Entries that match well, of which the first or the last is asked for: docs/decisions/0038.
_GOOD_SCORE: Final = 0.3
_GOOD_WORDS: Final = 0.5


class Bm25Index(Generic[Term]):
    """The words of an owner's entries, scored by BM25; entries are numbered as they are added."""

    def __init__(self, entries: Iterable[Mapping[Term, int]] = ()) -> None:
        self._postings: defaultdict[Term, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        self._length = 0
        for counts in entries:
            self.add(counts, length=sum(counts.values()))

    def add(self, counts: Mapping[Term, int], *, length: int) -> None:
        """Add the words of the next entry and how often it has each, and its length in words."""
        entry = len(self._lengths)
        self._lengths.append(length)
        self._length += length
        for term, count in counts.items():
            self._postings[term].append((entry, count))

    def scores(self, weights: Mapping[Term, float]) -> dict[int, float]:
        """The BM25 of each entry that has one of the words, by the entry's number.

        BM25 is the sum over the words of their weight, their rarity and how often they occur. A
        score is its share of the highest sum possible: one chance word of many counts little.
        """
        entries, lengths = len(self._lengths), self._lengths
        fixed, for_length = K1 * (1 - B), K1 * B * entries / max(self._length, 1)
        scores: dict[int, float] = {}
        highest = 0.0
        for term, weight in weights.items():
            postings = self._postings.get(term, ())
            rarity = math.log(1 + (entries - len(postings) + 0.5) / (len(postings) + 0.5))
            worth = weight * (K1 + 1) * rarity
            highest += worth
            for entry, count in postings:
                norm = fixed + for_length * lengths[entry]
                scores[entry] = scores.get(entry, 0.0) + worth * count / (count + norm)
        return {entry: score / highest for entry, score in scores.items()}


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
    """The weights of the scores around an entry of a log, in order; its own have none."""

    words: tuple[float, ...]
    meanings: tuple[float, ...]
    all_meanings: float
    """The sum of the weights of meanings."""


def _weights(before: int, after: int) -> _Weights:
    """The weights of an entry with this many neighbours before and after it."""
    around = (*reversed(_BEFORE[:before]), (0.0, 0.0), *_AFTER[:after])
    words, meanings = zip(*around, strict=True)
    return _Weights(words, meanings, sum(meanings))


_WEIGHTS: Final = {
    (before, before + 1 + after): _weights(before, after)
    for before in range(REACH + 1)
    for after in range(REACH + 1)
}
"""By the entries before it, and all entries of the window."""


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
    scores = _spread(candidates, scores)
    ranked = [Ranked(candidates[at], scores[at]) for at in _best_first(candidates, scores)]
    return ranked if question.occurrence is None else _in_time_order(ranked, question.occurrence)


def _spread(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[float]:
    """The scores with each further message of a session of a log a little lower.

    An answer that needs several messages often finds them in several sessions.
    """
    spread = list(scores)
    better: defaultdict[int, int] = defaultdict(int)
    for at in _best_first(candidates, scores):
        entry = candidates[at].entry
        if entry.speaker is not None:
            session = entry.session_id.int
            spread[at] -= _AGAIN / _SCALE * better[session]
            better[session] += 1
    return spread


def _best_first(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[int]:
    """The places of the candidates by their scores; of equal ones the later said is first."""
    if len(set(scores)) == len(scores):  # the quick way, as nearly always
        return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)

    def order(at: int) -> tuple[float, float, int, int]:
        entry = candidates[at].entry
        return -scores[at], -entry.traits.said_at, entry.session_id.int, entry.sequence

    return sorted(range(len(scores)), key=order)


def _in_time_order(ranked: Sequence[Ranked], occurrence: Occurrence) -> list[Ranked]:
    """The ranking with the entries that match well first, in the order of their times.

    They have at least a share of the best score and of the most words. What shares no word with
    the question keeps its place. Places keep their scores.
    """
    least = _GOOD_SCORE * ranked[0].score if ranked else 0.0
    most_words = max((_own_words(one) for one in ranked if one.score >= least), default=0.0)

    def matches_well(one: Ranked) -> bool:
        return one.score >= least and _own_words(one) >= _GOOD_WORDS * most_words > 0

    matching = sorted(
        filter(matches_well, ranked),
        key=lambda one: one.candidate.entry.traits.said_at,
        reverse=occurrence is Occurrence.LAST,
    )
    rest = (one for one in ranked if not matches_well(one))
    return [
        Ranked(one.candidate, place.score)
        for one, place in zip(chain(matching, rest), ranked, strict=True)
    ]


def _own_words(ranked: Ranked) -> float:
    return ranked.candidate.words[ranked.candidate.own]


def said_once(
    ranked: Iterable[Ranked], *, most: int, occurrence: Occurrence | None = None
) -> list[Ranked]:
    """The first `most` without repetitions; of two that say the same the later one stays.

    Its place and score are those of the better one. The earlier one stays if the first occurrence
    is asked for.
    """
    keeps_first = occurrence is Occurrence.FIRST
    unique: dict[tuple[str | None, str], Ranked] = {}
    for one in ranked:
        entry = one.candidate.entry
        same = unique.get(entry.gist)
        if same is None:
            if len(unique) < most:
                unique[entry.gist] = one
            continue
        said_at, kept_at = entry.said_at, same.candidate.entry.said_at
        if said_at < kept_at if keeps_first else said_at > kept_at:
            unique[entry.gist] = Ranked(one.candidate, same.score)
    return list(unique.values())


class Level(NamedTuple):
    """What the matches of one search are compared with."""

    best_words: float
    usual_meaning: float
    """In place of the meaning of entries without a vector and of missing neighbours."""

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Self:
        """The best words and the mean meaning of candidates."""
        own_words, own_meanings = [0.0], []
        for _, words, meanings, own in candidates:
            own_words.append(words[own])
            meaning = meanings[own]
            if meaning is not None:
                own_meanings.append(meaning)
        usual = fsum(own_meanings) / len(own_meanings) if own_meanings else 0.0
        return cls(max(own_words) or 1.0, usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """What the scores of one question's candidates depend on."""

    question: RecallQuestion
    now: float
    best_words: float
    usual_meaning: float
    fitness: Fitness
    log: LogContext

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
    ) -> "_Weighing":
        best_words, usual_meaning = Level.of(candidates)
        return cls(
            question=question,
            now=now.timestamp(),
            best_words=best_words,
            usual_meaning=usual_meaning,
            fitness=Fitness.of(question),
            log=LogContext.of(_own_matches(candidates, best_words, usual_meaning)),
        )

    def scores(self, candidates: Iterable[Candidate]) -> list[float]:
        """The score of each candidate."""
        return [
            (self._exchange_score(one) if one.entry.speaker is None else self._log_score(one))
            / _SCALE
            for one in candidates
        ]

    def _exchange_score(self, candidate: Candidate) -> float:
        entry, words, meanings, own = candidate
        meaning = meanings[own]
        total = _EXCHANGE_WORDS * words[own] + self._recency(entry)
        total += _MEANING * (self.usual_meaning if meaning is None else meaning)
        if self.question.time is not None:
            total += _EXCHANGE_TIME * self.question.time.nearness(entry.said_at)
        return total

    def _log_score(self, candidate: Candidate) -> float:
        """A short message of a log is often understood only with those around it."""
        entry, words, meanings, own = candidate
        brevity, excess, shortness, is_question, _, _ = entry.traits
        best, usual, meaning = self.best_words, self.usual_meaning, meanings[own]
        if max(words) > best:  # a neighbour that a filter leaves out may match better
            words = tuple(min(one, best) for one in words)
        share, nearness = words[own] / best, 0.0 if meaning is None else meaning - usual
        worth = _OWN_WORDS + _MANY_WORDS * share + _BOTH * nearness + _SHORT_WORDS * shortness
        total = share * max(worth, _LEAST_WORDS) + _SHORT * shortness + _EXCESS * excess
        total += _MEANING * usual + _OWN_MEANING * nearness
        total += entry.wording(self.question.language).worth + (_ASKS if is_question else 0.0)
        total += self._recency(entry) - _SESSION * self.log.shortfall(entry.session_id)
        total += brevity * self._around(candidate, words)
        return total + self.fitness.score(entry)

    def _around(self, candidate: Candidate, words: Sequence[float]) -> float:
        """How well the messages around one match; one that is not there matches as usual."""
        _, _, meanings, own = candidate
        weights, meant, all_meant = _WEIGHTS[own, len(words)]
        best, usual = self.best_words, self.usual_meaning
        total = sum(map(mul, weights, words)) / best - all_meant * usual
        try:
            total += sum(map(mul, meant, meanings))
        except TypeError:  # some have no vector, which is rare
            total += sum(map(mul, meant, (usual if one is None else one for one in meanings)))
        if own and self.log.is_reply(candidate.entry):
            asked = meanings[own - 1]
            total += _REPLY[0] * words[own - 1] / best
            total += 0.0 if asked is None else _REPLY[1] * (asked - usual)
        return float(total)

    def _recency(self, entry: Entry) -> float:
        said_at = entry.traits.said_at
        return _RECENT * exp((said_at - self.now) / _FADING) if said_at < self.now else _RECENT


def _own_matches(
    candidates: Iterable[Candidate], best_words: float, usual_meaning: float
) -> Iterator[tuple[Entry, float]]:
    """How well each message of a log matches by itself."""
    for entry, words, meanings, own in candidates:
        if entry.speaker is not None:
            meaning = meanings[own]
            near = usual_meaning if meaning is None else meaning
            yield entry, _WORDS * words[own] / best_words + _MEANING * near
