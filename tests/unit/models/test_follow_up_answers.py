"""Edits that mistake an answer for something else."""

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.checks.answers import (
    answers_another,
    answers_itself,
    loses_expletive,
    takes_acknowledgement,
)
from support.edited_questions import edited_question
from support.tables import for_each


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def is_taken(said: Block) -> bool:
    edits = Edits(insertions=(Insertion(gap=1, span=Span(0, 0, 0)),))
    return takes_acknowledgement(edited_question("Why?", [said], edits, words_for("en")))


@for_each(
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
    assert is_taken(block(reply, Role.ASSISTANT))
    assert not is_taken(block(reply))


@for_each("reply", ["Noted: the ferry leaves at nine.", "Rotterdam", "Es un barco"])
def test_a_reply_that_tells_something_is_no_acknowledgement(reply: str) -> None:
    assert not is_taken(block(reply, Role.ASSISTANT))


@for_each(
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
    known, noun = words_for(language), answer.rsplit(maxsplit=1)[-1]

    def is_misplaced(said: str, history: list[Block], *, place: int = 1) -> bool:
        edits = Edits(insertions=(Insertion(gap=2, span=Span(place, 0, 2)),))
        return answers_another(edited_question(said, history, edits, known))

    assert is_misplaced(answer, blocks)
    assert not is_misplaced(answer, blocks, place=0)
    assert is_misplaced(noun, blocks)
    assert not is_misplaced(noun, [block(f"{which} animal?", Role.ASSISTANT), blocks[1]])
    choice = [block(f"Cats {known.or_word} dogs?", Role.ASSISTANT), blocks[1]]
    assert not is_misplaced(noun, choice)
    assert not is_misplaced(answer, [block("All right.", Role.ASSISTANT)] * 2)


def is_lost(question: str, deleted: set[int], language: str = "en") -> bool:
    span = Insertion(gap=4, span=Span(0, 0, 0))
    edits = Edits(deleted=frozenset(deleted), insertions=(span,))
    history = [block("Tokyo")]
    return loses_expletive(edited_question(question, history, edits, words_for(language)))


@for_each(
    ("question", "language"),
    [
        ("How warm is it there?", "en"),
        ("Hoe warm is het daar?", "nl"),
        ("Wie warm ist es dort?", "de"),
    ],
)
def test_an_it_before_there_is_no_place(question: str, language: str) -> None:
    assert is_lost(question, {3}, language)
    assert not is_lost(question, {4}, language)


def test_an_it_that_means_nothing_stays() -> None:
    assert is_lost("What time is it there?", {3, 4})
    assert not is_lost("What time is it there?", {4})
    assert not is_lost("What time is it on Friday?", {3})


def test_what_users_told_in_french_is_not_put_behind_their_question_for_it() -> None:
    made = Edits(insertions=(Insertion(gap=3, span=Span(0, 2, 3)),))
    said = [block("J'habite à Gand")]
    assert answers_itself(edited_question("Où j'habite ?", said, made, words_for("fr")))
