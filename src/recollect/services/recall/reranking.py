"""Reading the best candidates again, together with the question, within a time budget."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from recollect.domain.followup.language import known_language
from recollect.domain.recall.query import RecallQuestion
from recollect.domain.recall.ranking import Ranked
from recollect.domain.recall.reranking import (
    AUTO,
    RerankPolicy,
    readable_texts,
    reranked,
)
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.ports.models import Reranker

BUDGET: Final = 0.1
"""Seconds that `auto` may add to a search."""
FEWEST: Final = 5
"""If there is no time for this many candidates, `auto` reads none: they hardly change an order."""
MOST: Final = 20
"""More candidates hardly change the first ten."""
TRIAL: Final = 2
"""Candidates of the question that measures the cost again; the fewest that have an order."""
TRIAL_AFTER: Final = 10.0
"""Seconds without a measurement after which there is a trial."""
_FIRST_COST: Final = 0.015
"""Seconds of a pair until some were measured."""
_NEWEST: Final = 0.2
"""The weight of the last measurement in the running mean."""
_LONGEST_WAIT: Final = 2.0
"""Seconds after which a search returns its first ranking."""
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class PairCost:
    """What a question costs: the running mean of the seconds of a pair, and the pairs that wait."""

    seconds: float = _FIRST_COST
    waiting: int = 0
    measured_at: float | None = None
    """When the last pairs were measured; None if none were."""

    def affordable(self, now: float) -> int:
        """How many pairs fit into the budget after those that wait; 0 if there is no time.

        On a machine where too few fit, a question now and then reads two: it may be quick again.
        """
        pairs = int(BUDGET / self.seconds)
        if pairs < FEWEST:
            return TRIAL if self._is_outdated(now) and not self.waiting else 0
        left = min(pairs - self.waiting, MOST)
        return left if left >= FEWEST else 0

    def learn(self, seconds: float, *, pairs: int, now: float) -> None:
        """Take a measurement into the running mean, or in its place if that is outdated."""
        weight = 1.0 if self._is_outdated(now) else _NEWEST
        self.seconds += weight * (max(seconds, 1e-6) / pairs - self.seconds)
        self.measured_at = now

    def _is_outdated(self, now: float) -> bool:
        return self.measured_at is None or now - self.measured_at >= TRIAL_AFTER


@dataclass(slots=True, kw_only=True)
class Reranking:
    """Reranks the best candidates; what goes wrong leaves the first ranking as it is."""

    reranker: Reranker
    policy: RerankPolicy = AUTO
    timer: Callable[[], float] = perf_counter
    cost: PairCost = field(default_factory=PairCost)
    _has_warned: bool = False

    async def warm(self) -> None:
        """Load the model now; a failure is logged."""
        try:
            await self.reranker.warm()
        except (ConfigurationError, ModelUnavailable) as error:
            self._warn(error)

    def depth(self, question: RecallQuestion) -> int:
        """How many candidates of a question are reranked now; 0: the model cannot read it."""
        languages = self.reranker.languages
        if languages is not None and question.language not in languages:
            return 0
        if self.policy.candidates is None:
            return self.cost.affordable(self.timer())
        return self.policy.candidates

    async def rerank(
        self,
        ranked: Sequence[Ranked],
        question: RecallQuestion,
        *,
        depth: int,
        around: Sequence[Ranked] = (),
    ) -> Sequence[Ranked]:
        """The ranking with its first `depth` in a better order.

        Entries in a language that the model does not read keep their places. `around` are
        candidates that the user may see: a message of a log is read together with the one before
        it, if that is among them.
        """
        read = [place for place, one in enumerate(ranked[:depth]) if self._reads(one)]
        if len(read) < 2:  # noqa: PLR2004  # one alone has no order
            return ranked
        texts = readable_texts([ranked[place] for place in read], around=around)
        try:
            scores = await self._scores(question.text, texts)
        except Exception as error:  # noqa: BLE001  # the first ranking is better than none
            self._warn(error)
            return ranked
        of_places = dict(zip(read, scores, strict=True))
        of_first = [of_places.get(place) for place in range(read[-1] + 1)]
        return reranked(ranked, of_first, question, around=around)

    def _reads(self, ranked: Ranked) -> bool:
        """Whether an entry is not certainly in a language that the model does not read."""
        languages = self.reranker.languages
        return languages is None or known_language(ranked.candidate.entry.text) in {
            None,
            *languages,
        }

    async def _scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """The scores of the texts; what they cost is learnt, also if it takes too long."""
        is_alone = self.cost.waiting == 0  # otherwise it waits for others as well
        self.cost.waiting += len(texts)
        try:
            async with asyncio.timeout(_LONGEST_WAIT):
                if self.cost.measured_at is None:  # loading is no part of the cost
                    await self.reranker.warm()
                began = self.timer()
                scores = await self.reranker.scores(question, texts)
        except TimeoutError:
            self.cost.learn(_LONGEST_WAIT, pairs=len(texts), now=self.timer())
            raise
        finally:
            self.cost.waiting -= len(texts)
        if is_alone:
            now = self.timer()
            self.cost.learn(now - began, pairs=len(texts), now=now)
        return scores

    def _warn(self, error: Exception) -> None:
        """Log a failure, the first time as a warning: the same would follow at every search."""
        level = logging.DEBUG if self._has_warned else logging.WARNING
        self._has_warned = True
        facts = {"model": self.reranker.model, "problem": type(error).__name__}
        logger.log(level, "recall.not_reranked", extra={"facts": facts})
