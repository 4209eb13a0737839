"""Diets that exclude each other."""

import tomllib
from importlib.resources import files

from recollect.domain.facts.reading.plain import languages
from recollect.domain.facts.reading.plain.diets import diet_of, keep_other_diets
from recollect.domain.speech.phrases import LANGUAGES
from support.tables import for_each


@for_each("code", LANGUAGES)
def test_every_language_has_the_same_diets(code: str) -> None:
    tables = tomllib.loads(files(languages).joinpath("diets.toml").read_text("utf-8"))
    assert tables[code].keys() == tables["en"].keys()


@for_each(
    ("content", "diet"),
    [
        ("I'm vegetarian.", "vegetarian"),
        ("I became vegan last year.", "vegan"),
        ("I eat meat again.", "omnivore"),
        ("Ik ben nu veganist.", "vegan"),
        ("Ik eet weer vlees.", "omnivore"),
        ("Ich bin jetzt Veganerin.", "vegan"),
        ("Ich esse wieder Fleisch.", "omnivore"),
        ("Je suis végétarienne depuis 2010.", "vegetarian"),
        ("Je mange de nouveau de la viande.", "omnivore"),
        ("Ahora soy vegano.", "vegan"),
        ("He vuelto a comer carne.", "omnivore"),
    ],
)
def test_a_diet_is_told_plainly(content: str, diet: str) -> None:
    assert diet_of(content) == diet


@for_each(
    "content",
    [
        "My wife is vegan.",
        "I'm not vegan.",
        "I'm mostly vegetarian at work.",
        "I eat vegan burgers.",
        "I cook vegetarian for my wife.",
        "Ik eet vegetarisch op maandag.",
        "Ich esse manchmal vegan.",
        "Je mange de la viande le dimanche.",
        "Soy casi vegetariana.",
        "I'm vegetarian; I don't like nuts.",
    ],
)
def test_what_holds_for_others_or_for_some_meals_is_no_diet(content: str) -> None:
    assert diet_of(content) is None


def test_only_two_different_diets_exclude_each_other() -> None:
    assert keep_other_diets("Ik ben veganist.", "I'm vegetarian.")
    assert not keep_other_diets("I'm vegetarian.", "Ik ben vegetariër.")
    assert not keep_other_diets("I'm vegetarian.", "I don't like nuts.")
