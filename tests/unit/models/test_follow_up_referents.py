"""Referents that are not meant."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.models.followup.referents import (
    takes_maker,
    takes_one_of_two,
    with_maker,
    without_denied,
)


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def made(gap: int, span: Span, *deleted: int) -> Edits:
    return Edits(deleted=frozenset(deleted), insertions=(Insertion(gap=gap, span=span),))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long are they?", "Compare the Elbe and the Oder"),
        ("Hoe lang zijn hen?", "Vergelijk de Elbe en de Oder"),
        ("Où sont elles ?", "Compare la Elbe et la Oder"),
    ],
)
def test_one_of_two_is_not_both(question: str, said: str) -> None:
    words = words_of(question)
    place = len(words) - 2
    for name in (Span(0, 1, 2), Span(0, 4, 5)):
        assert takes_one_of_two(words, [block(said)], made(place, name, place))
    assert not takes_one_of_two(words, [block(said)], made(place, Span(0, 1, 5), place))
    assert not takes_one_of_two(
        words, [block("The Elbe is long")], made(place, Span(0, 0, 1), place)
    )


def test_two_names_elsewhere_in_the_conversation_count() -> None:
    blocks = [block("The Elbe is long.", Role.ASSISTANT), block("What of the Elbe and Oder?")]
    words = words_of("How long are they?")
    assert takes_one_of_two(words, blocks, made(3, Span(0, 0, 1), 3))
    assert not takes_one_of_two(words_of("How long is it?"), blocks, made(3, Span(0, 0, 1), 3))


def test_who_made_a_thing_is_not_the_thing() -> None:
    blocks = [block("The novel Tide by Ann Moor", Role.ASSISTANT)]
    edits = made(2, Span(0, 4, 5), 2)
    assert takes_maker(words_of("What is its price?"), blocks, edits)
    assert not takes_maker(words_of("What is its price?"), blocks, made(2, Span(0, 2, 2), 2))
    assert not takes_maker(words_of("Who is her brother?"), blocks, edits)
    assert with_maker(words_of("What is its price?"), blocks, edits) == edits


def test_the_author_of_a_thing_is_who_made_it() -> None:
    blocks = [block("The novel Tide by Ann Moor", Role.ASSISTANT)]
    words = words_of("Where did its author live?")
    edits = made(2, Span(0, 4, 5), 2)
    assert not takes_maker(words, blocks, edits)
    assert with_maker(words, blocks, edits) == made(4, Span(0, 4, 5), 2, 3)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Can I keep figs in the fridge?", "No, put them on a plate."),
        ("Kan ik daar vijgen in de koelkast bewaren?", "Nee, leg ze op een bord."),
        ("Kann ich dort Feigen im Kühlschrank lagern?", "Nein, auf einem Teller."),
    ],
)
def test_what_was_denied_does_not_come_in(asked: str, reply: str) -> None:
    blocks = [block(reply, Role.ASSISTANT), block(asked)]
    words = words_of("How long do they last then?")
    noun = 3
    kept = without_denied(words, blocks, made(3, Span(1, noun, noun + 2), 3))
    assert kept == made(3, Span(1, noun, noun), 3)
    agreed = [block("Yes, of course.", Role.ASSISTANT), block(asked)]
    assert without_denied(words, agreed, made(3, Span(1, noun, noun + 2), 3)).insertions[
        0
    ].span == (Span(1, noun, noun + 2))


def test_a_fragment_after_a_denial_still_changes_the_question() -> None:
    blocks = [block("No.", Role.ASSISTANT), block("Can I keep figs in the fridge?")]
    beginning = made(1, Span(1, 0, 5), 0)
    assert without_denied(words_of("and cellar?"), blocks, beginning) == beginning
