"""The examples the specification promises, word for word."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Method, Said, Signal
from recollect.domain.followup.rewrite import rewrite
from support.followups import conversation

SALES = "Show me total sales by region for 2024"
SALES_SQL = (
    "SELECT r.region_name, SUM(s.amount) AS total_sales FROM sales s"
    " JOIN regions r ON s.region_id = r.region_id WHERE YEAR(s.sale_date) = 2024"
    " GROUP BY r.region_name"
)


@pytest.mark.parametrize("sql", [SALES_SQL, None, "not SQL at all ((("])
def test_another_year_takes_the_place_of_the_year(sql: str | None) -> None:
    history = (
        Said(role=Role.USER, content=SALES),
        Said(role=Role.ASSISTANT, content="North: $2.4M, South: $1.9M", sql_query=sql),
    )

    result = rewrite("What about 2023?", history)

    assert result.standalone_question == "Show me total sales by region for 2023"
    assert result.is_follow_up
    assert result.method is Method.RULES
    assert Signal.ELLIPSIS_OPENER in result.signals
    assert result.language == "en"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (
            "Wat zijn de vereisten voor valbeveiliging?",
            "Welke producten heb je voor valbeveiliging?",
        ),
        (
            "Wat zijn de vereisten voor werken op hoogte?",
            "Welke producten heb je voor werken op hoogte?",
        ),
    ],
)
def test_daarvoor_is_resolved_in_dutch(before: str, expected: str) -> None:
    history = conversation(
        f"user: {before}", "assistant: Daarvoor gelden de volgende richtlijnen: …"
    )

    result = rewrite("Welke producten heb je daarvoor?", history)

    assert result.standalone_question == expected
    assert result.language == "nl"
    assert result.signals == (Signal.PRONOMINAL_ADVERB,)


def test_how_many_of_them_counts_the_subject_of_the_last_question() -> None:
    history = conversation("user: Which of the 5 planetary boundaries have been breached?")

    result = rewrite("How many of them?", history)

    expected = "How many of the 5 planetary boundaries have been breached?"
    assert result.standalone_question == expected


def test_how_many_of_them_without_a_predicate_names_the_subject_of_the_last_question() -> None:
    history = conversation(
        "user: What are the 5 planetary boundaries?",
        "assistant: Climate change, biosphere integrity, land use, fresh water and nitrogen.",
    )

    result = rewrite("How many of them?", history)

    assert result.standalone_question == "How many of the 5 planetary boundaries?"
