"""Which words begin the items of a list, and the numbers of the items."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.followup.edits import words_of
from recollect.domain.followup.rules.lists import MOST_ITEMS, list_items
from support.hostile.texts import TEXTS
from support.tables import for_each


def items(text: str) -> list[tuple[int, str]]:
    """The number and the first word of each item."""
    words = words_of(text)
    return [(number, words[index].text) for index, number in list_items(text, words).items()]


@for_each("bullet", ["-", "*", "•", "\u2013", "·"])
def test_bulleted_lines_are_items(bullet: str) -> None:
    text = f"We have:\n{bullet} Basic plan\n{bullet} Pro plan\n\n{bullet} Team plan"
    assert items(text) == [(1, "Basic"), (2, "Pro"), (3, "Team")]


@pytest.mark.parametrize("sign", [".", ")"])
def test_numbered_lines_are_items(sign: str) -> None:
    assert items(f"1{sign} Porto\n2{sign} Lisbon\n") == [(1, "Porto"), (2, "Lisbon")]


def test_an_item_begins_after_its_markup() -> None:
    assert items("1. **Porto**: cheap\n2. `Lisbon`: dear") == [(1, "Porto"), (2, "Lisbon")]


def test_indented_lines_belong_to_the_list() -> None:
    assert items("- Porto\n  by the sea\n- Lisbon") == [(1, "Porto"), (2, "Lisbon")]


def test_a_line_of_text_ends_a_list() -> None:
    text = "- Porto\n- Lisbon\nAnd in the north:\n- Braga"
    assert items(text) == [(1, "Porto"), (2, "Lisbon"), (1, "Braga")]


@for_each("text", ["-5 degrees\n-6 degrees", "2024. was good", "1.5 metres"])
def test_signs_and_numbers_that_mark_no_item_are_text(text: str) -> None:
    assert items(text) == []


def test_the_rows_of_a_table_are_items_and_its_head_is_none() -> None:
    text = "| City | Rent |\n|---|---:|\n| Porto | 1,100 |\n| Lisbon | 1,500 |"
    assert items(text) == [(1, "Porto"), (2, "Lisbon")]


def test_a_table_without_a_rule_has_no_items() -> None:
    assert items("| Porto | 1,100 |\n| Lisbon | 1,500 |") == []


def test_a_list_after_a_table_begins_with_one() -> None:
    text = "| City |\n|---|\n| Porto |\n- Lisbon\n- Braga"
    assert items(text) == [(1, "Porto"), (1, "Lisbon"), (2, "Braga")]


@for_each(
    "text",
    [
        "There are three plans: Basic, Pro and Team.",
        "Es gibt drei Tarife: Basic, Pro und Team.",
        "Il y a trois formules : Basic, Pro et Team.",
        "Hay tres planes: Basic; Pro y Team. Otra cosa, no.",
    ],
)
def test_what_follows_a_colon_is_a_list(text: str) -> None:
    assert items(text) == [(1, "Basic"), (2, "Pro"), (3, "Team")]


def test_what_stands_in_brackets_separates_no_items() -> None:
    text = "Plans: Basic (mail, chat), Pro [phone and chat] and Team"
    assert items(text) == [(1, "Basic"), (2, "Pro"), (3, "Team")]


@for_each(
    ("text", "expected"),
    [
        ("Porto, Lisbon and Braga are cities.", ["Porto", "Lisbon", "Braga"]),
        ("I like the Duo 5 (small, cheap), the Solo 3 or the Trio.", ["Duo", "the", "the"]),
        ("Sorry. You can try lavender, rosemary or thyme.", ["lavender", "rosemary", "thyme"]),
        ("Anna Vos en Bram Smit weten het.", ["Anna", "Bram"]),
        ("He lives in Porto. It has trams, bridges and hills.", ["trams", "bridges", "hills"]),
    ],
)
def test_things_side_by_side_in_a_sentence_are_items(text: str, expected: list[str]) -> None:
    assert items(text) == list(enumerate(expected, 1))


def test_a_single_thing_after_a_colon_is_no_list() -> None:
    assert items("The answer: Porto.") == []


@for_each("text", ["", "Porto is a city.", "Hello\nthere", "It rains and it snows."])
def test_a_text_without_a_list_has_no_items(text: str) -> None:
    assert items(text) == []


@for_each(
    "text",
    [
        "\n".join(f"- item{number}" for number in range(30)),
        "\n".join(f"{number + 1}. item{number}" for number in range(30)),
        "| head |\n|---|\n" + "\n".join(f"| item{number} |" for number in range(30)),
        "All: " + ", ".join(f"item{number}" for number in range(30)),
    ],
)
def test_items_past_the_tenth_are_left_out(text: str) -> None:
    assert items(text) == [(number + 1, f"item{number}") for number in range(MOST_ITEMS)]


def check_indices(text: str) -> None:
    words = words_of(text)
    found = list_items(text, words)
    assert all(0 <= index < len(words) for index in found)
    assert all(1 <= number <= MOST_ITEMS for number in found.values())
    assert not any(words[index].is_sign and words[index].text in "*|#>-•" for index in found)


LINES = st.sampled_from(
    [
        *("- a", "- ", "-", "- -", "* *b*", "1. c", "22) d", "333. e", "\t- f", "\u2028- g", "• •"),
        *("|", "| |", "|---|", "| h | i |", "j: k, l and m", ":", "  n", "", "(", ")", ",", "\r"),
    ]
)


@given(st.lists(LINES, max_size=30))
def test_each_item_is_a_word_of_the_text(lines: list[str]) -> None:
    check_indices("\n".join(lines))


@given(st.text(alphabet="-*•|:, \n\t1.)(ab_#", max_size=120))
def test_any_mixture_of_markup_can_be_read(text: str) -> None:
    check_indices(text)


@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    check_indices(text)


@given(st.lists(LINES, max_size=12), st.integers(0, 12))
def test_the_words_may_be_fewer_than_the_text_has(lines: list[str], count: int) -> None:
    text = "\n".join(lines)
    words = words_of(text)[:count]
    assert all(0 <= index < len(words) for index in list_items(text, words))


@for_each("make", TEXTS.values(), ids=TEXTS)
def test_hostile_texts_can_be_read(make: Callable[[int], str]) -> None:
    check_indices(make(2_000))
