"""How many of the best candidates are read again, and what order both readings give."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, NamedTuple, Self

from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.recall.fitness import Fitness
from recollect.domain.recall.query import RecallQuestion
from recollect.domain.recall.ranking import Level, Ranked
from recollect.errors import InvalidInput

MAX_RERANKED: Final = 100
_END_BEFORE: Final = 200
"""Characters of the message before that are read."""
_NUMBER: Final = re.compile(r"[0-9]{1,3}", re.ASCII)


class _Weights(NamedTuple):
    """What counts beside a first score of about 1 for the same words and meaning."""

    odds: float
    """Of the cross-encoder's score, the logarithm of odds."""
    fitness: float = 0.0
    """How much more speaker, time and answer count: a cross-encoder hardly sees them."""
    words_before: float = 0.0
    """Of the message before that is read as well, if this is no reply to it."""
    meaning_before: float = 0.0


# Fitted to logs, and the exchanges' chosen on few of them: docs/decisions/0037, explanation/recall.
_OF_LOGS: Final = _Weights(odds=0.07, fitness=0.07, words_before=-0.25, meaning_before=-0.6)
_OF_EXCHANGES: Final = _Weights(odds=0.03)
"""The embedder reads exchanges almost as well as a cross-encoder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankPolicy:
    """How many candidates a cross-encoder reads."""

    candidates: int | None = None
    """None: as many as there is time for; 0: none."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `off`, `auto` or a number."""
        match text.strip().lower():
            case "off":
                return cls(candidates=0)
            case "auto":
                return cls()
            case number if _NUMBER.fullmatch(number) and 2 <= int(number) <= MAX_RERANKED:  # noqa: PLR2004
                return cls(candidates=int(number))
        raise InvalidInput("rerank", f"must be off, auto or a number from 2 to {MAX_RERANKED}")

    @property
    def is_off(self) -> bool:
        """Whether nothing is reranked."""
        return self.candidates == 0

    @property
    def is_auto(self) -> bool:
        """Whether the time decides."""
        return self.candidates is None


AUTO: Final = RerankPolicy()


def readable_texts(ranked: Sequence[Ranked], *, around: Sequence[Ranked]) -> list[str]:
    """The entries as a cross-encoder reads them.

    A message of a log names its speaker and comes after the end of the message before it, if that
    is among `around`: "Yes, last Friday!" answers nothing by itself. On the conversations that it
    was measured on, this doubled what the cross-encoder adds to the first five.
    """
    messages = _Before.of(around)
    texts: list[str] = []
    for one in ranked:
        entry = one.candidate.entry
        before = messages.before(entry)
        text = f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
        if before is not None:
            text = f"{before.speaker}: {before.text[-_END_BEFORE:]} {text}"
        texts.append(text)
    return texts


def reranked(
    ranked: Sequence[Ranked],
    scores: Sequence[float | None],
    question: RecallQuestion,
    *,
    around: Sequence[Ranked],
) -> list[Ranked]:
    """The ranking with its first entries, as many as have `scores`, in the order of both scores.

    An entry that the cross-encoder does not read has the score None and keeps its place: compared
    with what it does read, it would always lose. The score of a place stays the same.
    """
    read = {place: score for place, score in enumerate(scores) if score is not None}
    usual = fsum(read.values()) / max(len(read), 1)  # of logs and exchanges with unequal weights
    second = _SecondReading.of(question, around)
    both = {place: second.score(ranked[place], score - usual) for place, score in read.items()}
    best_first = sorted(both, key=lambda place: -both[place])  # equal scores keep their order
    result = list(ranked)
    for place, best in zip(read, best_first, strict=True):
        result[place] = Ranked(ranked[best].candidate, ranked[place].score)
    return result


class _Before(NamedTuple):
    """The messages of logs, by the session and the sequence of the message that comes next."""

    by_next: dict[tuple[int, int], Entry]

    @classmethod
    def of(cls, around: Iterable[Ranked]) -> Self:
        entries = (one.candidate.entry for one in around)
        return cls(
            {
                (entry.session_id.int, entry.sequence + len(entry.message_ids)): entry
                for entry in entries
                if entry.speaker
            }
        )

    def before(self, entry: Entry) -> Entry | None:
        """The message that an entry of a log is read with."""
        return self.by_next.get((entry.session_id.int, entry.sequence)) if entry.speaker else None


class _SecondReading(NamedTuple):
    """What the second scores of one question's entries depend on."""

    fitness: Fitness
    level: Level
    messages: _Before

    @classmethod
    def of(cls, question: RecallQuestion, around: Sequence[Ranked]) -> Self:
        level = Level.of(one.candidate for one in around)
        return cls(Fitness.of(question), level, _Before.of(around))

    def score(self, ranked: Ranked, odds: float) -> float:
        """The score of an entry that has these odds beside the usual ones."""
        candidate, first = ranked
        if candidate.entry.speaker is None:
            return first + _OF_EXCHANGES.odds * odds
        fitness = _OF_LOGS.fitness * self.fitness.score(candidate.entry)
        return first + _OF_LOGS.odds * odds + fitness + self._malus(candidate)

    def _malus(self, candidate: Candidate) -> float:
        """For how well the message before matches: the cross-encoder takes it for this one.

        Not if it asks something that this one replies to, and less if only its end is read.
        """
        entry, words, meanings, own = candidate
        before = self.messages.before(entry)
        if not own or before is None or (before.traits.asks and before.speaker != entry.speaker):
            return 0.0
        best_words, usual_meaning = self.level
        meaning = meanings[own - 1]
        malus = _OF_LOGS.words_before * min(words[own - 1] / best_words, 1.0)
        if meaning is not None:
            malus += _OF_LOGS.meaning_before * (meaning - usual_meaning)
        return malus * min(_END_BEFORE / max(len(before.text), 1), 1.0)
