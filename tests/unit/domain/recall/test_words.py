from recollect.domain.language import words_of
from recollect.models.stems import SnowballStems
from support.tables import for_each


def words(text: str) -> list[str]:
    return list(words_of(text))


def stems(text: str, language: str | None = None) -> list[str]:
    return list(SnowballStems().stems(text, language=language))


@for_each(
    ("text", "expected"),
    [
        ("Café, STRASSE Straße", ["cafe", "strasse", "strasse"]),
        ("Melanie's kids don't", ["melanie", "kids", "don"]),
        ("l'hôtel d\u2019Anne", ["hotel", "anne"]),
        ("a well-known fact", ["a", "well", "known", "fact"]),
        ("ORD-2023-001 paid", ["ord-2023-001", "ord", "2023", "001", "paid"]),
        ("from shop.daily_sales", ["from", "shop.daily_sales", "shop", "daily", "sales"]),
        ("on 2023-05-07.", ["on", "2023-05-07", "2023", "05", "07"]),
        ("1,000 or 3.14", ["1,000", "1", "000", "or", "3.14", "3", "14"]),
        ("ann@example.org", ["ann@example.org", "ann", "example", "org"]),
        ("\U0001d400nn \u0130zmir", ["ann", "izmir"]),
        ("数据库", ["数据", "据库"]),
        ("?! \ud800 ---", []),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_endless_words_are_cut() -> None:
    assert words("x" * 500) == ["x" * 64]


@for_each(
    ("language", "one", "other"),
    [
        ("en", "She was painting sunsets", "painted a sunset"),
        ("nl", "De schilderijen hangen in de kamers", "schilderij hang kamer"),
        ("de", "Die Rechnungen wurden bezahlt", "Rechnung bezahlt"),
        ("fr", "Nous avons vendu des voitures", "vendu la voiture"),
        ("es", "Vendieron las casas", "vendieron casa"),
    ],
)
def test_related_words_have_the_same_stem(language: str, one: str, other: str) -> None:
    assert set(stems(other, language)) <= set(stems(one, language))


def test_the_language_of_a_text_is_detected() -> None:
    assert stems("Hoeveel facturen zijn er nog niet betaald?")[:1] == stems("facturen", "nl")


def test_words_without_meaning_are_left_out() -> None:
    assert stems("What did the two of them say about it?", "en") == ["two", "say"]


def test_words_of_an_unknown_language_stay_as_they_are() -> None:
    assert stems("Książki były droższe", "pl") == ["ksiazki", "byly", "drozsze"]
