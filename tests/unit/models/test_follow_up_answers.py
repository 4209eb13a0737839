"""Edits that mistake an answer for something else."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.answers import (
    answers_another,
    answers_itself,
    is_acknowledgement,
    loses_expletive,
)


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


@pytest.mark.parametrize(
    "reply",
    [
        "Noted.",
        "Got it!",
        "Genoteerd",
        "Notiert.",
        "Noté.",
        "C'est noté !",
        "Anotado.",
        "Entendido.",
    ],
)
def test_an_acknowledgement_is_known_in_each_language(reply: str) -> None:
    assert is_acknowledgement(block(reply, Role.ASSISTANT))
    assert not is_acknowledgement(block(reply))


@pytest.mark.parametrize("reply", ["Noted: the ferry leaves at nine.", "Rotterdam", "Es un barco"])
def test_a_reply_that_tells_something_is_no_acknowledgement(reply: str) -> None:
    assert not is_acknowledgement(block(reply, Role.ASSISTANT))


@pytest.mark.parametrize(
    ("answer", "asked", "which", "language"),
    [
        ("yes, two dogs", "Do you have pets?", "Which", "en"),
        ("ja, twee honden", "Heb je huisdieren?", "Welk", "nl"),
        ("Ja, zwei Hunde", "Haben Sie Haustiere?", "Welches", "de"),
        ("oui, deux chiens", "Avez-vous des animaux ?", "Quel", "fr"),
        ("sí, dos perros", "¿Tiene mascotas?", "¿Qué", "es"),
    ],
)
def test_what_answers_yes_or_no_answers_the_assistant_alone(
    answer: str, asked: str, which: str, language: str
) -> None:
    blocks = [block(asked, Role.ASSISTANT), block("May I rent the flat?")]
    words, known = words_of(answer), words_for(language)

    def made(place: int) -> Edits:
        return Edits(insertions=(Insertion(gap=2, span=Span(place, 0, 2)),))

    assert answers_another(words, blocks, made(1), known)
    assert not answers_another(words, blocks, made(0), known)
    assert answers_another(words[-1:], blocks, made(1), known)
    open_question = [block(f"{which} animal?", Role.ASSISTANT), blocks[1]]
    assert not answers_another(words[-1:], open_question, made(1), known)
    choice = [block(f"Cats {known.or_word} dogs?", Role.ASSISTANT), blocks[1]]
    assert not answers_another(words[-1:], choice, made(1), known)
    assert not answers_another(words, [block("All right.", Role.ASSISTANT)] * 2, made(1), known)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How warm is it there?", "en"),
        ("Hoe warm is het daar?", "nl"),
        ("Wie warm ist es dort?", "de"),
    ],
)
def test_an_it_before_there_is_no_place(question: str, language: str) -> None:
    span = Insertion(gap=4, span=Span(0, 0, 0))
    replaced = Edits(deleted=frozenset({3}), insertions=(span,))
    assert loses_expletive(words_of(question), replaced, words_for(language))
    kept = Edits(deleted=frozenset({4}), insertions=(span,))
    assert not loses_expletive(words_of(question), kept, words_for(language))


def test_an_it_that_means_nothing_stays() -> None:
    known = words_for("en")
    span = Insertion(gap=4, span=Span(0, 0, 0))
    question = words_of("What time is it there?")
    assert loses_expletive(question, Edits(deleted=frozenset({3, 4}), insertions=(span,)), known)
    assert not loses_expletive(question, Edits(deleted=frozenset({4}), insertions=(span,)), known)
    event = words_of("What time is it on Friday?")
    assert not loses_expletive(event, Edits(deleted=frozenset({3}), insertions=(span,)), known)


def test_what_users_told_in_french_is_not_put_behind_their_question_for_it() -> None:
    made = Edits(insertions=(Insertion(gap=3, span=Span(0, 2, 3)),))
    words, blocks = words_of("Où j'habite ?"), [block("J'habite à Gand")]
    assert answers_itself(words, blocks, made, words_for("fr"))
