"""What a cut quotation leaves of a sentence is no statement."""

from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.own_words.quotations import is_left_of_quotation
from support.tables import for_each


def is_left(line: str) -> bool:
    before, rest = line.split("[", 1)
    quote, after = rest.split("]", 1)
    message = before + quote + after
    return is_left_of_quotation(quote, len(before), message, readable_parts(message))


@for_each(
    "line",
    [
        "[Mon oncle répète toujours] « J'habite à Monaco » pour se vanter.",
        "Mon oncle répète toujours « J'habite à Monaco » [pour se vanter].",
        "Mi primo dice: «Vivo en Miami», [y vive en Albacete].",
        '[My brother always says] "I am a brain surgeon".',
    ],
)
def test_words_beside_a_quotation_are_left_of_it(line: str) -> None:
    assert is_left(line)


@for_each(
    "line",
    [
        '[My dog is called "Rex"].',
        'Tom said "I live in Paris and love it", but [I live in Leeds].',
        'Tom said "I live in Paris and love it". Well. [Leeds is home].',
        '[I live in Leeds]. Tom says "I live in Paris and love it".',
        "[I live in Leeds].",
    ],
)
def test_other_words_are_not(line: str) -> None:
    assert not is_left(line)


def test_a_place_between_the_users_own_words_is_left_of_nothing() -> None:
    assert not is_left_of_quotation("live in", 5, "I live in Leeds", ())
