"""The best results are put in a better order, if there is time, and a model that can read them."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from recollect.composition import build_services
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.query import read_question
from recollect.domain.recall.reranking import AUTO, RerankPolicy
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Reranker
from recollect.services.recall.recall import Recall
from recollect.services.recall.reranking import (
    BUDGET,
    FEWEST,
    MOST,
    TRIAL,
    TRIAL_AFTER,
    PairCost,
    Reranking,
)
from recollect.services.services import ServiceDependencies
from recollect.testing import FIRST_MOMENT, CountingIds, FixedClock, WordEmbedder
from support.examples import a_scope
from support.logs import logged
from support.recall.scripted_index import ScriptedIndex, an_entry
from support.recall.scripted_reranker import ScriptedReranker
from support.tables import for_each

QUERY = "What were the sales of the shop in the harbour?"
DUTCH = "Wat was de omzet van de winkel in de haven?"
ENGLISH = frozenset({"en"})
TEXTS = [f"Question: {name}?" for name in ("apples", "bolts", "cars", "dogs", "eggs", "figs")]


class NothingAllowed:
    """Lets nobody see any table."""

    async def access_of(self, scope: Scope) -> Access:
        return Access(tables={})


def recall_with(
    reranker: Reranker, *, policy: RerankPolicy = AUTO, source: NothingAllowed | None = None
) -> Recall:
    clock = FixedClock()
    index = ScriptedIndex(*map(an_entry, TEXTS))
    needs = ServiceDependencies(
        clock=clock,
        ids=CountingIds(),
        counter_for=token_counter_for,
        embedder=WordEmbedder(),
        permissions=source,
        reranker=reranker,
        reranking=policy,
    )
    return build_services(replace(in_memory_stores(clock), recall=index), needs).recall


async def found_by(recall: Recall, query: str = QUERY, *, k: int = 3) -> list[str]:
    found = await recall.search(a_scope(), query, k=k)
    assert found.warnings == ()
    return [item.text for item in found.items]


def cars(text: str) -> float:
    return 90.0 if "cars" in text else -5.0


async def test_what_the_cross_encoder_prefers_comes_first() -> None:
    assert (await found_by(recall_with(ScriptedReranker(cars))))[0] == TEXTS[2]


async def test_a_result_beyond_k_can_become_the_first() -> None:
    assert await found_by(recall_with(ScriptedReranker(cars)), k=1) == [TEXTS[2]]


async def test_a_number_says_how_many_are_read() -> None:
    reranker = ScriptedReranker(cars)
    recall = recall_with(reranker, policy=RerankPolicy(candidates=2))
    assert await found_by(recall, k=4) == TEXTS[:4]
    assert reranker.asked == [tuple(TEXTS[:2])]


async def test_scores_stay_between_zero_and_one_and_descend() -> None:
    recall = recall_with(ScriptedReranker(cars))
    scores = [item.score for item in (await recall.search(a_scope(), QUERY, k=6)).items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_a_question_in_a_language_that_the_model_does_not_read_keeps_its_order() -> None:
    reranker = ScriptedReranker(cars, languages=ENGLISH)
    recall = recall_with(reranker)
    assert await found_by(recall, DUTCH) == TEXTS[:3]
    assert reranker.asked == []
    assert (await found_by(recall, QUERY))[0] == TEXTS[2]


async def test_an_entry_in_a_language_that_the_model_does_not_read_keeps_its_place() -> None:
    texts = ["Question: Where are the red cars?", f"Question: {DUTCH}", "Question: Is it the cars?"]
    reranker = ScriptedReranker(lambda text: len(text) * -20.0, languages=ENGLISH)
    recall = replace(recall_with(reranker), index=ScriptedIndex(*map(an_entry, texts)))
    assert await found_by(recall) == [texts[2], texts[1], texts[0]]
    assert reranker.asked == [(texts[0], texts[2])]


async def test_entries_that_the_user_may_not_see_are_not_read() -> None:
    reranker = ScriptedReranker(cars)
    recall = recall_with(reranker, source=NothingAllowed())
    assert (await recall.search(a_scope(), QUERY)).items == ()
    assert reranker.asked == []


@pytest.mark.parametrize("problem", [ModelUnavailable("closed"), RuntimeError("out of memory")])
async def test_a_model_that_fails_leaves_the_order_and_warns_once(
    problem: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    recall = recall_with(ScriptedReranker(problem=problem))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert await found_by(recall) == TEXTS[:3]
    assert logged(caplog, "recall") == ["recall.not_reranked"]


async def test_a_model_that_cannot_be_loaded_does_not_stop_the_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        await Reranking(reranker=ScriptedReranker(problem=ConfigurationError("no model"))).warm()
    assert logged(caplog, "recall") == ["recall.not_reranked"]


class StuckReranker(ScriptedReranker):
    """Never comes to an end."""

    async def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        await asyncio.Event().wait()
        return await super().scores(question, texts)


async def test_a_model_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recollect.services.recall.reranking._LONGEST_WAIT", 0.01)
    recall = recall_with(StuckReranker())
    assert await found_by(recall) == TEXTS[:3]
    assert recall.reranking is not None
    assert recall.reranking.cost.waiting == 0


NOW = 1000.0


@for_each(
    ("seconds", "pairs"),
    [(0.001, MOST), (BUDGET / 10, 10), (BUDGET / FEWEST, FEWEST), (BUDGET / 4.9, 0), (9.0, 0)],
)
def test_as_many_pairs_are_read_as_fit_into_the_budget_or_none(seconds: float, pairs: int) -> None:
    assert PairCost(seconds=seconds, measured_at=NOW).affordable(NOW) == pairs


@for_each(("waiting", "pairs"), [(5, 15), (15, FEWEST), (16, 0), (500, 0)])
def test_under_load_fewer_pairs_are_read_and_then_none(waiting: int, pairs: int) -> None:
    cost = PairCost(seconds=BUDGET / 20, waiting=waiting, measured_at=NOW)
    assert cost.affordable(NOW) == pairs


@for_each(
    ("since", "waiting", "pairs"),
    [(0.0, 0, 0), (TRIAL_AFTER - 0.1, 0, 0), (TRIAL_AFTER, 0, TRIAL), (TRIAL_AFTER, 2, 0)],
)
def test_a_slow_model_is_tried_again_after_a_while(since: float, waiting: int, pairs: int) -> None:
    cost = PairCost(seconds=1.0, waiting=waiting, measured_at=NOW)
    assert cost.affordable(NOW + since) == pairs


@for_each(
    ("measured_at", "mean"),
    [(None, 0.05), (NOW, 0.01 + 0.2 * 0.04), (NOW - TRIAL_AFTER, 0.05)],
)
def test_a_measurement_counts_little_beside_others_and_all_after_a_pause(
    measured_at: float | None, mean: float
) -> None:
    cost = PairCost(seconds=0.01, measured_at=measured_at)
    cost.learn(0.5, pairs=10, now=NOW)
    assert cost.seconds == pytest.approx(mean)
    assert cost.measured_at == NOW


class TimedReranker(ScriptedReranker):
    """Takes as long for a pair as a test says, on a clock of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.pair = 0.0

    async def warm(self) -> None:
        self.now += 0.5

    async def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        self.now += self.pair * len(texts)
        return await super().scores(question, texts)


