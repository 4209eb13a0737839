"""What must not be touched: questions that need no history, and talk that asks nothing."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Method, Said
from recollect.domain.followup.rewrite import MAX_ADDED, rewrite
from support.followups import conversation

CURIE = conversation(
    "user: Who was Marie Curie?",
    "assistant: Marie Curie was a physicist who discovered radium.",
)


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Is it possible to book a table online?",
        "Does it rain a lot in London?",
        "Does NASA say that Mars is cold?",
        "What is the weather like this week in Paris?",
        "Is there a bakery near the station in Utrecht?",
        "Who wrote the book that inspired Jurassic Park?",
        "How does photosynthesis work?",
        "What is mortadella and where is it from?",
        "Thanks!",
        "Thank you, that is all I need. Goodbye!",
        "Hello",
        "ok great",
    ],
)
def test_a_question_that_stands_alone_is_left_as_it_is(question: str) -> None:
    result = rewrite(question, CURIE, language="en")

    assert result.standalone_question == question
    assert not result.is_follow_up
    assert result.method is Method.NONE
    assert result.signals == ()


@pytest.mark.parametrize(
    "question",
    [
        "Is het mogelijk om met iDEAL te betalen?",
        "Regent het vaak in Amsterdam?",
        "Wat is het adres van het stadhuis in Delft?",
        "Welke steden zijn er in Nederland die aan zee liggen?",
        "Zegt het KNMI dat Nederland warmer wordt?",
        "Bedankt, dat is alles!",
        "Hallo",
    ],
)
def test_dutch_het_dat_and_die_do_not_fire_by_themselves(question: str) -> None:
    history = conversation("user: Wie is Johan Cruijff?", "assistant: Een voetballer.")

    result = rewrite(question, history, language="nl")

    assert result.standalone_question == question
    assert not result.is_follow_up


def test_nothing_is_a_follow_up_without_a_history() -> None:
    result = rewrite("What about him and his brother?", (), language="en")

    assert result.standalone_question == "What about him and his brother?"
    assert not result.is_follow_up


def test_the_german_polite_address_is_not_a_pronoun() -> None:
    history = conversation("user: Wer war Konrad Adenauer?", "assistant: Ein Bundeskanzler.")

    result = rewrite("Können Sie mir helfen?", history, language="de")

    assert not result.is_follow_up


def test_a_document_pasted_as_a_question_is_not_rewritten() -> None:
    document = "What did he do? " * 200

    assert rewrite(document, CURIE, language="en").standalone_question == document


def test_huge_messages_and_queries_are_cut_to_size() -> None:
    keys = ", ".join(f"'key {number}'" for number in range(700))
    history = (
        Said(role=Role.USER, content="Show all orders of region North for 2024 " * 5000),
        Said(
            role=Role.ASSISTANT,
            content="The North has many orders. " * 20_000,
            sql_query=f"SELECT a FROM orders WHERE id IN ({keys})",  # noqa: S608 # never run
        ),
    )

    result = rewrite("What about 2023?", history, language="en")

    assert len(result.standalone_question) <= len("What about 2023?") + MAX_ADDED
