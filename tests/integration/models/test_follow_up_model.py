"""The follow-up model with its real weights."""

from collections.abc import Sequence

import pytest

from recollect.domain.followup.candidates import best_rewrite
from recollect.domain.followup.dialogue import HistoryMessage, Method
from recollect.domain.policy import DEFAULT_REWRITE_CONFIDENCE
from recollect.models.followup.span_editor import SpanEditor
from support.followups import conversation

SALES = conversation(
    "user: Show me total sales by region for 2024", "assistant: North 2.4M, South 1.9M"
)
SAFETY = conversation(
    "user: Wat zijn de vereisten voor valbeveiliging?", "assistant: Er gelden drie vereisten."
)
CURIE = conversation("user: Who was Marie Curie?", "assistant: A physicist and chemist.")


@pytest.fixture(scope="module")
def model() -> SpanEditor:
    loaded = SpanEditor()
    loaded.load()
    return loaded


@pytest.mark.parametrize(
    ("history", "question", "language", "expected"),
    [
        (SALES, "What about 2023?", "en", "Show me total sales by region for 2023"),
        (CURIE, "When did she die?", "en", "When did Marie Curie die?"),
    ],
)
def test_it_is_sure_of_plain_follow_ups(
    model: SpanEditor,
    history: Sequence[HistoryMessage],
    question: str,
    language: str,
    expected: str,
) -> None:
    proposal = model.propose(question, history, language=language)

    assert proposal.standalone_question == expected
    assert proposal.need > 0.5
    assert proposal.confidence >= DEFAULT_REWRITE_CONFIDENCE
    assert proposal.explanations
    assert proposal.topic in history[0].content


def test_no_article_is_left_between_a_number_and_what_it_counts(model: SpanEditor) -> None:
    shops = conversation("user: List our three busiest repair shops", "assistant: A, B and C.")
    proposal = model.propose("and the least busy?", shops, language="en")

    assert "three the" not in proposal.standalone_question
    assert "least busy" in proposal.standalone_question


def test_a_question_about_something_else_is_left_as_it_is(model: SpanEditor) -> None:
    question = "Wat is het weer vandaag?"
    proposal = model.propose(question, SAFETY, language="nl")

    rewrite = best_rewrite(
        question,
        SAFETY,
        {Method.MODEL: proposal},
        least_confidence=DEFAULT_REWRITE_CONFIDENCE,
        language="nl",
    )

    assert (rewrite.standalone_question, rewrite.method) == (question, Method.NONE)


def test_what_was_asked_is_never_lost(model: SpanEditor) -> None:
    proposal = model.propose("Exclude North", SALES, language="en")

    assert proposal.standalone_question == "Exclude North"
    assert proposal.need > 0.5
    assert proposal.topic


@pytest.mark.parametrize(
    "question",
    [
        "and for Globex?",
        "Compare with 2019",
        "What about my dentist appointment?",
        "and for Tyrell?",
        "What about our holiday?",
    ],
)
def test_a_question_to_data_keeps_its_figures_and_its_subject(
    model: SpanEditor, question: str
) -> None:
    assert model.propose(question, SALES, language="en").standalone_question == question


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("What about 2023?", []),
        ("What about 2023?", conversation("user:  ")),
        ("word " * 41, SALES),
        ("   ", SALES),
    ],
)
def test_what_it_cannot_read_stays_as_it_is_for_certain(
    model: SpanEditor, question: str, history: Sequence[HistoryMessage]
) -> None:
    proposal = model.propose(question, history, language="en")

    assert proposal.standalone_question == question
    assert (proposal.need, proposal.confidence) == (0.0, 1.0)


@pytest.mark.parametrize("text", ["\u0000", "\u200b", "؟", "👩‍👩‍👧", "x" * 100_000, "- " * 5_000])
def test_no_text_is_too_strange_for_it(model: SpanEditor, text: str) -> None:
    history = conversation(f"user: {text}", f"assistant: {text}")

    assert 0 <= model.propose("What about it?", history, language="en").confidence <= 1
    assert 0 <= model.propose(text, SALES, language="en").confidence <= 1


@pytest.mark.parametrize(
    ("history", "question", "language"),
    [
        (("user: Vivo en Gante", "assistant: Genoteerd"), "¿Dónde vivo?", "es"),
        (
            ("user: Can I take aspirin after surgery?", "assistant: Do you take other medicine?"),
            "yes, blood thinners",
            "en",
        ),
        (
            ("user: Kan ik ibuprofen nemen?", "assistant: Gebruikt u andere medicijnen?"),
            "ja, bloedverdunners",
            "nl",
        ),
        (("user: I live in Tokyo now",), "What time is it there?", "en"),
        (("user: J'habite à Gand", "assistant: C'est noté !"), "Où j'habite ?", "fr"),
    ],
)
def test_what_was_agreed_or_acknowledged_does_not_come_into_a_question(
    model: SpanEditor, history: Sequence[str], question: str, language: str
) -> None:
    proposal = model.propose(question, conversation(*history), language=language)
    assert proposal.standalone_question == question
