"""Dutch and German clauses behind "dat" get their verb where a sentence has it."""

from recollect.domain.facts.reading.subordinate import main_clause
from support.tables import for_each


@for_each(
    ("clause", "sentence"),
    [
        ("ik diabetes heb", "ik heb diabetes"),
        ("ik geen uien lust", "ik lust geen uien"),
        ("ik graag tennis speel", "ik speel graag tennis"),
        ("ik niet van spruitjes hou", "ik hou niet van spruitjes"),
        ("ik met de trein naar het werk ga", "ik ga met de trein naar het werk"),
        ("ik Frans en Duits spreek", "ik spreek Frans en Duits"),
        ("we elke vrijdag pizza eten", "we eten elke vrijdag pizza"),
        ("ik elke dag om 7 uur opsta", "ik sta elke dag om 7 uur op"),
        ("ik niet mag drinken", "ik mag niet drinken"),
        ("ik arts wil worden", "ik wil arts worden"),
        ("ik allergisch ben voor noten", "ik ben allergisch voor noten"),
        ("ik vegetariër ben omdat ik van dieren hou", "ik ben vegetariër omdat ik van dieren hou"),
        ("ik in Gent woon en twee katten heb", "ik woon in Gent en heb twee katten"),
        ("ik in Gent woon, dus niet ver", "ik woon in Gent, dus niet ver"),
        ("ons boekjaar op 1 april begint", "ons boekjaar begint op 1 april"),
        ("mijn oudste dochter in mei jarig is", "mijn oudste dochter is in mei jarig"),
        ("mijn oudste dochter Lies heet", "mijn oudste dochter heet Lies"),
        ("ich Vegetarier bin", "ich bin Vegetarier"),
        ("ich keine Zwiebeln mag", "ich mag keine Zwiebeln"),
        ("ich einen roten Volvo fahre", "ich fahre einen roten Volvo"),
        ("ich jeden Tag um 7 Uhr aufstehe", "ich stehe jeden Tag um 7 Uhr auf"),
        ("ich keinen Alkohol trinken darf", "ich darf keinen Alkohol trinken"),
        ("meine Frau Anna Lehrerin ist", "meine Frau Anna ist Lehrerin"),
        (
            "meine älteste Tochter im Mai Geburtstag hat",
            "meine älteste Tochter hat im Mai Geburtstag",
        ),
    ],
)
def test_a_clause_behind_that_gets_its_verb_in_its_place(clause: str, sentence: str) -> None:
    before = "Merk dir, dass" if clause.startswith(("ich", "mein")) else "Onthoud dat"
    assert main_clause(clause, before) == sentence


@for_each(
    "clause",
    [
        "my budget is 10k",
        "I know what it is",
        "ik ben",
        "ik zoek werk",
        "ik werk bij Philips",
        "ik kan zwemmen",
        "ik wil dat je kort antwoordt",
        "de vergadering om 9 uur begint",
        "mijn oudste",
        " ",
    ],
)
def test_what_may_be_in_order_stays_as_it_is(clause: str) -> None:
    assert main_clause(clause, "Onthoud dat ") == clause


def test_only_a_clause_behind_that_is_changed() -> None:
    assert main_clause("we never had a drink", "Remember that ") == "we never had a drink"
    assert main_clause("ik geen uien lust", "Onthoud: ") == "ik geen uien lust"
