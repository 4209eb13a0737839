"""What users say that they like best."""

from recollect.domain.facts.reading.favourites import favourites_in, is_other_favourite
from support.tables import for_each


@for_each(
    ("text", "content"),
    [
        ("My favorite color is blue.", "My favorite color is blue."),
        ("Actually, my favourite colour is now dark green!", "My favourite colour is dark green."),
        ("Hi! My favorite food is sushi these days.", "My favorite food is sushi."),
        ("my favourite band is radiohead", "My favourite band is radiohead."),
        ("Mijn lievelingskleur is nu groen.", "Mijn lievelingskleur is groen."),
        ("Mijn favoriete film is Inception.", "Mijn favoriete film is Inception."),
        ("Meine Lieblingsfarbe ist jetzt Grün.", "Meine Lieblingsfarbe ist Grün."),
        ("Mon plat préféré, c'est le cassoulet.", "Mon plat préféré, c'est le cassoulet."),
        ("Ahora mi color favorito es el verde.", "Mi color favorito es el verde."),
        ("Mi película preferida es Amélie, por cierto.", "Mi película preferida es Amélie."),
    ],
)
def test_a_favourite_is_told_in_a_sentence_of_its_own(text: str, content: str) -> None:
    (found,) = favourites_in(text)

    assert found.content == content
    assert found.quote in text


@for_each(
    "text",
    [
        "My favorite part is when he sings.",
        "My favorite thing is that it is free.",
        "My favorite color isn't green.",
        "My favorite color is not blue.",
        "Is my favorite color green?",
        "What if my favorite color is red?",
        "My favorite color is red?",
        "My wife's favorite color is red.",
        "My favorite color is blue and I have a dog.",
        "As a kid my favorite color was blue.",
        "They say my favorite color is red.",
        "Mijn lievelingskleur is niet groen.",
        "My favourite book is the one that my late grandmother gave me",
    ],
)
def test_other_sentences_tell_none(text: str) -> None:
    assert not [*favourites_in(text)]


@for_each(
    ("new", "known", "is_other"),
    [
        ("My favourite colour is green.", "My favorite color is blue.", True),
        ("My favorite color is blue.", "My favourite colour is Blue.", False),
        ("My favorite color is green.", "My favorite food is pizza.", False),
        ("My favorite color is green.", "My wife's favorite color is red.", False),
        ("My favorite color is green.", "I like blue.", False),
    ],
)
def test_a_favourite_takes_the_place_of_another_one_of_its_kind(
    new: str, known: str, *, is_other: bool
) -> None:
    assert is_other_favourite(new, known) is is_other
