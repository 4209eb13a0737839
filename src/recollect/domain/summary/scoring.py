"""How much a sentence says of its conversation.

The weights are those of a linear fit to sentences of dialogues that people have summarised,
rounded; the fit on one half of the dialogues served the other half as well. Requests and findings
do not occur there; their weights are a judgement.
"""

import math
from collections import defaultdict
from typing import Final

from recollect.domain.summary.candidates import Candidate, Reading

_LENGTH: Final = 0.08
_TOO_LONG: Final = -0.15
_LONG: Final = 25
_RECURRING: Final = 0.025
_RECURRING_AT_MOST: Final = 3
_SAID_BY_BOTH: Final = 0.034
_OPENING: Final = (0.2, 0.1, 0.1)
_FIRST_OF_TURN: Final = 0.03
_QUESTION: Final = 0.03
_REQUEST: Final = 0.1
_FINDING: Final = 0.05


def scores_of(reading: Reading) -> list[float]:
    """One number for each candidate, in their order; higher says more."""
    turns: defaultdict[str, set[int]] = defaultdict(set)
    speakers: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in reading.candidates:
        for word in candidate.content:
            turns[word].add(candidate.turn)
            speakers[word].add(candidate.speaker)
    recurring = {word: min(_RECURRING_AT_MOST, len(seen) - 1) for word, seen in turns.items()}
    shared = {word for word, by in speakers.items() if len(by) > 1}
    return [
        _own_score(candidate)
        + _opening_score(candidate)
        + _RECURRING * sum(recurring[word] for word in candidate.content)
        + _SAID_BY_BOTH * len(candidate.content & shared)
        for candidate in reading.candidates
    ]


def _own_score(candidate: Candidate) -> float:
    return (
        _LENGTH * math.log1p(candidate.length)
        + _TOO_LONG * (candidate.length > _LONG)
        + _FIRST_OF_TURN * (candidate.place == 0)
        + _QUESTION * candidate.is_question
        + _REQUEST * candidate.is_request
        + _FINDING * candidate.is_finding
    )


def _opening_score(candidate: Candidate) -> float:
    return _OPENING[candidate.turn] if candidate.turn < len(_OPENING) else 0.0
