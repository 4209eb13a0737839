"""Only a clause of its own takes a joke back."""

from recollect.domain.facts.reading.plain.jokes import may_be_joke, takes_back_joke
from support.tables import for_each


@for_each(
    "text",
    [
        "Just kidding!",
        "haha just kidding 😂",
        "No, I'm joking.",
        "Just kidding, I still work there.",
        "Grapje!",
        "Nee, dat was een grapje.",
        "War nur ein Scherz!",
        "Non, je rigole.",
        "¡Es broma!",
        "jaja era broma",
    ],
)
def test_a_joke_is_taken_back(text: str) -> None:
    assert takes_back_joke(text)


@for_each(
    "text",
    [
        "No kidding!",
        "I'm not kidding.",
        "Kidding me?",
        "Just kidding?",
        "Tell me a joke.",
        "What a joke that firm is.",
        "That's no joke!",
        "Geen grapje.",
        "Ik maak geen grapje.",
        "Kein Scherz!",
        "Ce n'est pas une blague.",
        "No es broma.",
        "He said he was just kidding.",
        "",
    ],
)
def test_other_words_about_jokes_take_nothing_back(text: str) -> None:
    assert not takes_back_joke(text)


@for_each(
    ("text", "is_one"),
    [
        ("I got fired.", True),
        ("I live in Hull. Jazz is great.", False),
        ("I got fired " + "and " * 100, False),
        ("", False),
    ],
)
def test_only_one_sentence_is_surely_the_joke(text: str, *, is_one: bool) -> None:
    assert may_be_joke(text) is is_one
