"""Whatever the facts, ranking depends on them alone, and never gives more than it may."""

from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.fact import Fact, FactSource, FactType, Priority
from recollect.domain.facts.ranking import MAX_FACTS, FactCandidate, FactPolicy, rank
from recollect.testing import FIRST_MOMENT

WORDS = st.frozensets(st.sampled_from("abcdefgh"), max_size=5)
COSINES = st.one_of(st.floats(min_value=-1, max_value=1), st.sampled_from([0.0, 0.08, 0.5]))


@st.composite
def candidates(draw: st.DrawFn) -> list[FactCandidate]:
    by_meaning = draw(st.booleans())
    return [
        FactCandidate(
            fact=Fact(
                fact_id=UUID(int=number),
                type=FactType.FACT,
                priority=draw(st.sampled_from(Priority)),
                content="x",
                source=FactSource.API,
                created_at=FIRST_MOMENT + timedelta(days=draw(st.integers(0, 2))),
                updated_at=FIRST_MOMENT,
                accessed_at=FIRST_MOMENT - timedelta(days=draw(st.integers(0, 3000))),
                valid_from=FIRST_MOMENT,
            ),
            stems=draw(WORDS),
            cosine=draw(COSINES) if by_meaning else None,
        )
        for number in range(draw(st.integers(0, 8)))
    ]


@given(
    candidates().flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))),
    WORDS,
    st.integers(0, MAX_FACTS),
    st.floats(min_value=0, max_value=1),
)
def test_the_order_of_candidates_does_not_matter_and_no_more_than_k_come(
    orders: tuple[list[FactCandidate], list[FactCandidate]],
    question: frozenset[str],
    k: int,
    threshold: float,
) -> None:
    policy = FactPolicy(k=k, threshold=threshold)
    first, second = (
        rank(order, question, policy=policy, decay=DecayPolicy(), now=FIRST_MOMENT)
        for order in orders
    )
    assert first == second
    assert len(first) <= k
    assert len({fact.fact_id for fact in first}) == len(first)
    everything = rank(
        orders[0],
        question,
        policy=FactPolicy(k=MAX_FACTS, threshold=threshold),
        decay=DecayPolicy(),
        now=FIRST_MOMENT,
    )
    assert everything[:k] == first
