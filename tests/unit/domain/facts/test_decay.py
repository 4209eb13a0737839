"""How facts fade."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.fact import Fact, FactSource, FactType, Priority
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

POLICY = DecayPolicy(
    half_lives={Priority.HIGH: 365, Priority.MEDIUM: 180, Priority.LOW: 60}, threshold=0.1
)


def a_fact(priority: Priority, *, accesses: int = 0) -> Fact:
    return Fact(
        fact_id=uuid4(),
        type=FactType.FACT,
        priority=priority,
        content="I live in Hull.",
        source=FactSource.API,
        created_at=FIRST_MOMENT,
        updated_at=FIRST_MOMENT,
        accessed_at=FIRST_MOMENT,
        valid_from=FIRST_MOMENT,
        access_count=accesses,
    )


@for_each(
    ("priority", "days", "score"),
    [
        (Priority.HIGH, 0, 1.0),
        (Priority.HIGH, 365, 0.5),
        (Priority.HIGH, 730, 0.25),
        (Priority.MEDIUM, 180, 0.5),
        (Priority.LOW, 60, 0.5),
        (Priority.LOW, 180, 0.125),
        (Priority.CRITICAL, 36_500, 1.0),
    ],
)
def test_a_fact_counts_half_after_its_half_life(
    priority: Priority, days: int, score: float
) -> None:
    now = FIRST_MOMENT + timedelta(days=days)
    assert POLICY.score(a_fact(priority), now) == pytest.approx(score)


def test_a_year_without_use_leaves_what_the_formula_says() -> None:
    year = [FIRST_MOMENT + timedelta(days=day) for day in range(366)]
    for priority, last in ((Priority.LOW, 199), (Priority.MEDIUM, None), (Priority.HIGH, None)):
        fact = a_fact(priority)
        kept = [now for now in year if POLICY.score(fact, now) >= POLICY.threshold]
        expected = 365 if last is None else last
        assert (kept[-1] - FIRST_MOMENT).days == expected, priority


def test_use_makes_a_fact_last_longer() -> None:
    now = FIRST_MOMENT + timedelta(days=120)
    scores = [POLICY.score(a_fact(Priority.LOW, accesses=count), now) for count in (0, 1, 3, 7)]
    assert scores == pytest.approx([0.25, 0.5, 0.25 ** (1 / 3), 0.25 ** (1 / 4)])


def test_use_makes_a_fact_fresh_again() -> None:
    now = FIRST_MOMENT + timedelta(days=300)
    assert POLICY.score(replace(a_fact(Priority.LOW), accessed_at=now), now) == 1.0


@for_each("priority", [Priority.HIGH, Priority.MEDIUM, Priority.LOW])
def test_the_time_of_pruning_is_when_the_score_reaches_the_threshold(priority: Priority) -> None:
    fact = a_fact(priority, accesses=2)
    end = POLICY.fades_at(fact)
    assert end is not None
    assert POLICY.score(fact, end) == pytest.approx(POLICY.threshold)


def test_critical_facts_are_never_pruned() -> None:
    assert POLICY.fades_at(a_fact(Priority.CRITICAL)) is None


@for_each("days", [0, -1, 40_000])
def test_half_lives_must_be_sensible(days: float) -> None:
    with pytest.raises(InvalidInput, match="half_life"):
        DecayPolicy(half_lives={Priority.LOW: days})
