"""What somebody else says behind a label is not read for facts."""

from recollect.domain.facts.reading.own_words.speakers import spoken_by_others
from support.tables import for_each


@for_each(
    ("text", "others"),
    [
        ("My mother: I'm retired.", {0}),
        ("Mijn zus Anna: ik ben zwanger!", {0}),
        ("Meine Mutter: Ich bin in Rente.", {0}),
        ("Ma mère : je suis à la retraite.", {0}),
        ("Mi madre: estoy jubilada.", {0}),
        ("Customer: I'm allergic to nuts.\nAgent: We'll note that.", {0, 1}),
        ("The client: I live in Hull.", {0}),
        ("Jan: ik woon in Breda\nPiet: ik werk bij KPN", {0, 1}),
        ("Me: do you have a job?\nPiet: yes, I work at KPN.", {1}),
        ("- Host: welcome\n- Guest: I'm from Wales", {1}),
    ],
)
def test_lines_of_others_are_found(text: str, others: set[int]) -> None:
    assert spoken_by_others(text.splitlines()) == others


@for_each(
    "text",
    [
        "About me: I'm a plumber.",
        "Note: I live in Hull.",
        "Diet: I'm vegan.",
        "Ann: I live in Hull.",
        "My wife: a nurse in Hull.",
        "My kids: Tom and Eve.",
        "Me: I live in Hull.\nPiet: good.",
        "My mother and I agree on this: I'm too busy.",
        "I told my mother: I'm retired.",
        "At 10:30 I work.",
        "",
    ],
)
def test_other_lines_are_the_users(text: str) -> None:
    assert spoken_by_others(text.splitlines()) == frozenset()
