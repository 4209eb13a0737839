"""A denial with a reason may deny the reason alone."""

from recollect.domain.facts.reading.plain.denying.reasons import denied_reason
from support.tables import for_each


@for_each(
    ("quote", "rest"),
    [
        ("I don't live in Ghent", " because of the weather."),
        ("I'm not vegan", " because of the animals."),
        ("Ik woon niet in Gent", " vanwege het weer."),
        ("Ich wohne nicht in Gent", ", weil es dort schön ist."),
        ("Je n'habite pas à Gand", " parce que j'aime la pluie."),
        ("No vivo en Gante", " porque me guste la lluvia, sino por mi hija."),
        ("vivo en Gante", " a causa del clima."),
    ],
)
def test_a_sure_reason_is_read(quote: str, rest: str) -> None:
    before = "No " if quote.startswith("vivo") else ""
    reason = denied_reason(quote, before + quote + rest)

    assert reason is not None
    assert reason.is_sure


def test_of_what_may_be_a_purpose_the_words_before_it_are_denied() -> None:
    reason = denied_reason("I don't work for the city", "I don't work for the city.")

    assert reason is not None
    assert not reason.is_sure
    assert reason.said == ("i", "don", "t", "work")


@for_each(
    "text",
    [
        "I live in Ghent because of the weather.",
        "I don't live in Ghent any more because of the weather.",
        "I don't live in Ghent, I live in Bruges because of the weather.",
        "Ik woon niet meer in Gent vanwege het weer.",
        "Ich wohne nicht mehr in Gent wegen des Wetters.",
        "Je n'habite plus à Gand à cause du temps.",
        "Ya no vivo en Gante por el clima.",
        "I don't live in Ghent.",
    ],
)
def test_without_such_a_reason_nothing_is_read(text: str) -> None:
    quote = text.split(",", maxsplit=1)[0].rstrip(".")

    assert denied_reason(quote, text) is None


def test_words_that_the_message_does_not_have_are_no_denial() -> None:
    assert denied_reason("I don't live in Hull because", "I don't live in Ghent") is None
