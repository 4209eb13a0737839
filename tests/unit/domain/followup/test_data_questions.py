"""Follow-ups to questions that a table or database answers."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Said, Signal
from recollect.domain.followup.rewrite import rewrite
from support.followups import rewrite_after, standalone

SALES = "Show me total sales by region for 2024"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What about 2023?", "Show me total sales by region for 2023"),
        ("and in 2023?", "Show me total sales by region in 2023"),
        ("by month", "Show me total sales by month for 2024"),
        ("only the North", "Show me total sales by region for 2024 (only the North)"),
        ("sort by revenue", "Show me total sales by region for 2024 and sort by revenue"),
        ("the next year?", "Show me total sales by region for 2025"),
    ],
)
def test_a_fragment_changes_one_part_of_the_last_question(question: str, expected: str) -> None:
    assert standalone(question, after=SALES) == expected


def test_a_chain_of_changes_adds_up() -> None:
    questions = (SALES, "What about 2023?", "by month")

    assert standalone("and 2022?", after=questions) == "Show me total sales by month for 2022"


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (
            "List the teams with more than 10 wins",
            "what about more than 5?",
            "List the teams with more than 5 wins",
        ),
        (
            "Which player has the most goals?",
            "and the least?",
            "Which player has the least goals?",
        ),
        (
            "How many employees are there in department sales?",
            "in department marketing?",
            "How many employees are there in department marketing?",
        ),
        (
            "Show the names of all museums opened before 2009",
            "what about those opened after 2011?",
            "Show the names of all museums opened after 2011",
        ),
    ],
)
def test_a_fragment_replaces_the_value_of_the_same_type(
    before: str, question: str, expected: str
) -> None:
    assert standalone(question, after=before) == expected


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (
            "Which flights leave from Boston?",
            "What are their airlines?",
            "What are the airlines of flights leave from Boston?",
        ),
        (
            "Show the singers above age 40",
            "How many of them are from France?",
            "How many of the singers above age 40 are from France?",
        ),
        (
            "What is the name of the team with 12 wins?",
            "what is the stadium",
            "What is the stadium of the team with 12 wins",
        ),
    ],
)
def test_a_follow_up_is_limited_to_the_rows_of_the_last_question(
    before: str, question: str, expected: str
) -> None:
    assert standalone(question, after=before) == expected


def test_a_follow_up_can_remove_a_filter() -> None:
    before = "Which player has a score less than 66 and a place of 2?"

    assert standalone("remove the place", after=before) == (
        "Which player has a score less than 66?"
    )


def test_a_follow_up_can_add_a_column() -> None:
    result = rewrite_after("also show the location", after="Show the name of all stadiums")

    assert result.standalone_question == "Show the name and location of all stadiums"
    assert Signal.SAME_BUT in result.signals


def test_values_are_spelt_as_the_sql_has_them() -> None:
    history = (
        Said(role=Role.USER, content="What are the countries in the Carribean region?"),
        Said(
            role=Role.ASSISTANT,
            content="There are 24.",
            sql_query="SELECT * FROM country WHERE Region = 'Caribbean'",
        ),
    )

    result = rewrite("What is the surface area of those countries?", history, language="en")

    expected = "What is the surface area of the countries in the Caribbean region?"
    assert result.standalone_question == expected


def test_a_complete_question_after_a_shift_stands_alone() -> None:
    question = "List the minimum and maximum price of all products"

    assert standalone(question, after="Which flights leave from Boston?") == question


@pytest.mark.parametrize(
    ("language", "before", "question"),
    [
        ("en", SALES, "What is our refund policy?"),
        ("en", SALES, "What are your opening hours?"),
        ("en", SALES, "When does our contract end?"),
        ("nl", "Toon de omzet per regio voor 2024", "Wat is ons retourbeleid?"),
        ("de", "Zeige den Umsatz pro Region für 2024", "Was ist unsere Rückgaberichtlinie?"),
    ],
)
def test_questions_about_our_or_your_things_are_not_limited_to_the_last_rows(
    language: str, before: str, question: str
) -> None:
    assert standalone(question, after=before, language=language) == question


def test_questions_about_our_figures_are_limited_to_the_last_rows() -> None:
    expected = "What is our revenue by region for 2024?"

    assert standalone("What is our revenue?", after=SALES) == expected
