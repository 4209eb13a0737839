"""Pointers that the last question alone resolves."""

import pytest

from recollect.domain.followup.rules.candidate import rule_candidate
from support.followups import conversation
from support.tables import for_each

SAFETY = "user: Wat zijn de vereisten voor valbeveiliging?"
BOUNDARIES = "user: Which of the 5 planetary boundaries have been breached?"


def resolved(question: str, *history: str, language: str = "en") -> str | None:
    """What the rules make of a question."""
    proposal = rule_candidate(question, conversation(*history), language)
    return proposal.standalone_question if proposal else None


@pytest.mark.parametrize(
    "reply", ["Er gelden drie vereisten.", "Daarvoor gelden de volgende richtlijnen: …"]
)
def test_daarvoor_is_what_the_last_question_asked_about(reply: str) -> None:
    question = "Welke producten heb je daarvoor?"

    assert resolved(question, SAFETY, f"assistant: {reply}", language="nl") == (
        "Welke producten heb je voor valbeveiliging?"
    )


def test_the_newest_question_decides() -> None:
    history = (
        SAFETY,
        "assistant: Een harnas is verplicht.",
        "user: Wat zijn de regels voor gehoorbescherming?",
        "assistant: Er zijn er twee.",
    )

    assert resolved("Welke producten heb je daarvoor?", *history, language="nl") == (
        "Welke producten heb je voor gehoorbescherming?"
    )


def test_a_reply_that_names_other_things_may_be_meant() -> None:
    reply = "assistant: Een harnas, een lijn, een ankerpunt en een helm zijn verplicht."

    assert resolved("Wat kost het daarvoor?", SAFETY, reply, language="nl") is None


def test_how_many_of_them_counts_what_the_last_question_asked_for() -> None:
    reply = "assistant: Climate change, biosphere integrity and land use."
    expected = "How many of the 5 planetary boundaries have been breached?"

    assert resolved("How many of them?", BOUNDARIES) == expected
    assert resolved("How many of those?", BOUNDARIES, reply) == expected


@for_each("question", ["How many of them are old?", "all", "of them"])
def test_other_questions_about_them_are_left_to_the_model(question: str) -> None:
    assert resolved(question, BOUNDARIES) is None
