"""How texts are cut, tagged and aligned."""

import pytest

from recollect.domain.followup.alignment import align
from recollect.domain.followup.grammar import Tag, read
from recollect.domain.followup.languages import pack_for
from recollect.domain.followup.phrases import phrases
from recollect.domain.followup.query import parse_query
from recollect.domain.followup.sql_values import as_stored, compared_values
from recollect.domain.followup.tokens import Edit, apply_edits, tokenise
from recollect.domain.followup.values import ValueType, can_replace, value_type

ENGLISH = pack_for("en")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's Ann's age?", ["What", "'s", "Ann", "'s", "age", "?"]),
        ("$60,000 or 5% in 1946-1947", ["$60,000", "or", "5%", "in", "1946-1947"]),
        ("Dr. E. T. A. Hoffmann in D.C.", ["Dr.", "E.", "T.", "A.", "Hoffmann", "in", "D.C."]),
        ("l'album d'Ana, est-elle là ?", ["l'", "album", "d'", "Ana", ",", "est", "-", "elle"]),
        ("¿Y ahora?", ["Y", "ahora", "?"]),
    ],
)
def test_tokens_are_words_numbers_and_marks(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokenise(text)][: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What was special about Dick Williams' playing career?", ["Dick Williams"]),
        ("Who wrote the Lord of the Rings?", ["Lord of the Rings"]),
        ('When was "No Way Out" released?', ["No Way Out"]),
        ("Tell me about the Neverending Story film.", ["Neverending Story film"]),
        ("Which Chinese restaurants are there?", []),
        ("How does photosynthesis work?", []),
    ],
)
def test_proper_names_are_found(text: str, names: list[str]) -> None:
    found = phrases(read(text, ENGLISH), ENGLISH)

    assert [phrase.text for phrase in found if phrase.is_name] == names


def test_dutch_zijn_is_a_verb_or_an_owner() -> None:
    pack = pack_for("nl")
    text = read("Wie zijn zijn ouders?", pack)

    assert text.tags[1:3] == (Tag.AUXILIARY, Tag.POSSESSIVE)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("2023", ValueType.YEAR),
        ("12", ValueType.NUMBER),
        ("$5", ValueType.MONEY),
        ("5%", ValueType.PERCENT),
        ("3rd", ValueType.ORDINAL),
        ("march", ValueType.MONTH),
        ("month", ValueType.TIME_UNIT),
        ("highest", ValueType.EXTREME),
        ("region", None),
    ],
)
def test_values_have_types(word: str, kind: ValueType | None) -> None:
    assert value_type(word, ENGLISH) is kind


def test_only_like_values_replace_each_other() -> None:
    assert can_replace("2023", "2024", ENGLISH)
    assert can_replace("least", "most", ENGLISH)
    assert not can_replace("2023", "12", ENGLISH)
    assert not can_replace("2023", "2023", ENGLISH)


def test_a_fragment_is_aligned_where_it_belongs() -> None:
    full = read("teams with more than 10 wins and less than 3 losses", ENGLISH)
    fragment = read("less than 5 losses", ENGLISH)

    pairs = align(full, fragment, ENGLISH).pairs

    assert [full.tokens[place].text for place, _ in pairs] == ["less", "than", "3", "losses"]


def test_a_query_has_a_front_a_target_and_a_rest() -> None:
    query = parse_query(read("In 1995, show the name and year of all teams.", ENGLISH), ENGLISH)

    assert (query.front, query.target, query.rest) == ("In 1995", "name and year", "of all teams")


def test_the_first_of_two_overlapping_edits_wins() -> None:
    edits = (Edit(start=2, end=5, text="x"), Edit(start=0, end=3, text="y"))

    assert apply_edits("abcdef", edits) == "ydef"


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT a FROM b WHERE c = 'Paris' AND d > 3", ("Paris",)),
        ('SELECT a FROM b WHERE c = "Paris"', ("Paris",)),
        ("SELECT a FROM b WHERE c LIKE '%Paris%'", ("Paris",)),
        ("this is not SQL (", ()),
        ("", ()),
    ],
)
def test_the_values_compared_in_sql_are_extracted(sql: str, values: tuple[str, ...]) -> None:
    assert compared_values(sql) == values


def test_a_misspelt_value_is_corrected() -> None:
    sql = "SELECT * FROM country WHERE region = 'Caribbean'"

    assert as_stored("countries in the Carribean", sql) == "countries in the Caribbean"
