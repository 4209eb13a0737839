"""A clock that stands still, ids that count, models without weights: nothing is random."""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable

_WORD: Final = re.compile(r"\w+")
FIRST_MOMENT: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)


class FixedClock:
    """Tells the same time until it is moved."""

    def __init__(self, start: datetime = FIRST_MOMENT) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time the clock was last moved to."""
        return self._now

    def move(self, distance: timedelta) -> datetime:
        """Move the clock forwards, or with a negative distance backwards; the new time."""
        self._now += distance
        return self._now


class CountingIds:
    """Gives out 1, 2, 3 … as ids and secrets: never the same twice, and easy to guess."""

    def __init__(self) -> None:
        self._last = 0

    def new_id(self) -> UUID:
        """The next number as a UUID: 00000000-0000-0000-0000-000000000001 and so on."""
        return UUID(int=self._next())

    def new_secret(self, size: int) -> bytes:
        """The next number in `size` bytes."""
        return self._next().to_bytes(size, "big")

    def _next(self) -> int:
        self._last += 1
        return self._last


class WordEmbedder:
    """An `Embedder` without a model: texts are near each other as they share words.

    Set `is_available` to False to see what happens while a model cannot be reached; `embedded`
    are the texts it was given.
    """

    def __init__(self, *, dimensions: int = 64, model: str | None = None) -> None:
        self._dimensions = dimensions
        self._model = model or f"words:{dimensions}"
        self.embedded: list[str] = []
        self.is_available = True

    @property
    def model(self) -> str:
        """The name it was given, or one with its dimensions."""
        return self._model

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        return self._dimensions

    async def warm(self) -> None:
        """Nothing: there is nothing to load."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """For each text the numbers of its words, each word at a place of its own or nearly."""
        if not self.is_available:
            raise ModelUnavailable(f"the model {self._model} could not be reached")
        self.embedded += texts
        return tuple(map(self.vector, texts))

    async def embed_question(self, question: str) -> Vector:
        """The same for one question."""
        (vector,) = await self.embed([question])
        return vector

    def vector(self, text: str) -> Vector:
        """The vector of one text; asking for it counts for nothing."""
        counts = [0.0] * self._dimensions
        for word in _WORD.findall(text.lower()) or [""]:
            digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
            counts[int.from_bytes(digest[:8], "big") % self._dimensions] += 1
        length = math.hypot(*counts)
        return tuple(count / length for count in counts)


class FakeFollowUpModel:
    """A `FollowUpModel` without weights: it proposes what it is given, question by question.

    A rewrite is a text, or a `Proposal` with a confidence of its own. All other questions stand
    alone. `questions` and `histories` are what it was asked.
    """

    def __init__(
        self, rewrites: Mapping[str, str | Proposal] | None = None, *, confidence: float = 0.9
    ) -> None:
        self._rewrites = dict(rewrites or {})
        self._confidence = confidence
        self.questions: list[str] = []
        self.histories: list[tuple[HistoryMessage, ...]] = []

    def load(self) -> None:
        """Nothing: there is nothing to load."""

    def propose(
        self,
        question: str,
        history: Sequence[HistoryMessage],
        *,
        language: str,  # noqa: ARG002  # the port's
    ) -> Proposal:
        """The rewrite that was given for the question; the question itself if there is none."""
        self.questions.append(question)
        self.histories.append(tuple(history))
        rewrite = self._rewrites.get(question) if history else None
        if isinstance(rewrite, Proposal):
            return rewrite
        if rewrite is None:
            return Proposal(standalone_question=question, need=0.0, confidence=1.0)
        return Proposal(
            standalone_question=rewrite, need=self._confidence, confidence=self._confidence
        )
