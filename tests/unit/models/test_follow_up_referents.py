"""Referents that are not meant."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.referents import (
    takes_maker,
    takes_one_of_two,
    with_maker,
    without_denied,
)

EN = words_for("en")


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def made(gap: int, span: Span, *deleted: int) -> Edits:
    return Edits(deleted=frozenset(deleted), insertions=(Insertion(gap=gap, span=span),))


@pytest.mark.parametrize(
    ("language", "question", "said"),
    [
        ("en", "How long are they?", "Compare the Elbe and the Oder"),
        ("nl", "Hoe lang zijn hen?", "Vergelijk de Elbe en de Oder"),
        ("fr", "Où sont elles ?", "Compare la Elbe et la Oder"),
    ],
)
def test_one_of_two_is_not_both(language: str, question: str, said: str) -> None:
    words, known = words_of(question), words_for(language)
    place = len(words) - 2
    for name in (Span(0, 1, 2), Span(0, 4, 5)):
        assert takes_one_of_two(words, [block(said)], made(place, name, place), known)
    assert not takes_one_of_two(words, [block(said)], made(place, Span(0, 1, 5), place), known)
    assert not takes_one_of_two(
        words, [block("The Elbe is long")], made(place, Span(0, 0, 1), place), known
    )


def test_two_names_elsewhere_in_the_conversation_count() -> None:
    blocks = [block("The Elbe is long.", Role.ASSISTANT), block("What of the Elbe and Oder?")]
    words = words_of("How long are they?")
    assert takes_one_of_two(words, blocks, made(3, Span(0, 0, 1), 3), EN)
    assert not takes_one_of_two(words_of("How long is it?"), blocks, made(3, Span(0, 0, 1), 3), EN)


def test_who_made_a_thing_is_not_the_thing() -> None:
    blocks = [block("The novel Tide by Ann Moor", Role.ASSISTANT)]
    edits = made(2, Span(0, 4, 5), 2)
    assert takes_maker(words_of("What is its price?"), blocks, edits, EN)
    assert not takes_maker(words_of("What is its price?"), blocks, made(2, Span(0, 2, 2), 2), EN)
    assert not takes_maker(words_of("Who is her brother?"), blocks, edits, EN)
    assert with_maker(words_of("What is its price?"), blocks, edits, EN) == edits


def test_the_author_of_a_thing_is_who_made_it() -> None:
    blocks = [block("The novel Tide by Ann Moor", Role.ASSISTANT)]
    words = words_of("Where did its author live?")
    edits = made(2, Span(0, 4, 5), 2)
    assert not takes_maker(words, blocks, edits, EN)
    assert with_maker(words, blocks, edits, EN) == made(4, Span(0, 4, 5), 2, 3)


@pytest.mark.parametrize(
    ("language", "asked", "reply"),
    [
        ("en", "Can I keep figs in the fridge?", "No, put them on a plate."),
        ("nl", "Kan ik daar vijgen in de koelkast bewaren?", "Nee, leg ze op een bord."),
        ("de", "Kann ich dort Feigen im Kühlschrank lagern?", "Nein, auf einem Teller."),
    ],
)
def test_what_was_denied_does_not_come_in(language: str, asked: str, reply: str) -> None:
    blocks = [block(reply, Role.ASSISTANT), block(asked)]
    words = words_of("How long do they last then?")
    noun, known = 3, words_for(language)
    kept = without_denied(words, blocks, made(3, Span(1, noun, noun + 2), 3), known)
    assert kept == made(3, Span(1, noun, noun), 3)
    agreed = [block("Yes, of course.", Role.ASSISTANT), block(asked)]
    whole = made(3, Span(1, noun, noun + 2), 3)
    assert without_denied(words, agreed, whole, known) == whole


def test_a_fragment_after_a_denial_still_changes_the_question() -> None:
    blocks = [block("No.", Role.ASSISTANT), block("Can I keep figs in the fridge?")]
    beginning = made(1, Span(1, 0, 5), 0)
    assert without_denied(words_of("and cellar?"), blocks, beginning, EN) == beginning
