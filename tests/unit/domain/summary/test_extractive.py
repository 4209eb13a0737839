import time

import pytest

from recollect.domain.summary.candidates import Utterance
from recollect.domain.summary.extractive import cut_to_fit, summarise_extractively
from support.tables import for_each

ENGLISH = (
    ("user", "Hi! Show me total sales by region for 2024"),
    (
        "assistant",
        """Total sales for 2024 from sales.orders: North €1,204,300, South €980,120.
        Let me know if you want a chart!""",
    ),
    ("user", "What about 2023?"),
    ("assistant", "Sure! In 2023 total sales were €3,201,455. North led again."),
    ("user", "Thanks! I would like to see only customers with more than 5 orders."),
    ("assistant", "Two customers have more than 5 orders: Acme Corp (12) and Globex (7)."),
    ("user", "ok thanks"),
    ("assistant", "You're welcome! Is there anything else I can help you with?"),
)
DUTCH = (
    ("user", "Goedemorgen! Hoeveel omzet hadden we in 2024 per regio?"),
    ("assistant", "De omzet in 2024 uit verkoop.orders: Noord € 1.204.300 en Zuid € 980.120."),
    ("user", "Ik wil graag alleen de producten met een marge boven 20%."),
    ("assistant", "Drie producten: e-bikes (31%), helmen (27%) en sloten (22%)."),
    ("user", "Dank je wel!"),
    ("assistant", "Graag gedaan!"),
)


def utterances(*pairs: tuple[str, str]) -> list[Utterance]:
    return [Utterance(speaker=speaker, text=text) for speaker, text in pairs]


def test_questions_figures_and_tables_are_kept_in_the_summary() -> None:
    assert summarise_extractively(utterances(*ENGLISH), limit=1000).splitlines() == [
        "User: Show me total sales by region for 2024",
        "Assistant: Total sales for 2024 from sales.orders: North €1,204,300, South €980,120.",
        "User: What about 2023?",
        "Assistant: In 2023 total sales were €3,201,455.",
        "The user would like to see only customers with more than 5 orders.",
        "Assistant: Two customers have more than 5 orders: Acme Corp (12) and Globex (7).",
    ]


def test_a_dutch_conversation_is_summarised_in_its_own_words() -> None:
    assert summarise_extractively(utterances(*DUTCH), limit=1000).splitlines() == [
        "Gebruiker: Hoeveel omzet hadden we in 2024 per regio?",
        "Assistent: De omzet in 2024 uit verkoop.orders: Noord € 1.204.300 en Zuid € 980.120.",
        "Gebruiker: Ik wil graag alleen de producten met een marge boven 20%.",
        "Assistent: Drie producten: e-bikes (31%), helmen (27%) en sloten (22%).",
    ]


def test_people_are_called_by_their_names() -> None:
    summary = summarise_extractively(
        utterances(
            ("Ann", "Hello, how are you doing?"),
            ("Bob", "I've been having trouble breathing lately."),
            ("Ann", "I am going to send you to a specialist."),
        ),
        limit=1000,
        share=0.9,
    )
    assert summary == (
        "Bob has been having trouble breathing lately.\nAnn is going to send Bob to a specialist."
    )


def test_system_messages_are_no_part_of_the_summary() -> None:
    summary = summarise_extractively(
        utterances(("system", "You are a pirate with 7 parrots."), *ENGLISH), limit=1000
    )
    assert "pirate" not in summary
    assert summary == summarise_extractively(utterances(*ENGLISH), limit=1000)


@for_each("limit", [0, 1, 5, 40, 100, 300])
def test_the_limit_of_a_summary_holds_for_any_length_function(limit: int) -> None:
    for count in (len, lambda text: len(text.split()), lambda text: len(text.encode())):
        assert (
            count(summarise_extractively(utterances(*ENGLISH), limit=limit, count=count)) <= limit
        )


def test_small_limits_keep_the_question_before_the_chatter() -> None:
    summary = summarise_extractively(utterances(*ENGLISH), limit=60)
    assert summary == "User: Show me total sales by region for 2024"


def test_an_earlier_summary_stands_first_and_nothing_is_said_twice() -> None:
    earlier = summarise_extractively(utterances(*ENGLISH[:4]), limit=1000)
    both = summarise_extractively(utterances(*ENGLISH[2:]), limit=1000, earlier=earlier)
    assert both.startswith(earlier)
    assert both.count("What about 2023?") == 1
    assert "Acme Corp (12)" in both


def test_summaries_do_not_pile_up_and_the_new_gets_its_room() -> None:
    summary = ""
    for number in range(50):
        told = utterances(
            ("user", f"How many bicycles did shop number {number} sell?"), *ENGLISH[1:2]
        )
        summary = summarise_extractively(told, limit=400, earlier=summary)
        assert len(summary) <= 400
        assert f"shop number {number} " in summary


