from recollect.domain.language import content_words
from support.tables import for_each


@for_each(
    ("text", "language", "words"),
    [
        ("What is the average rent in Porto?", "en", ["average", "rent", "Porto"]),
        ("When did she die? Die in Rome", "en", ["die", "Rome"]),
        ("Wat zijn de vereisten voor valbeveiliging?", "nl", ["vereisten", "valbeveiliging"]),
        ("It\u2019s Porto, porto, PORTO", "en", ["Porto"]),
        ("Rent in Porto, or rent in Rome?", "en", ["Rent", "Porto", "Rome"]),
        ("", "en", []),
        ("the rent", "xx", ["the", "rent"]),
    ],
)
def test_words_that_mean_something_come_once_and_in_order(
    text: str, language: str, words: list[str]
) -> None:
    assert content_words(text, language) == words
