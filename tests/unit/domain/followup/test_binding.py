"""A pronoun that its own question explains does not point at the one before."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.rewrite import rewrite

SHOPS = {
    "en": "How much did shop number {} sell in its best region?",
    "nl": "Hoeveel verkocht winkel nummer {} in zijn beste regio?",
    "de": "Wie viel verkaufte die Filiale Nummer {} in ihrer besten Region?",
    "fr": "Combien le magasin numéro {} a-t-il vendu dans sa meilleure région ?",
    "es": "¿Cuánto vendió la tienda número {} en su mejor región?",
}
NOVELS = {
    "en": "Who wrote the novel Moby Dick?",
    "nl": "Wie schreef de roman Moby Dick?",
    "de": "Wer schrieb den Roman Moby Dick?",
    "fr": "Qui a écrit le roman Moby Dick ?",
    "es": "¿Quién escribió la novela Moby Dick?",
}


def answered(*questions: str) -> list[Said]:
    """A history in which every question was answered with SQL."""
    sql = "SELECT MAX(sold) FROM sales WHERE shop = 1 GROUP BY region"
    return [
        said
        for question in questions
        for said in (
            Said(role=Role.USER, content=question),
            Said(role=Role.ASSISTANT, content="It sold 5.", sql_query=sql),
        )
    ]


@pytest.mark.parametrize("language", SHOPS)
def test_questions_that_explain_their_own_pronoun_do_not_nest(language: str) -> None:
    history = answered(*(SHOPS[language].format(number) for number in (1, 2, 3)))
    question = SHOPS[language].format(9)

    result = rewrite(question, history, language=language)

    assert result.standalone_question == question
    assert not result.is_follow_up


@pytest.mark.parametrize("language", NOVELS)
def test_a_question_about_something_else_is_left_alone_after_data(language: str) -> None:
    history = answered(*(SHOPS[language].format(number) for number in (1, 2, 3)))

    result = rewrite(NOVELS[language], history, language=language)

    assert result.standalone_question == NOVELS[language]
    assert not result.is_follow_up


@pytest.mark.parametrize(
    "question",
    [
        "Which shop sold most in its best region?",
        "Which shops have their own bakery?",
        "What did each manager earn in their first year?",
        "Does the customer get a refund if he returns his order?",
        "Why is the sky blue?",
        "How do I reset my password?",
        "Where is the Eiffel Tower?",
        "When did World War II end?",
    ],
)
def test_a_complete_question_is_not_limited_to_the_rows_of_the_last_one(question: str) -> None:
    history = answered("Show me total sales by region for 2024")

    assert rewrite(question, history, language="en").standalone_question == question


@pytest.mark.parametrize(
    "question",
    [
        "Hoeveel heeft winkel nummer 2 in zijn beste regio verkocht?",
        "Welke winkel verkocht het meest in zijn beste regio?",
        "Welke klant kocht het meest in zijn eerste maand?",
        "Welke winkel heeft zijn eigen bakker?",
        "Wanneer eindigde de Tweede Wereldoorlog?",
        "Waar staat de Eiffeltoren?",
    ],
)
def test_a_complete_dutch_question_is_not_limited_to_the_rows_of_the_last_one(
    question: str,
) -> None:
    history = answered("Toon de totale omzet per regio voor 2023")

    assert rewrite(question, history, language="nl").standalone_question == question


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("en", "What are its opening hours?", "What are the opening hours of shop number 1?"),
        (
            "en",
            "How much did its best region sell?",
            "How much did the best region of shop number 1 sell?",
        ),
        ("en", "What is our refund policy?", "What is our refund policy?"),
        ("nl", "Wat is zijn omzet?", "Wat is de omzet van winkel nummer 1?"),
    ],
)
def test_an_unbound_possessive_refers_to_the_subject_of_the_last_question(
    language: str, question: str, expected: str
) -> None:
    history = answered(SHOPS[language].format(1))

    assert rewrite(question, history, language=language).standalone_question == expected
