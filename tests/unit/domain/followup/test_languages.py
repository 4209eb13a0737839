"""Every installed language understands the same kinds of follow-up."""

import pytest

from recollect.domain.followup.language import detect_language, known_language
from recollect.domain.followup.languages import installed, pack_for
from recollect.domain.followup.rewrite import rewrite
from support.followups import conversation


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (
            "Wie is Johan Cruijff?",
            "Wanneer is hij geboren?",
            "Wanneer is Johan Cruijff geboren?",
        ),
        (
            "Wie is Johan Cruijff?",
            "Wat is zijn bekendste doelpunt?",
            "Wat is Johan Cruijffs bekendste doelpunt?",
        ),
        ("Wat is een valharnas?", "Hoeveel kost het?", "Hoeveel kost een valharnas?"),
        (
            "Toon de totale omzet per regio voor 2023",
            "En in 2022?",
            "Toon de totale omzet per regio in 2022",
        ),
        (
            "Toon de totale omzet per regio voor 2023",
            "En per maand?",
            "Toon de totale omzet per maand voor 2023",
        ),
        (
            "Toon de totale omzet per regio voor 2023",
            "Alleen het noorden",
            "Toon de totale omzet per regio voor 2023 (alleen het noorden)",
        ),
        (
            "Toon de top 5 klanten op omzet in 2024",
            "Welke daarvan zijn nieuw?",
            "Welke van de top 5 klanten op omzet in 2024 zijn nieuw?",
        ),
        (
            "Wer war Konrad Adenauer?",
            "Wann ist er gestorben?",
            "Wann ist Konrad Adenauer gestorben?",
        ),
        (
            "Was sind die Anforderungen für Absturzsicherung?",
            "Welche Produkte gibt es dafür?",
            "Welche Produkte gibt es für Absturzsicherung?",
        ),
        (
            "Zeige den Umsatz pro Region für 2023",
            "Und 2022?",
            "Zeige den Umsatz pro Region für 2022",
        ),
        ("Qui était Marie Curie ?", "Quel est son rôle ?", "Quel est le rôle de Marie Curie ?"),
        (
            "Qui était Marie Curie ?",
            "Quand est-elle morte ?",
            "Quand est Marie Curie morte ?",
        ),
        (
            "Montre les ventes totales par région pour 2023",
            "Et en 2022 ?",
            "Montre les ventes totales par région en 2022",
        ),
        (
            "¿Quién fue Federico García Lorca?",
            "¿Cuándo murió?",
            "¿Cuándo murió Federico García Lorca?",
        ),
        (
            "¿Quién fue Federico García Lorca?",
            "¿Cuál es su obra más conocida?",
            "¿Cuál es la obra de Federico García Lorca más conocida?",
        ),
        (
            "Muestra las ventas totales por región para 2023",
            "¿Y en 2022?",
            "Muestra las ventas totales por región en 2022",
        ),
    ],
)
def test_a_follow_up_is_understood_in_its_language(
    before: str, question: str, expected: str
) -> None:
    assert rewrite(question, conversation(f"user: {before}")).standalone_question == expected


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "What are the opening hours of the museum?"),
        ("nl", "Wat zijn de openingstijden van het museum?"),
        ("de", "Was sind die Öffnungszeiten des Museums?"),
        ("fr", "Quels sont les horaires du musée ?"),
        ("es", "¿Cuáles son los horarios del museo?"),
    ],
)
def test_the_language_is_detected(code: str, text: str) -> None:
    assert detect_language(text) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Hoi", None),
        ("Hello!", None),
        ("Hoi hoi hoi hoi", None),
        ("1 2 3 4 5", None),
        ("test one test two test", None),
        ("Wat is dit?", "nl"),
        ("Toon totale omzet regio Noord", "nl"),
        ("Montre ventes totales région 2023", "fr"),
        ("What are the opening hours of the museum?", "en"),
    ],
)
def test_a_language_is_known_only_where_the_text_leaves_no_doubt(
    text: str, code: str | None
) -> None:
    assert known_language(text) == code


def test_a_short_follow_up_takes_the_language_of_the_question_before() -> None:
    history = conversation("user: Toon de totale omzet per regio voor 2023")

    assert rewrite("En 2022?", history).language == "nl"


def test_an_unknown_language_is_detected_anew() -> None:
    history = conversation("user: Wie is Johan Cruijff?")

    assert rewrite("Wanneer is hij geboren?", history, language="xx").language == "nl"


@pytest.mark.parametrize("code", installed())
def test_packs_are_in_lower_case(code: str) -> None:
    pack = pack_for(code)

    assert pack.code == code
    for words in (pack.closed, pack.verbs, pack.attribute_nouns, pack.class_nouns):
        assert all(word == word.lower() for word in words)


@pytest.mark.parametrize("code", installed())
def test_the_opposite_of_a_word_has_an_opposite_itself(code: str) -> None:
    pack = pack_for(code)

    assert set(pack.opposites.values()) <= set(pack.opposites)
