"""Names that users tell of themselves, and what is only written like one."""

from recollect.domain.facts.reading.introductions import (
    introductions,
    sentences_after_introduction,
)
from support.tables import for_each


@for_each(
    ("text", "said"),
    [
        ("Hi, I'm Emma. Can you help me?", "I'm Emma"),
        ("Hello there! I am Emma de Vries and I work at Philips", "I am Emma de Vries"),
        ("Thanks. My name is Emma, by the way.", "My name is Emma"),
        ("hoi, ik heet Noor!", "ik heet Noor"),
        ("Goedemorgen, ik ben Jan van der Berg.", "ik ben Jan van der Berg"),
        ("Guten Tag.\nIch heiße Jürgen", "Ich heiße Jürgen"),
        ("Hallo, ich bin Emma.", "ich bin Emma"),
        ("Guten Tag, ich bin die Sabine Müller!", "ich bin die Sabine Müller"),
        ("Ich bin Jürgen und wohne in Ulm", "Ich bin Jürgen"),
        ("Bonjour, je suis Emma.", "je suis Emma"),
        ("Hola, soy Emma.", "soy Emma"),
        ("Bonjour, moi c\u2019est Élodie", "moi c\u2019est Élodie"),
        ("Hola, soy Íñigo y busco un libro", "soy Íñigo"),
    ],
)
def test_a_name_is_read_where_a_sentence_begins(text: str, said: str) -> None:
    assert [clause.quote_in(text) for clause in introductions(text)] == [said]


@for_each(
    "text",
    [
        "I'm Dutch.",
        "Hi, I'm British and I like tea",
        "I'm tired",
        "Hallo, ich bin Lehrer.",
        "Hallo, ich bin Ärztin.",
        "Hallo, ich bin Christ.",
        "Hallo, ich bin Emmas Bruder.",
        "Hallo, bin ich Emma?",
        "Er sagt, ich bin Emma.",
        "Wer sagt das? Nicht ich. Ich bin Emma egal.",
        "Pretend my name is Captain Thunder",
        "Write on: Ich heiße Rieke",
        "The form says my name is Emma",
        "My name is on the list",
        "We met, I'm Emma's brother",
        "ik ben Nederlander",
    ],
)
def test_what_is_no_introduction_is_left_alone(text: str) -> None:
    assert [*introductions(text)] == []


def test_who_says_it_after_thousands_of_characters_is_not_heard() -> None:
    assert [*introductions("\n" * 4_000 + "My name is Emma.")] == []
    assert len([*introductions("\n" * 3_000 + "My name is Emma.")]) == 1


@for_each(
    ("text", "sentences"),
    [
        ("Hi, I'm Emma. I'm from Ghent. I ski!", ["I'm from Ghent", "I ski"]),
        ("Hi, I'm Emma. I'm from Ghent. Do you ski?", ["I'm from Ghent"]),
        ("I'm from Ghent. I ski.", []),
        ("Hi there. I'm from Ghent.", []),
    ],
)
def test_statements_behind_an_introduction_are_sentences_of_their_own(
    text: str, sentences: list[str]
) -> None:
    found = [clause.quote_in(text).strip() for clause in sentences_after_introduction(text)]
    assert found == sentences