async def test_a_slow_model_is_left_and_used_again_when_it_is_quick() -> None:
    reranker = TimedReranker()
    reranking = Reranking(reranker=reranker, timer=lambda: reranker.now)
    recall = replace(recall_with(ScriptedReranker()), reranking=reranking)
    read: list[int] = []
    steps = [(0.05, 0.0), (0.05, 1.0), (0.05, TRIAL_AFTER), (0.002, 1.0), (0.002, 9.5), (0.0, 0.0)]
    for pair, pause in steps:
        reranker.pair = pair
        reranker.now += pause
        reranker.asked.clear()
        await found_by(recall)
        read.append(sum(map(len, reranker.asked)))
    # Once to learn the cost, not loading; never while slow, but for a trial; then all there are.
    assert read == [6, 0, TRIAL, 0, TRIAL, 6]


async def test_a_model_that_hangs_is_not_asked_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recollect.services.recall.reranking._LONGEST_WAIT", 0.2)
    reranking = Reranking(reranker=StuckReranker(), timer=lambda: NOW)
    recall = replace(recall_with(ScriptedReranker()), reranking=reranking)
    assert await found_by(recall) == TEXTS[:3]
    question = read_question(QUERY, language="en", now=FIRST_MOMENT)
    assert reranking.depth(question) == 0
