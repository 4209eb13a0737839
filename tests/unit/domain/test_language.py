from recollect.domain.language import content_words, without_inner_stops
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


@for_each(
    ("text", "without"),
    [
        ("My doctor is Dr. Jansen. I like her.", "My doctor is Dr_ Jansen. I like her."),
        ("Mi profesora es la Sra. López.", "Mi profesora es la Sra_ López."),
        ("I am J. R. Ewing.", "I am J_ R_ Ewing."),
        ("I am at Acme Inc. in Ohio, U.N. of trade.", "I am at Acme Inc_ in Ohio, U.N_ of trade."),
        ("Ich wohne in der Goethestr. 5.", "Ich wohne in der Goethestr_ 5."),
        ("It is on Dec. 5. In Ghent.", "It is on Dec_ 5. In Ghent."),
    ],
)
def test_the_full_stop_of_an_abbreviation_ends_no_sentence(text: str, without: str) -> None:
    assert without_inner_stops(text) == without


@for_each(
    "text",
    [
        *("I got an A. He did not.", "So did I. My dog barks.", "I said no. I live here."),
        *("i work at acme inc. my boss is tom.", "It is on 5 Dec. 2 of us go.", "Ann B. Never."),
        *("I have hepatitis C. My wife is a nurse.", "I have MS. My brother has none."),
        *("Ik woon in blok B. Mijn zus niet.", "I drive a Model S. She walks.", "Vitamin D. I am."),
        *("Me gusta ir. Mi hijo no.", "I'm Jan. 25 years old.", "I like Leeds. It rains.", "a.b"),
    ],
)
def test_other_full_stops_stay(text: str) -> None:
    assert without_inner_stops(text) == text
