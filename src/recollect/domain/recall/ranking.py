"""Which entries are worth ranking, and their order."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from heapq import nlargest
from math import exp, fsum
from operator import itemgetter, mul
from typing import Final, NamedTuple

from recollect.domain.recall.dates import time_words
from recollect.domain.recall.entry import REACH, Candidate, Entry
from recollect.domain.recall.query import RecallQuestion
from recollect.domain.recall.words import fold

CANDIDATES: Final = 30
"""How many the index is asked for by words and by meaning; those next to them come along."""
_WORDS: Final = 3.2
_MEANING: Final = 4.4
_BEFORE: Final = ((1.1, 2.2), (1.1, 1.2))
"""What words and meaning weigh of the entry before, and of the one before that."""
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
_score: Final = itemgetter(1)


def best_positions(
    lexical: Mapping[int, float], semantic: Mapping[int, float], *, count: int
) -> set[int]:
    """The places of the best by words and of the best by meaning, so many of each.

    A place without a score has no word in common with the question, or no vector.
    """
    by_words = nlargest(count, lexical, key=lexical.__getitem__)
    return {*by_words, *nlargest(count, semantic, key=semantic.__getitem__)}


def neighbouring_positions(
    places: Iterable[int], sessions: Sequence[object], is_named: Sequence[bool]
) -> set[int]:
    """The places right before and after these in logs, where both name their speakers."""
    return {
        beside
        for at in places
        if is_named[at]
        for beside in (at - 1, at + 1)
        if 0 <= beside < len(sessions) and is_named[beside] and sessions[beside] == sessions[at]
    }


class _Weights(NamedTuple):
    """What words and meaning weigh of an entry and of those around it, as they were said."""

    words: tuple[float, ...]
    meanings: tuple[float, ...]
    missing: float
    """What the meanings weigh of those that are not there."""


def _weights(before: int, after: int, *, around: float) -> _Weights:
    """The weights where so many entries lie around one."""
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
"""By whether it is an exchange, how many entries come before it and how many there are."""


class Ranked(NamedTuple):
    """A candidate and how well it answers the question."""

    candidate: Candidate
    score: float
    """Higher is better; about 1 for the same words and meaning. Only comparable in one answer."""


_ranked: Final = partial(tuple.__new__, Ranked)  # two thirds of the time of calling the class


def rank(
    candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
) -> list[Ranked]:
    """All candidates, the best first; in whichever order they come, the order is the same."""
    scores = _Weighing.of(candidates, question, now=now).scores(candidates)
    ranked = list(map(_ranked, zip(candidates, scores, strict=True)))
    ranked.sort(key=_score, reverse=True)
    if len(set(map(_score, ranked))) < len(ranked):
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
        opening = entry.traits.opening
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
            self._said[kept[at].candidate.entry.gist] = at
        return self._said.get(entry.gist)


def _order(ranked: Ranked) -> tuple[float, float, int, int]:
    entry = ranked.candidate.entry
    return -ranked.score, -entry.said_at.timestamp(), entry.session_id.int, entry.sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighing:
    """What the scores of one question's candidates are measured by."""

    question: RecallQuestion
    now: float
    best_words: float
    usual_meaning: float
    """Stands for the meaning of what has no vector, and of what is not there."""
    one_speaker: str | None
    time_words: frozenset[str]
    """Words that tell a time, where one is asked for."""

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
    ) -> "_Weighing":
        found = [meanings[own] for _, _, meanings, own in candidates]
        meanings = [meaning for meaning in found if meaning is not None]
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
        """The score of each; of all in one loop, for there are many."""
        best, usual, now = self.best_words, self.usual_meaning, self.now
        is_particular = self.is_particular
        scores = []
        for entry, words, meanings, own in candidates:
            weights, meant, missing = _WEIGHTS[entry.speaker is None, own, len(words)]
            _, fullness, is_question, said_at = entry.traits
            total = missing * usual + _LENGTH * fullness + (_ASKS if is_question else 0.0)
            total += _RECENT * exp((said_at - now) / _FADING) if said_at < now else _RECENT
            most = max(words)
            if most > best:  # what a filter left out may match better than what it left
                words = tuple(min(one, best) for one in words)  # noqa: PLW2901
            if most:
                total += sum(map(mul, weights, words)) / best
            try:
                total += sum(map(mul, meant, meanings))
            except TypeError:  # some have no vector, which is rare
                told = (usual if one is None else one for one in meanings)
                total += sum(map(mul, meant, told))
            if is_particular:
                total += self._fitness(entry)
            scores.append(total / _SCALE)
        return scores

    @property
    def is_particular(self) -> bool:
        """Whether the question asks for somebody, or for some time."""
        return bool(self.one_speaker or self.time_words or self.question.time is not None)

    def _fitness(self, entry: Entry) -> float:
        """How well an entry fits who and when is asked for."""
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
