"""What users say that they like best."""

from recollect.domain.facts.reading.favourites import favourites_in, is_other_favourite
from support.tables import for_each


@for_each(
    ("text", "content"),
    [
        ("My favorite color is blue.", "My favorite color is blue."),
        ("Actually, my favourite colour is now dark green!", "My favourite colour is dark green."),
        ("Hi! My favorite band is Green Day these days.", "My favorite band is Green Day."),
        ("My favorite author is now J. K. Rowling.", "My favorite author is J. K. Rowling."),
        ("Mijn lievelingskleur is nu donkergroen.", "Mijn lievelingskleur is donkergroen."),
        ("Eigenlijk, mijn favoriete film is Inception.", "Mijn favoriete film is Inception."),
        ("Meine Lieblingsfarbe ist jetzt Grün.", "Meine Lieblingsfarbe ist Grün."),
        ("Mein Lieblingsessen ist jetzt Lasagne.", "Mein Lieblingsessen ist Lasagne."),
        ("Ma couleur préférée, c'est le vert.", "Ma couleur préférée, c'est le vert."),
        ("Mon film favori est maintenant Amélie.", "Mon film favori est Amélie."),
        ("Ahora mi color favorito es el verde.", "Mi color favorito es el verde."),
    ],
)
def test_a_favourite_is_told_in_a_sentence_of_its_own(text: str, content: str) -> None:
    (found,) = favourites_in(text)

    assert found.content == content
    assert found.quote in text


@for_each(
    "text",
    [
        "Please don't save this. My favorite color is green.",
        "Is this sentence right? My favorite color is green.",
        "My favorite singer is Adele.",  # nothing says that it was another one
        "My favorite singer is now pregnant.",
        "My favorite dish is very easy to make these days.",
        "my favorite bar is packed now",
        "My favorite color is out of fashion.",
        "My favorite color is light.",
        "My favorite color is the dark.",
        "My favorite color is blue or green.",
        "My favorite color is green, right?",
        "My favorite color is green; that is a lie.",
        "My favorite color is green, or was it blue?",
        "My favorite part is now when he sings.",
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
        "My favorite number is now 3.14.",
        "My favorite phone number is now 0612345678.",
        "Mein Lieblingsverein ist jetzt abgestiegen.",
        "Mon café préféré est maintenant à Lyon.",
    ],
)
def test_other_sentences_tell_none(text: str) -> None:
    assert not [*favourites_in(text)]


@for_each(
    ("new", "known", "is_other"),
    [
        ("My favourite colour is green.", "My favorite color is blue.", True),
        ("My favorite film is Alien.", "My favorite film is Inception.", True),
        ("My favorite color is blue.", "My favourite colour is Blue.", False),
        ("My favorite color is green.", "My favorite food is pizza.", False),
        ("My favorite color is green.", "My wife's favorite color is red.", False),
        ("My favorite color is green.", "I like blue.", False),
        (
            "My favorite color is green.",
            "My favorite color is blue, my favorite food is pizza.",
            False,
        ),
    ],
)
def test_a_favourite_takes_the_place_of_another_one_of_its_kind(
    new: str, known: str, *, is_other: bool
) -> None:
    assert is_other_favourite(new, known) is is_other
