"""Referents that are not meant."""

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.checks.referents import (
    takes_maker,
    takes_one_of_two,
    with_maker,
    without_denied,
)
from recollect.models.followup.edited_question import EditedQuestion
from support.edited_questions import edited_question
from support.tables import for_each

EN = words_for("en")


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def made(gap: int, span: Span, *deleted: int) -> Edits:
    return Edits(deleted=frozenset(deleted), insertions=(Insertion(gap=gap, span=span),))


@for_each(
    ("language", "question", "said"),
    [
        ("en", "How long are they?", "Compare the Elbe and the Oder"),
        ("nl", "Hoe lang zijn hen?", "Vergelijk de Elbe en de Oder"),
        ("fr", "Où sont elles ?", "Compare la Elbe et la Oder"),
    ],
)
def test_one_of_two_is_not_both(language: str, question: str, said: str) -> None:
    known, place = words_for(language), len(words_of(question)) - 2

    def is_taken(span: Span, history: str = said) -> bool:
        edits = made(place, span, place)
        return takes_one_of_two(edited_question(question, [block(history)], edits, known))

    assert is_taken(Span(0, 1, 2))
    assert is_taken(Span(0, 4, 5))
    assert not is_taken(Span(0, 1, 5))
    assert not is_taken(Span(0, 0, 1), "The Elbe is long")


def test_two_names_elsewhere_in_the_conversation_count() -> None:
    blocks = [block("The Elbe is long.", Role.ASSISTANT), block("What of the Elbe and Oder?")]
    edits = made(3, Span(0, 0, 1), 3)
    assert takes_one_of_two(edited_question("How long are they?", blocks, edits, EN))
    assert not takes_one_of_two(edited_question("How long is it?", blocks, edits, EN))


def about_novel(question: str, span: Span) -> EditedQuestion:
    """A question whose third word is replaced by words of "The novel Tide by Ann Moor"."""
    blocks = [block("The novel Tide by Ann Moor", Role.ASSISTANT)]
    return edited_question(question, blocks, made(2, span, 2), EN)


def test_who_made_a_thing_is_not_the_thing() -> None:
    author, title = Span(0, 4, 5), Span(0, 2, 2)
    price = about_novel("What is its price?", author)
    assert takes_maker(price)
    assert not takes_maker(about_novel("What is its price?", title))
    assert not takes_maker(about_novel("Who is her brother?", author))
    assert with_maker(price) == price.edits


def test_the_author_of_a_thing_is_who_made_it() -> None:
    edited = about_novel("Where did its author live?", Span(0, 4, 5))
    assert not takes_maker(edited)
    assert with_maker(edited) == made(4, Span(0, 4, 5), 2, 3)


@for_each(
    ("language", "asked", "reply"),
    [
        ("en", "Can I keep figs in the fridge?", "No, put them on a plate."),
        ("nl", "Kan ik daar vijgen in de koelkast bewaren?", "Nee, leg ze op een bord."),
        ("de", "Kann ich dort Feigen im Kühlschrank lagern?", "Nein, auf einem Teller."),
    ],
)
def test_what_was_denied_does_not_come_in(language: str, asked: str, reply: str) -> None:
    noun = 3
    whole = made(3, Span(1, noun, noun + 2), 3)

    def meant(said: str) -> Edits:
        blocks = [block(said, Role.ASSISTANT), block(asked)]
        question = "How long do they last then?"
        return without_denied(edited_question(question, blocks, whole, words_for(language)))

    assert meant(reply) == made(3, Span(1, noun, noun), 3)
    assert meant("Yes, of course.") == whole


def test_a_fragment_after_a_denial_still_changes_the_question() -> None:
    blocks = [block("No.", Role.ASSISTANT), block("Can I keep figs in the fridge?")]
    beginning = made(1, Span(1, 0, 5), 0)
    assert without_denied(edited_question("and cellar?", blocks, beginning, EN)) == beginning