def test_one_long_line_of_before_does_not_shut_out_the_new() -> None:
    earlier = "It was said that " + "very " * 70 + "much happened"
    summary = summarise_extractively(
        utterances(("user", "How many bicycles did shop 7 sell?")), limit=200, earlier=earlier
    )
    assert len(summary) <= 200
    before, new = summary.splitlines()
    assert before.startswith("It was said that very")
    assert before.endswith("very…")
    assert new == "User: How many bicycles did shop 7 sell?"


def test_an_earlier_summary_alone_is_kept() -> None:
    assert summarise_extractively([], limit=100, earlier="The total is 5.") == "The total is 5."


@for_each("text", ["", "   ", "!!!", "Thanks!", "ok thanks"])
def test_an_empty_conversation_has_no_summary(text: str) -> None:
    assert summarise_extractively(utterances(("user", text)), limit=100) == ""


def test_a_repeated_message_is_summarised_once() -> None:
    summary = summarise_extractively(utterances(*[("user", "Where is order 7?")] * 100), limit=1000)
    assert summary == "User: Where is order 7?"


def test_a_thousand_messages_cost_about_five_times_two_hundred() -> None:
    def seconds(size: int) -> float:
        told = utterances(*(("user", f"Question {n}: {ENGLISH[1][1]}" * 3) for n in range(size)))
        started = time.process_time()
        summarise_extractively(told, limit=4000)
        return time.process_time() - started

    assert seconds(1_000) < 15 * seconds(200)


@for_each(
    "text", ["." * 10_000, "'a " * 3000, "well, " * 2000, "1. " * 3000, "```" * 3000, ", " * 5000]
)
def test_hostile_texts_are_summarised_quickly(text: str) -> None:
    started = time.process_time()
    summarise_extractively(utterances(("user", text), ("assistant", text)), limit=500, earlier=text)
    assert time.process_time() - started < 2


def test_one_endless_word_is_cut() -> None:
    summary = summarise_extractively(utterances(("user", "a" * 1_000_000)), limit=50)
    assert summary.startswith("User: aaaa")
    assert 40 < len(summary) <= 50


def test_a_cut_keeps_whole_words() -> None:
    assert cut_to_fit("one two three", limit=9, count=len) == "one two…"
    assert cut_to_fit("one two three", limit=13, count=len) == "one two three"
    assert cut_to_fit("one", limit=1, count=len) == ""


def test_a_question_that_was_put_off_stays_open() -> None:
    summary = summarise_extractively(
        utterances(
            ("user", "Do I need a permit for the fan?"),
            ("assistant", "Let's come back to that later."),
            *ENGLISH,
        ),
        limit=1000,
    )
    assert "Open question: Do I need a permit for the fan?" in summary.splitlines()


def test_an_open_question_stays_open_in_the_next_summary() -> None:
    earlier = "Open question: Do I need a permit for the fan?"
    assert earlier in summarise_extractively(utterances(*ENGLISH), limit=1000, earlier=earlier)


def test_a_question_asked_again_and_answered_is_no_longer_open() -> None:
    summary = summarise_extractively(
        utterances(
            ("user", "Do I need a permit for the fan?"),
            ("assistant", "Yes, the town hall gives one for 40 euros."),
        ),
        limit=1000,
        earlier="Open question: Do I need a permit for the fan?",
    )
    assert "Open question: Do I need a permit" not in summary


def test_what_users_state_comes_before_advice_where_room_is_small() -> None:
    advice = "A good garden needs sun, water, patience, compost and a plan on paper."
    summary = summarise_extractively(
        utterances(
            ("user", "What does a garden need?"),
            ("assistant", advice),
            ("user", "My daughter Noor is allergic to wasps."),
            ("assistant", "Then plant no fruit trees near the house, and keep bins closed."),
        ),
        limit=60,
    )
    assert summary == "The user's daughter Noor is allergic to wasps."


def test_a_statement_and_its_opposite_both_stay() -> None:
    summary = summarise_extractively(
        utterances(
            ("user", "We are going to sell the old Volvo."),
            ("assistant", "All right."),
            ("user", "We are not going to sell the old Volvo."),
        ),
        limit=1000,
    )
    assert len(summary.splitlines()) == 2


@pytest.mark.parametrize("ending", ["today", "tomorrow morning"])
def test_lines_that_say_nearly_the_same_stay_once(ending: str) -> None:
    reply = "The shop opens its doors for every customer of the town at nine sharp"
    summary = summarise_extractively(
        utterances(
            ("user", "When does the shop open?"),
            ("assistant", f"{reply}."),
            ("user", "When do the doors open for us?"),
            ("assistant", f"{reply} {ending}."),
        ),
        limit=1000,
        share=1.0,
    )
    assert summary.count("opens its doors") == 1
