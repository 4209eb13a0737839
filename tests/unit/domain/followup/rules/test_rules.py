"""Fragments that change one part of the last question."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.languages import installed, words_for
from recollect.domain.followup.rules.candidate import rule_candidate, with_complete_questions
from recollect.domain.followup.rules.refinements import Part, read_refinement
from support.followups import conversation
from support.tables import for_each

SALES = "Show me total sales by region for 2024"
RENT = "What is the average rent in Porto for a flat?"


def changed(
    question: str,
    *,
    after: str | tuple[str, ...],
    language: str = "en",
    answer: str = "Here is the result.",
    sql: str | None = None,
) -> str | None:
    """What the rules make of a question after some others, each with an answer."""
    questions = (after,) if isinstance(after, str) else after
    history = [
        message
        for text in questions
        for message in (
            HistoryMessage(role=Role.USER, content=text),
            HistoryMessage(role=Role.ASSISTANT, content=answer, sql_query=sql),
        )
    ]
    proposal = rule_candidate(question, history, language)
    return proposal.standalone_question if proposal else None


@for_each(
    ("question", "expected"),
    [
        ("What about 2023?", "Show me total sales by region for 2023"),
        ("and in 2023?", "Show me total sales by region in 2023"),
        ("2023", "Show me total sales by region for 2023"),
        ("No, I mean 2023", "Show me total sales by region for 2023"),
        ("by month", "Show me total sales by month for 2024"),
        ("Break that down by month", "Show me total sales by month for 2024"),
        ("by month instead of by region", "Show me total sales by month for 2024"),
        ("only the North please", "Show me total sales by region for 2024, only the North"),
        ("Exclude North", "Show me total sales by region for 2024, without North"),
        ("Filter out North", "Show me total sales by region for 2024, without North"),
        ("not counting returns", "Show me total sales by region for 2024, not counting returns"),
        ("Only rows marked 't'.", "Show me total sales by region for 2024, only rows marked 't'"),
        ("sort by revenue", "Show me total sales by region for 2024, sorted by revenue"),
    ],
)
def test_a_fragment_changes_one_part_of_a_data_question(question: str, expected: str) -> None:
    assert changed(question, after=SALES) == expected


@pytest.mark.parametrize(
    ("after", "question", "language", "expected"),
    [
        ("¿Cuántos barcos hubo en abril?", "de mayo", "es", "¿Cuántos barcos hubo en mayo?"),
        ("Hoeveel boten waren er in april?", "van mei?", "nl", "Hoeveel boten waren er in mei?"),
    ],
)
def test_of_takes_no_other_prepositions_place(
    after: str, question: str, language: str, expected: str
) -> None:
    assert changed(question, after=after, language=language) == expected


@for_each(
    ("before", "question", "expected"),
    [
        (RENT, "And in Lisbon?", "What is the average rent in Lisbon for a flat?"),
        (RENT, "and in lisbon", "What is the average rent in lisbon for a flat?"),
        (RENT, "What about Lisbon?", "What is the average rent in Lisbon for a flat?"),
        (
            "Does the Duo 5 have a viewfinder?",
            "and the Solo 3?",
            "Does the Solo 3 have a viewfinder?",
        ),
        (
            "Who won the cup in May 2021?",
            "and in June 2020?",
            "Who won the cup in June 2020?",
        ),
        ("What did Q3 bring us?", "Q2?", "What did Q2 bring us?"),
        (
            "Ok, thanks. How is the weather in Porto?",
            "and in Braga",
            "How is the weather in Braga?",
        ),
        ("Is the shop open on Monday?", "and on Sunday?", "Is the shop open on Sunday?"),
    ],
)
def test_a_value_takes_the_place_of_the_only_one_of_its_kind(
    before: str, question: str, expected: str
) -> None:
    assert changed(question, after=before) == expected


def test_a_number_of_rows_takes_the_place_of_another() -> None:
    shops = "List our three busiest repair shops this spring."

    assert changed("make it the top ten", after=shops) == (
        "List our ten busiest repair shops this spring."
    )


def test_a_chain_of_changes_adds_up() -> None:
    questions = (SALES, "What about 2023?", "by month")

    assert changed("and 2022?", after=questions) == "Show me total sales by month for 2022"


def test_values_of_the_sql_are_known_in_small_letters() -> None:
    sql = "SELECT sum(amount) FROM sales WHERE region = 'North'"

    assert changed("what about south?", after="show sales in north", sql=sql) == (
        "show sales in south"
    )
    assert changed("what about south?", after="show sales in north") is None


def test_a_period_is_added_to_a_data_question_that_has_none() -> None:
    assert changed("and in 2023?", after="How many orders did we ship?") == (
        "How many orders did we ship in 2023?"
    )
    assert changed("and in 2023?", after="Does ibuprofen need a prescription?") is None


@for_each(
    ("language", "before", "question", "expected"),
    [
        (
            "nl",
            "Hoeveel bezoekers had zwembad De Golf in juli?",
            "graag per week",
            "Hoeveel bezoekers had zwembad De Golf in juli per week?",
        ),
        (
            "nl",
            "Toon de omzet per regio voor 2023",
            "En in 2022?",
            "Toon de omzet per regio in 2022",
        ),
        ("de", "Zeige den Umsatz pro Region für 2023", "Und 2022?",
         "Zeige den Umsatz pro Region für 2022"),
        ("de", "Wie viele Gäste kamen im Mai?", "nur Kinder",
         "Wie viele Gäste kamen im Mai, nur Kinder?"),
        (
            "fr",
            "Combien de nuits avons-nous vendues à Nice en août ?",
            "et à Cannes ?",
            "Combien de nuits avons-nous vendues à Cannes en août ?",
        ),
        (
            "es",
            "¿Cuántos coches alquilamos en Mallorca en septiembre?",
            "sin contar las furgonetas",
            "¿Cuántos coches alquilamos en Mallorca en septiembre, sin contar las furgonetas?",
        ),
        (
            "es",
            "¿Cuántos coches alquilamos en Mallorca en septiembre?",
            "¿y en Ibiza?",
            "¿Cuántos coches alquilamos en Ibiza en septiembre?",
        ),
    ],
)  # fmt: skip
def test_the_words_of_each_language_are_known(
    language: str, before: str, question: str, expected: str
) -> None:
    assert changed(question, after=before, language=language) == expected


@for_each(
    ("before", "question"),
    [
        (SALES, "Who sold the most e-bikes in 2022?"),
        (SALES, "And how many are open?"),
        (SALES, "what about it?"),
        (SALES, "in French"),
        (SALES, "Thanks"),
        ("How do I bake bread?", "without salt"),
        ("Which train goes from Utrecht to Leiden?", "and Delft?"),
        ("Compare 2022 with 2023 for us", "and 2021?"),
        ("How does it differ from Porto?", "and from Lisbon?"),
        ("What does the Tesla Model 3 weigh?", "and 4?"),
        ("What is 15% of 84 euros?", "and 20?"),
        ("Where can I renew my passport in Brookfield?", "and an ID card?"),
        ("Average rent per square metre in our flats?", "broken down by district"),
        ("And the sales in 2024 by region", "2023?"),
    ],
)
def test_what_has_no_certain_place_is_left_to_the_model(before: str, question: str) -> None:
    assert changed(question, after=before) is None


def test_a_bare_value_after_a_question_of_the_assistants_is_an_answer() -> None:
    history = conversation(
        "user: Is my licence of 1998 still valid?", "assistant: When were you born?"
    )

    assert rule_candidate("1971", history, "en") is None


def test_without_a_history_there_is_nothing_to_change() -> None:
    assert rule_candidate("What about 2023?", [], "en") is None


def test_fragments_of_a_history_are_read_as_the_questions_they_stand_for() -> None:
    history = conversation(
        f"user: {SALES}",
        "assistant: 2.4M",
        "user: What about 2023?",
        "assistant: 2.1M",
        "user: by month",
        "assistant: Here it is.",
    )

    completed = with_complete_questions(history, "en")

    assert [message.content for message in completed] == [
        SALES,
        "2.4M",
        "Show me total sales by region for 2023",
        "2.1M",
        "Show me total sales by month for 2023",
        "Here it is.",
    ]


def test_a_proposal_says_what_was_done() -> None:
    history = conversation(f"user: {SALES}", "assistant: 2.4M")

    value = rule_candidate("What about 2023?", history, "en")
    restriction = rule_candidate("only the north", history, "en")

    assert value is not None
    assert value.explanations == ('"2023" takes the place of "2024"',)
    assert restriction is not None
    assert restriction.explanations == ('the last question, with "only the north"',)


@for_each("code", installed())
def test_every_language_has_words_for_every_part(code: str) -> None:
    known = words_for(code)
    examples = {
        Part.VALUE: f"{known.openers[-1][0]} 2023",
        Part.ONLY: f"{' '.join(known.only[-1])} Utrecht",
        Part.WITHOUT: f"{' '.join(known.without[-1])} Utrecht",
        Part.GROUP: f"{' '.join(known.group[-1])} Xyz",
        Part.ORDER: f"{known.sorted_by} xyz",
        Part.LIMIT: f"{' '.join(known.limit[-1])} 10",
    }

    for part, question in examples.items():
        refinement = read_refinement(question, known)
        assert refinement is not None, question
        assert refinement.part is part, question


@for_each("code", installed())
def test_words_are_in_small_letters(code: str) -> None:
    known = words_for(code)

    assert all(word == word.lower() for word in known.small_words | known.small_talk)
    assert all(word == word.lower() for phrase in known.openers for word in phrase)
