"""A question is looked for in the stems that what was said may have."""

from recollect.models.stems import SnowballStems
from recollect.services.recall.recall import terms_of
from support.tables import for_each

STEMS = SnowballStems()


@for_each(
    ("question", "said", "language"),
    [
        ("kiwis", "Where do kiwis grow in winter?", "en"),
        ("sales", "Show me the total sales of all the regions", "en"),
        ("customers", "How many customers have we lost this year?", "en"),
        ("vereisten", "Wat zijn de vereisten voor werken op hoogte?", "nl"),
        ("Umsätze", "Wie hoch waren die Umsätze im letzten Jahr?", "de"),
    ],
)
def test_a_single_query_word_matches_a_sentence_that_contains_it(
    question: str, said: str, language: str
) -> None:
    indexed = set(STEMS.stems(said, language=language))

    assert indexed & set(terms_of(question, STEMS))


def test_the_words_that_say_nothing_stay_out_of_every_language() -> None:
    assert set(terms_of("the sales of March", STEMS)) >= {"sale", "march"}
    assert not {"the", "of"} & set(terms_of("the sales of March", STEMS))


def test_a_sentence_is_looked_for_in_its_own_language() -> None:
    question = "How many customers have we lost since the beginning of the year?"

    assert terms_of(question, STEMS) == dict.fromkeys(STEMS.stems(question, language="en"), 1.0)
