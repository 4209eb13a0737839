"""Rewrites that are cut short, or into which a number has come that nobody asked for."""

from recollect.domain.followup.candidates import best_rewrite
from recollect.domain.followup.dialogue import Method, Proposal
from recollect.domain.followup.faults import leaves_comparison_open
from recollect.domain.followup.languages import words_for
from support.followups import conversation
from support.tables import for_each


@for_each(
    ("language", "rewrite"),
    [
        ("en", "Is Tom older than?"),
        ("nl", "Is Tom ouder dan?"),
        ("de", "Ist Tom älter als?"),
        ("fr", "Tom est-il plus âgé que ?"),
        ("es", "¿Es Tom mayor que?"),
    ],
)
def test_a_comparison_with_nothing_is_never_sent(language: str, rewrite: str) -> None:
    assert leaves_comparison_open(rewrite, words_for(language))
    assert standalone(rewrite, "Is he?", "How old is Tom?", language=language) == "Is he?"


@for_each(
    ("language", "rewrite"),
    [
        ("en", "Is Tom older than Ann?"),
        ("nl", "Wat doet Tom dan?"),
        ("nl", "Is Tom ouder dan Ann?"),
        ("de", "Ist Tom älter als Ann?"),
        ("fr", "Pourquoi est-ce que Tom part ?"),
        ("es", "¿Tom se fue por qué?"),
        ("en", ""),
    ],
)
def test_other_ends_are_none(language: str, rewrite: str) -> None:
    assert not leaves_comparison_open(rewrite, words_for(language))


def standalone(rewrite: str, question: str, *asked: str, language: str) -> str:
    history = conversation(*(f"user: {one}" for one in asked))
    proposal = Proposal(standalone_question=rewrite, need=0.95, confidence=0.9)
    chosen = best_rewrite(
        question, history, {Method.MODEL: proposal}, least_confidence=0.6, language=language
    )
    return chosen.standalone_question


@for_each(
    ("language", "asked", "question", "rewrite"),
    [
        ("de", "Wie heißt meine Katze?", "Und 2023?", "Wie heißt 2023?"),
        ("de", "Wie heißt meine Katze?", "Und 2023?", "Wie heißt meine Katze 2023?"),
        ("en", "What is my cat called?", "What about 2023?", "What is my cat called 2023?"),
        ("en", "Where does Tom live?", "And 2023?", "Where does Tom 2023?"),
        ("en", "What was the revenue of Philips?", "In 2023?", "What was the revenue in 2023?"),
        ("nl", "Waar woont Tom?", "En 2023?", "Waar woont 2023?"),
        ("nl", "Hoe heet mijn kat?", "En 2023?", "Hoe heet mijn kat 2023?"),
        ("fr", "Comment s'appelle mon chat ?", "Et 2023 ?", "Comment s'appelle mon chat 2023 ?"),
        ("es", "¿Cómo se llama mi gato?", "¿Y 2023?", "¿Cómo se llama mi gato 2023?"),
    ],
)
def test_a_number_spoils_no_question_that_has_none(
    language: str, asked: str, question: str, rewrite: str
) -> None:
    for history in ([asked], [asked, "2+2"]):
        assert standalone(rewrite, question, *history, language=language) == question


@for_each(
    ("language", "asked", "question", "rewrite"),
    [
        ("en", "Who won the cup in 2022?", "And 2018?", "Who won the cup in 2018?"),
        ("en", "What was the revenue?", "And 2023?", "What was the revenue in 2023?"),
        ("en", "How much did I spend?", "And 2023?", "How much did I spend in 2023?"),
        ("en", "What did I earn in 2022?", "And 2023?", "What did I earn in 2023?"),
        ("de", "Wie hoch war der Umsatz?", "Und 2023?", "Wie hoch war der Umsatz 2023?"),
        ("en", "Where does Tom live?", "And Ann?", "Where does Ann live?"),
        ("en", "How many beds has room 12?", "And 14?", "How many beds has room 14?"),
    ],
)
def test_a_number_completes_what_it_may_be_asked_of(
    language: str, asked: str, question: str, rewrite: str
) -> None:
    assert standalone(rewrite, question, asked, language=language) == rewrite
