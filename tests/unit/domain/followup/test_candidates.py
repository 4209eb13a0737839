"""Rewrites that are never sent, however sure the model is of them."""

import pytest

from recollect.domain.followup.candidates import best_rewrite
from recollect.domain.followup.dialogue import Method, Proposal
from support.followups import conversation

HISTORY = conversation(
    "user: How do I undo the last commit?",
    "assistant: With git reset.",
    'user: Who wrote "Double Down"?',
    "assistant: Two journalists.",
)


def standalone(rewrite: str, question: str) -> str:
    proposal = Proposal(standalone_question=rewrite, need=0.9, confidence=0.95)
    chosen = best_rewrite(
        question, HISTORY, {Method.MODEL: proposal}, least_confidence=0.6, language="en"
    )
    return chosen.standalone_question


@pytest.mark.parametrize("rewrite", ['who wrote "Double Down"', 'Who wrote "Keepers" Down"?'])
def test_the_last_question_again_or_with_a_torn_quotation_is_no_rewrite(rewrite: str) -> None:
    assert standalone(rewrite, "And Keepers?") == "And Keepers?"


@pytest.mark.parametrize("rewrite", ['Who wrote "Keepers"?', "How do I undo the last commit?"])
def test_another_question_may_be_an_earlier_one(rewrite: str) -> None:
    assert standalone(rewrite, "And the first one?") == rewrite
