"""How many of the best candidates are read again, and what order both readings give."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, Self

from recollect.domain.recall.ranking import Ranked
from recollect.errors import InvalidInput

MAX_RERANKED: Final = 100
# Of the logarithm of odds, beside a first score of about 1 for the same words and meaning.
_LOG_WEIGHT: Final = 0.09
_EXCHANGE_WEIGHT: Final = 0.03
"""The embedder reads exchanges almost as well as a cross-encoder; docs/explanation/recall.md."""
_END_BEFORE: Final = 200
"""Characters of the message before that are read."""
_NUMBER: Final = re.compile(r"[0-9]{1,3}", re.ASCII)


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
    entries = (one.candidate.entry for one in around)
    by_next = {
        (entry.session_id, entry.sequence + len(entry.message_ids)): entry
        for entry in entries
        if entry.speaker
    }
    texts: list[str] = []
    for one in ranked:
        entry = one.candidate.entry
        before = by_next.get((entry.session_id, entry.sequence)) if entry.speaker else None
        text = f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
        if before is not None:
            text = f"{before.speaker}: {before.text[-_END_BEFORE:]} {text}"
        texts.append(text)
    return texts


def reranked(ranked: Sequence[Ranked], scores: Sequence[float | None]) -> list[Ranked]:
    """The ranking with its first entries, as many as have `scores`, in the order of both scores.

    An entry that the cross-encoder does not read has the score None and keeps its place: compared
    with what it does read, it would always lose. The score of a place stays the same.
    """
    read = {place: score for place, score in enumerate(scores) if score is not None}
    usual = fsum(read.values()) / max(len(read), 1)  # of logs and exchanges with unequal weights
    both = {
        place: ranked[place].score + _weight(ranked[place]) * (score - usual)
        for place, score in read.items()
    }
    best_first = sorted(both, key=lambda place: -both[place])  # equal scores keep their order
    result = list(ranked)
    for place, best in zip(read, best_first, strict=True):
        result[place] = Ranked(ranked[best].candidate, ranked[place].score)
    return result


def _weight(ranked: Ranked) -> float:
    return _EXCHANGE_WEIGHT if ranked.candidate.entry.speaker is None else _LOG_WEIGHT
