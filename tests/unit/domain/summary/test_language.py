from recollect.domain.language import guess_language, split_words
from support.tables import for_each


@for_each(
    ("text", "language"),
    [
        ("What were the total sales in 2024, and which region was the best?", "en"),
        ("Wat was de totale omzet in 2024, en welke regio was het beste?", "nl"),
        ("Wie hoch war der Umsatz und welche Region ist die beste?", "de"),
        ("Quelles sont les ventes de cette région et pourquoi ?", "fr"),
        ("¿Cuáles son las ventas de los clientes y por qué?", "es"),
        ("SELECT 1", None),
        ("総売上はいくらですか", None),
        ("", None),
    ],
)
def test_common_words_tell_the_language(text: str, language: str | None) -> None:
    assert guess_language(text) == language


def test_figures_and_names_of_tables_are_one_word() -> None:
    assert split_words("It's €1,204.50 in sales.big_orders!") == [
        "It's",
        "1,204.50",
        "in",
        "sales.big_orders",
    ]
