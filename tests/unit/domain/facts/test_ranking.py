"""Which facts a question gets: by meaning and words, then by priority and use."""

from dataclasses import replace
from datetime import timedelta

import pytest

from conformance.contracts.facts_shared import a_fact
from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.fact import Fact, Priority
from recollect.domain.facts.ranking import FactCandidate, FactPolicy, rank
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.tables import for_each


def a_candidate(
    content: str, cosine: float | None = None, *, priority: Priority = Priority.MEDIUM
) -> FactCandidate:
    fact = a_fact(content, priority=priority)
    return FactCandidate(fact=fact, stems=frozenset(content.split()), cosine=cosine)


def ranked(
    candidates: list[FactCandidate], question: str, policy: FactPolicy | None = None
) -> list[str]:
    facts = rank(
        candidates,
        question.split(),
        policy=policy or FactPolicy(),
        decay=DecayPolicy(),
        now=FIRST_MOMENT,
    )
    return [fact.content for fact in facts]


def used_days_ago(candidate: FactCandidate, days: int) -> FactCandidate:
    fact: Fact = replace(candidate.fact, accessed_at=FIRST_MOMENT - timedelta(days=days))
    return replace(candidate, fact=fact)


@for_each(
    ("candidates", "question", "expected"),
    [
        ([("a", 0.2), ("b", 0.5), ("c", 0.3)], "x", ["b", "c", "a"]),
        ([("a", 0.099), ("b", 0.1), ("c", -0.5)], "x", ["b"]),
        ([("oslo trip", 0.3), ("tea", 0.35)], "oslo", ["oslo trip", "tea"]),
        ([("oslo", 0.0), ("tea", 0.0)], "oslo", ["oslo"]),
        ([("oslo", 0.0), ("tea", 0.0)], "oslo in deep winter", []),
        ([("rare", 0.2), ("usual", 0.21), ("usual x", 0.1)], "rare usual",
         ["rare", "usual", "usual x"]),
        ([("oslo", None), ("oslo tea", None), ("x", None)], "oslo tea", ["oslo tea", "oslo"]),
        ([("oslo", None), ("tea", None)], "oslo in deep winter snow", []),
        ([], "oslo", []),
        ([("oslo", 0.3)], "", ["oslo"]),
    ],
)  # fmt: skip
def test_meaning_and_words_decide(
    candidates: list[tuple[str, float | None]], question: str, expected: list[str]
) -> None:
    assert ranked([a_candidate(*one) for one in candidates], question) == expected


@for_each(("first", "second"), [("critical", "high"), ("high", "medium"), ("medium", "low")])
def test_of_two_equally_relevant_facts_the_more_important_comes_first(
    first: str, second: str
) -> None:
    facts = [a_candidate(name, 0.4, priority=Priority(name)) for name in (second, first)]
    assert ranked(facts, "x") == [first, second]


def test_a_fact_used_lately_comes_before_one_that_fades_but_stays_relevant() -> None:
    faded, fresh = used_days_ago(a_candidate("faded", 0.12), 900), a_candidate("fresh", 0.11)
    assert ranked([faded, fresh], "x") == ["fresh", "faded"]
    critical = used_days_ago(a_candidate("critical", 0.12, priority=Priority.CRITICAL), 900)
    assert ranked([critical, fresh], "x") == ["critical", "fresh"]


def test_the_policy_limits_them() -> None:
    facts = [a_candidate(str(number), 0.5 + number / 100) for number in range(9)]
    assert ranked(facts, "x", FactPolicy(k=2)) == ["8", "7"]
    assert ranked(facts, "x", FactPolicy(threshold=0.575)) == ["8"]
    assert ranked(facts, "x", FactPolicy(k=0)) == []


def test_impossible_policies_are_refused() -> None:
    for wrong in ({"k": -1}, {"k": 51}, {"threshold": 1.1}, {"threshold": -0.1}):
        with pytest.raises(InvalidInput, match="facts_"):
            FactPolicy(**wrong)  # type: ignore[arg-type]
