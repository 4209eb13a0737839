"""The content of facts in the user's own words."""

import pytest

from recollect.domain.facts.reading.wording import content_of, main_clause


@pytest.mark.parametrize(
    ("quote", "asked", "content"),
    [
        ("ik werk bij Philips in Eindhoven", None, "Ik werk bij Philips in Eindhoven."),
        ("At Philips", "Where do you work?", "Where do you work? At Philips."),
        ("I'm at Philips", "Where do you work?", "I'm at Philips."),
        ("Beim Klinikum Fulda", "Gut. Wo arbeitest du?", "Wo arbeitest du? Beim Klinikum Fulda."),
        ("À Cahors", "Voici une liste.", "À Cahors."),
        ("we report\n in euros", None, "We report in euros."),
    ],
)
def test_a_quote_becomes_a_sentence_of_its_own(quote: str, asked: str | None, content: str) -> None:
    assert content_of(quote, asked=asked) == content


@pytest.mark.parametrize(
    ("clause", "sentence"),
    [
        ("ik diabetes heb", "ik heb diabetes"),
        ("ons boekjaar op 1 april begint", "ons boekjaar begint op 1 april"),
        ("ich Vegetarier bin", "ich bin Vegetarier"),
        (
            "meine älteste Tochter im Mai Geburtstag hat",
            "meine älteste Tochter hat im Mai Geburtstag",
        ),
        ("ik in Gent woon en twee katten heb", "ik in Gent woon en twee katten heb"),
        ("mijn oudste dochter in mei jarig is", "mijn oudste dochter in mei jarig is"),
        ("ik arts wil worden", "ik arts wil worden"),
        ("my budget is 10k", "my budget is 10k"),
        ("I know what it is", "I know what it is"),
        ("ik ben", "ik ben"),
        (" ", " "),
    ],
)
def test_a_clause_behind_that_gets_its_verb_in_its_place(clause: str, sentence: str) -> None:
    assert main_clause(clause) == sentence
