"""Whatever is proposed, a question is changed only by a rewrite that is sure."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import Role
from recollect.domain.followup.candidates import MAX_CONTEXT_TERMS, best_rewrite, is_faulty
from recollect.domain.followup.dialogue import HistoryMessage, Method, Proposal

TEXTS = st.text(min_size=1, max_size=60)
CHANCES = st.floats(min_value=0, max_value=1)
PROPOSALS = st.builds(
    Proposal,
    standalone_question=TEXTS,
    need=CHANCES,
    confidence=CHANCES,
    topic=st.none() | TEXTS,
)
CANDIDATES = st.dictionaries(st.sampled_from([Method.MODEL, Method.RULES]), PROPOSALS)
HISTORIES = st.lists(
    st.builds(HistoryMessage, role=st.sampled_from([Role.USER, Role.ASSISTANT]), content=TEXTS),
    max_size=3,
)


@given(question=TEXTS, history=HISTORIES, candidates=CANDIDATES, least=CHANCES)
def test_only_a_sure_rewrite_of_a_follow_up_changes_a_question(
    question: str, history: list[HistoryMessage], candidates: dict[Method, Proposal], least: float
) -> None:
    result = best_rewrite(question, history, candidates, least_confidence=least, language="en")

    assert 0 <= result.confidence <= 1
    assert len(result.context_terms) <= MAX_CONTEXT_TERMS
    if result.method is Method.NONE:
        assert result.standalone_question == question
        assert result.signals == ()
    else:
        chosen = candidates[result.method]
        assert result.is_follow_up
        assert result.confidence == chosen.confidence >= least
        assert result.standalone_question == " ".join(chosen.standalone_question.split())
        assert chosen.confidence == max(
            one.confidence
            for one in candidates.values()
            if one.need >= 0.5
            and one.standalone_question != question
            and not is_faulty(one.standalone_question, question, history)
        )
    if not result.is_follow_up:
        assert (result.topic, result.context_terms) == (None, ())
