from recollect.models.stems import SnowballStems
from support.tables import for_each


def stems(text: str, language: str) -> list[str]:
    return list(SnowballStems().stems(text, language=language))


@for_each(
    ("language", "compound", "parts"),
    [
        ("nl", "valbeveiliging", "val beveiliging"),
        ("nl", "zorgverzekering", "zorg verzekering"),
        ("nl", "energierekeningen", "energie rekening"),
        ("nl", "bedrijfsarts", "bedrijf arts"),
        ("de", "Krankenversicherung", "kranken Versicherung"),
        ("de", "Wärmepumpen", "Wärme Pumpe"),
        ("de", "Betriebsarzt", "Betrieb Arzt"),
    ],
)
def test_a_compound_has_the_stems_of_its_parts(language: str, compound: str, parts: str) -> None:
    whole, *rest = stems(compound, language)
    assert whole not in rest
    assert rest == stems(parts, language)


@for_each(
    ("language", "word"),
    [
        ("nl", "verschillende"),
        ("nl", "tuinhuis"),
        ("nl", "x" * 60),
        ("nl", "tuin" * 9),
        ("de", "Entscheidung"),
        ("de", "shop.krankenkasse1"),
        ("en", "healthinsurance"),
        ("fr", "portefeuille"),
    ],
)
def test_other_words_have_none(language: str, word: str) -> None:
    split = stems(word, language)
    assert not {"huis", "tuin", "krank", "kass", "insur"}.intersection(split)


def test_parts_follow_their_word() -> None:
    assert stems("Bouwvergunning verleend", "nl")[-1:] == stems("verleend", "nl")
