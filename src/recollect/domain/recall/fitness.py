"""How well a message of a log fits the speaker, the time and the answer that are asked for."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from recollect.domain.dates import time_words
from recollect.domain.language import fold
from recollect.domain.recall.entry import Entry
from recollect.domain.recall.query import RecallQuestion
from recollect.domain.recall.wording import NOTHING_WANTED

# Fitted together with the other weights of logs; docs/decisions/0037.
_SPEAKER: Final = 1.3
_TIME_NAMED: Final = 8.0
_TIME_TOLD: Final = 2.6
_WANTED_NAME: Final = 0.65
_WANTED_NUMBER: Final = 1.4
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitness:
    """What a question asks for beside its topic."""

    question: RecallQuestion
    speaker: str | None
    """The only speaker that it names."""
    time_words: frozenset[str]
    """Words that tell a time, if it asks for one."""
    is_particular: bool
    """Whether it asks for a speaker, a time, a name or a number."""

    @classmethod
    def of(cls, question: RecallQuestion) -> Self:
        """Read what a question asks for."""
        speaker = next(iter(question.speakers)) if len(question.speakers) == 1 else None
        return cls(
            question=question,
            speaker=speaker,
            time_words=time_words(question.language) if question.asks_when else frozenset(),
            is_particular=bool(
                speaker
                or question.asks_when
                or question.time is not None
                or question.wanted != NOTHING_WANTED
            ),
        )

    def score(self, entry: Entry) -> float:
        """How well an entry fits; 0 if nothing particular is asked for."""
        if not self.is_particular:
            return 0.0
        total = self._answers(entry) if self.question.wanted != NOTHING_WANTED else 0.0
        if self.speaker and _folded(entry.speaker) == self.speaker:
            total += _SPEAKER
        if self.question.time is not None:
            total += _TIME_NAMED * self.question.time.nearness(entry.said_at)
        if self.time_words and not self.time_words.isdisjoint(_WORD.findall(entry.text.lower())):
            total += _TIME_TOLD
        return total

    def _answers(self, entry: Entry) -> float:
        """Whether an entry has the names or the number that the question asks for."""
        wording = entry.wording(self.question.language)
        if self.question.wanted.number:
            return _WANTED_NUMBER if wording.has_number else 0.0
        return _WANTED_NAME * wording.names


@lru_cache(maxsize=1024)
def _folded(name: str | None) -> str | None:
    return name and fold(name)
