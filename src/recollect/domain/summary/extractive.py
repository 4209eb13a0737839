"""A summary made of the conversation's own sentences, with no model and no network."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recollect.domain.summary.candidates import (
    CandidateSet,
    SentenceCandidate,
    read_conversation,
    read_summary,
    scores_of,
)

SHARE: Final = 0.2
_EXACT_SHARE: Final = 1.1
_MIN_WORDS: Final = 10
_MAX_CONSIDERED: Final = 300  # choosing is quadratic in this, reading is linear
_OVERSHOOT: Final = 1.2
_ENOUGH: Final = 0.9
_REPETITION: Final = 0.2
_UNHEARD: Final = 0.05
_ITS_ANSWER: Final = 0.05
_EARLIER_PART: Final = 0.5

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What one speaker said at a time."""

    speaker: str
    text: str


def summarise_extractively(
    utterances: Sequence[Utterance],
    *,
    limit: int,
    count: Count = len,
    earlier: str | None = None,
    share: float = SHARE,
) -> str:
    """The sentences that say most, one a line, in their order; `count` of it is never over `limit`.

    About `share` of the words is kept as far as the limit allows, and most of what a user asked
    and an assistant answered in figures. An earlier summary stands first and is condensed in turn:
    where both do not fit, each gets half.
    """
    said = read_conversation([(u.speaker, u.text) for u in utterances])
    choice = _Choice(said, count=count, aim=_aim(said, share))
    new = choice.within(limit)
    if earlier:
        room = max(int(limit * _EARLIER_PART), limit - _size(new, count))
        old = _Choice(read_summary(earlier), count=count, aim=math.inf).within(room)
        new = choice.within(limit - _size(old, count), told=old)
        return _bounded([*old, *new], limit=limit, count=count)
    return _bounded(new, limit=limit, count=count)


def _aim(said: CandidateSet, share: float) -> float:
    """How many words to keep: small talk bears more cutting than questions and figures."""
    exact = sum(c.length for c in said.candidates if c.is_request or c.is_finding)
    return max(_MIN_WORDS, share * said.words, _EXACT_SHARE * exact)


class _Choice:
    """Chooses sentences greedily, each judged by what those before it leave to say."""

    def __init__(self, reading: CandidateSet, *, count: Count, aim: float) -> None:
        first_of_line: dict[str, tuple[float, SentenceCandidate]] = {}
        for score, candidate in zip(scores_of(reading), reading.candidates, strict=True):
            first_of_line.setdefault(candidate.line, (score, candidate))
        ranked = sorted(first_of_line.values(), key=lambda pair: -pair[0])
        self._considered = ranked[:_MAX_CONSIDERED]
        self._count = count
        self._aim = aim

    def within(
        self, limit: int, *, told: Sequence[SentenceCandidate] = ()
    ) -> list[SentenceCandidate]:
        """The chosen sentences in their order; the best one, cut, where none fits whole."""
        left, chosen, said = list(self._considered), list[SentenceCandidate](), _Said(told)
        words, room = 0, limit
        while left and words < _ENOUGH * self._aim:
            index = max(range(len(left)), key=lambda i: said.worth(*left[i]))
            _, best = left.pop(index)
            size = self._count(f"{best.line}\n")
            is_too_long = words > 0 and words + best.length > _OVERSHOOT * self._aim
            if size > room or is_too_long or best.line in said.lines:
                continue
            chosen.append(best)
            said.add(best)
            words, room = words + best.length, room - size
        if not chosen:
            return self._cut_best(limit, said)
        return sorted(chosen, key=lambda candidate: (candidate.turn, candidate.place))

    def _cut_best(self, limit: int, said: "_Said") -> list[SentenceCandidate]:
        for _, candidate in self._considered:
            if candidate.line not in said.lines:
                line = cut_to_fit(
                    candidate.line, limit=limit, count=lambda t: self._count(f"{t}\n")
                )
                return [replace(candidate, line=line)] if line else []
        return []


class _Said:
    """What the summary says so far."""

    def __init__(self, told: Sequence[SentenceCandidate]) -> None:
        self.lines = {candidate.line for candidate in told}
        self._content = set[str]().union(*(candidate.content for candidate in told))
        self._speakers = set[str]()
        self._requests = set[int]()

    def add(self, candidate: SentenceCandidate) -> None:
        self.lines.add(candidate.line)
        self._content |= candidate.content
        self._speakers.add(candidate.speaker)
        if candidate.is_request:
            self._requests.add(candidate.turn)

    def worth(self, score: float, candidate: SentenceCandidate) -> float:
        content = candidate.content
        repeated = len(content & self._content) / len(content) if content else 1.0
        is_answer = candidate.place == 0 and candidate.turn - 1 in self._requests
        is_silent = bool(self._speakers) and candidate.speaker not in self._speakers
        return score - _REPETITION * repeated + _ITS_ANSWER * is_answer + _UNHEARD * is_silent


def _size(chosen: Sequence[SentenceCandidate], count: Count) -> int:
    return sum(count(f"{candidate.line}\n") for candidate in chosen)


def _bounded(chosen: Sequence[SentenceCandidate], *, limit: int, count: Count) -> str:
    """The lines joined; counted together they may need less than one by one, seldom more."""
    lines = [candidate.line for candidate in chosen]
    while len(lines) > 1 and count("\n".join(lines)) > limit:
        lines.pop()
    return cut_to_fit("\n".join(lines), limit=limit, count=count)


def cut_to_fit(text: str, *, limit: int, count: Count) -> str:
    """The text itself, or as many of its first words as the limit allows, with an ellipsis."""
    if count(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(f"{text[:middle]}…") <= limit else (low, middle - 1)
    start = text[: max(text.rfind(" ", low // 2, low), 0) or low]
    cut = f"{start.rstrip()}…"
    return cut if start.strip() and count(cut) <= limit else ""
