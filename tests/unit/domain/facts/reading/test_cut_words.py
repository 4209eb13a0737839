"""A quote that leaves out what makes it true is noticed."""

from recollect.domain.facts.reading.cut_words import leaves_words_out, place_behind_other
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.speech.phrases import words_in
from support.tables import for_each


def leaves_out(line: str) -> bool:
    """Whether the quote in brackets leaves something out."""
    before, rest = line.split("[", 1)
    quote, after = rest.split("]", 1)
    clause = QuotedClause.find(quote, readable_parts(before + quote + after))
    assert clause is not None
    return leaves_words_out(clause)


@for_each(
    "line",
    [
        "My sister and [I run a shop].",
        "My best friend Tom and [I own a boat].",
        "Tom and [I own a boat].",
        "[My twin sister] and I run a shop.",
        "Neither [my wife nor] I eat meat.",
        "[My ex and I] live in different worlds.",
        "Mijn zus en [ik heb een winkel].",
        "Meine Schwester und [ich habe einen Laden].",
        "Mi hermana y [yo tengo una tienda].",
        "No [vivo en Gante].",
        "No [trabajo en Repsol] por el dinero.",
    ],
)
def test_a_quote_that_leaves_something_out(line: str) -> None:
    assert leaves_out(line)


@for_each(
    "line",
    [
        "[My sister and I run a shop].",
        "I have two cats and [I live in Ghent].",
        "[My name is Tom] and I live in Ghent.",
        "[My wife is a nurse] and I work at Shell.",
        "Say hello to my wife and [I live in Ghent].",
        "No, [vivo en Gante].",
        "No [I live in Ghent].",
    ],
)
def test_a_quote_that_leaves_nothing_out(line: str) -> None:
    assert not leaves_out(line)


@for_each(
    ("code", "text", "place"),
    [
        ("en", "My sister and I live in Ghent", 3),
        ("en", "Both my wife and I work", 4),
        ("fr", "Ma femme et moi habitons à Gand", 3),
        ("en", "I live in Ghent and I work", 0),
        ("en", "My sister", 0),
    ],
)
def test_where_the_user_stands_behind_another_one(code: str, text: str, place: int) -> None:
    assert place_behind_other(words_in(text), code) == place
