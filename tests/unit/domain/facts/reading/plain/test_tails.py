"""A sentence without what it tells more of its last noun."""

from recollect.domain.facts.reading.plain.denying.tails import heads_of
from support.tables import for_each


@for_each(
    ("content", "head"),
    [
        ("I have a bike, a red Gazelle.", "I have a bike"),
        ("I have a bike that I ride to work.", "I have a bike"),
        ("I have a dog called Rex.", "I have a dog"),
        ("Ik heb een fiets die altijd kapot is.", "Ik heb een fiets"),
        ("Ich habe einen Hund, der Bello heißt.", "Ich habe einen Hund"),
        ("J'ai un chien qui s'appelle Rex.", "J'ai un chien"),
        ("Tengo un perro que se llama Rex.", "Tengo un perro"),
    ],
)
def test_what_is_told_more_is_left_out(content: str, head: str) -> None:
    assert head in heads_of(content)


@for_each(
    "content",
    [
        "I have a bike.",
        "I have a dog, a cat and a horse.",
        "I have a dog, two cats.",
        "I have a dog, a cat.",
        "I have a dog, a Siamese cat.",
        "I have a house, a BMW.",
        "Ich habe einen Hund, eine schwarze Katze.",
        "I have a flat where my mother lives.",
        "I have a job that lets me live in Hull.",
        "I have a dog that barks and a cat.",
        "Ich habe ein Auto, ein Rad.",
        "I have a bike, and I like it.",
        "word " * 100,
    ],
)
def test_what_may_be_something_else_is_not(content: str) -> None:
    assert [*heads_of(content)] == []
