"""The content of facts in the user's own words."""

from recollect.domain.facts.reading.wording import content_of
from support.tables import for_each


@for_each(
    ("quote", "asked", "content"),
    [
        ("ik werk bij Philips in Eindhoven", None, "Ik werk bij Philips in Eindhoven."),
        ("At Philips", "Where do you work?", "Where do you work? At Philips."),
        ("I'm at Philips", "Where do you work?", "I'm at Philips."),
        ("Beim Klinikum Fulda", "Gut. Wo arbeitest du?", "Wo arbeitest du? Beim Klinikum Fulda."),
        ("À Cahors", "Voici une liste.", "À Cahors."),
        ("we report\n in euros", None, "We report in euros."),
    ],
)
def test_a_quote_becomes_a_sentence_of_its_own(quote: str, asked: str | None, content: str) -> None:
    assert content_of(quote, asked=asked) == content
