"""Cutting questions and histories into words, and carrying out span edits."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import (
    Block,
    Edits,
    Insertion,
    ReadingLimits,
    Span,
    apply_edits,
    recent_blocks,
    words_of,
)
from support.followups import conversation
from support.tables import for_each

FUNCTION_WORDS = frozenset({"the", "show", "in", "la"})


LIMITS = ReadingLimits()


def texts(text: str) -> list[str]:
    return [word.text for word in words_of(text)]


def block(text: str) -> Block:
    return Block(role=Role.USER, text=text, words=words_of(text))


def inserted(
    gap: int, text: str, *, among: str, connector: str = "", is_possessive: bool = False
) -> Insertion:
    """An insertion of words that a block has once."""
    words, wanted = texts(among), texts(text)
    first = next(n for n in range(len(words)) if words[n : n + len(wanted)] == wanted)
    return Insertion(
        gap=gap,
        span=Span(0, first, first + len(wanted) - 1),
        connector=connector,
        is_possessive=is_possessive,
    )


def applied(
    question: str, history: str, *insertions: Insertion, deleted: tuple[int, ...] = ()
) -> str:
    """A question with edits whose spans are words of one message."""
    edits = Edits(deleted=frozenset(deleted), insertions=insertions)
    return apply_edits(question, [block(history)], edits, function_words=FUNCTION_WORDS)


@for_each(
    ("text", "words"),
    [
        ("What about 2023?", ["What", "about", "2023", "?"]),
        ("It cost 1,234.50 at 10:30.", ["It", "cost", "1,234.50", "at", "10:30", "."]),
        ("snake_case", ["snake", "_", "case"]),
        ("B2B-sales", ["B2B", "-", "sales"]),
        ("", []),
        (" \n", []),
    ],
)
def test_a_text_is_cut_into_words_numbers_and_signs(text: str, words: list[str]) -> None:
    assert texts(text) == words


@for_each(
    ("text", "words"),
    [
        ("Combien coûte l'abonnement ?", ["Combien", "coûte", "l'", "abonnement", "?"]),
        ("Qu'est-ce que c'est ?", ["Qu'", "est", "-", "ce", "que", "c'", "est", "?"]),
        ("L\u2019été d\u2019avant", ["L\u2019", "été", "d\u2019", "avant"]),
    ],
)
def test_a_french_elision_is_a_word_of_its_own(text: str, words: list[str]) -> None:
    assert texts(text) == words


def test_an_english_contraction_is_no_elision() -> None:
    assert texts("It isn't Anna's") == ["It", "isn", "'", "t", "Anna", "'", "s"]


@for_each(
    ("text", "words"),
    [
        ("¿Puedes explicarlo?", ["¿", "Puedes", "explicar", "lo", "?"]),
        ("mostrarlas", ["mostrar", "las"]),
        ("decirles", ["decir", "les"]),
        ("haciéndolo", ["haciéndo", "lo"]),
        ("oírlos", ["oír", "los"]),
    ],
)
def test_a_spanish_enclitic_is_a_word_of_its_own(text: str, words: list[str]) -> None:
    assert texts(text) == words


@for_each("text", ["Orlando", "hablar", "solo", "reglas"])
def test_a_word_without_an_enclitic_stays_whole(text: str) -> None:
    assert texts(text) == [text]


@given(st.text(max_size=200))
def test_words_stand_in_their_text_in_order_and_leave_out_only_spaces(text: str) -> None:
    words = words_of(text)
    assert all(text[word.start : word.end] == word.text for word in words)
    assert all(one.end <= other.start for one, other in pairwise(words))
    covered = {place for word in words for place in range(word.start, word.end)}
    assert all(char.isspace() for place, char in enumerate(text) if place not in covered)


def test_only_words_that_begin_with_a_letter_or_a_digit_are_no_signs() -> None:
    assert [word.is_sign for word in words_of("in 2023?")] == [False, False, True]


def test_the_newest_message_is_read_first() -> None:
    history = conversation("user: One", "assistant: Two", "user: Three", "assistant: Four")
    blocks = recent_blocks(history, ReadingLimits())
    assert [one.text for one in blocks] == ["Four", "Three", "Two", "One"]
    assert [one.role for one in blocks] == [Role.ASSISTANT, Role.USER] * 2


def test_of_each_message_as_many_words_are_read_as_its_place_allows() -> None:
    long = "word " * 100
    history = conversation(
        f"user: {long}", f"assistant: {long}", f"user: {long}", f"assistant: {long}"
    )
    limits = ReadingLimits(last_reply=64, reply=28, user=40, total=1000)
    assert [len(one.words) for one in recent_blocks(history, limits)] == [64, 40, 28, 40]


def test_the_text_of_a_block_ends_with_its_last_word() -> None:
    history = conversation("user: The rent in Porto is high. It rises.")
    (only,) = recent_blocks(history, ReadingLimits(user=4))
    assert only.text == "The rent in Porto"


def test_all_blocks_together_hold_little_more_than_the_total() -> None:
    history = conversation(*(f"user: {'word ' * 30}" for _ in range(12)))
    blocks = recent_blocks(history, ReadingLimits(total=120))
    assert sum(len(one.words) for one in blocks) <= 120 + 20


def test_no_more_messages_are_read_than_the_limit_and_the_first_question() -> None:
    history = conversation(*(f"user: Question {number}" for number in range(30)))
    blocks = recent_blocks(history, ReadingLimits(messages=5))
    assert [one.text for one in blocks] == [f"Question {n}" for n in (29, 28, 27, 26, 25, 0)]


def test_the_first_question_has_a_place_after_long_replies() -> None:
    replies = [f"assistant: {'word ' * 200}" for _ in range(8)]
    history = conversation("user: What is the rent in Porto?", *replies)
    blocks = recent_blocks(history, ReadingLimits())
    assert blocks[-1].text == "What is the rent in Porto?"


def test_a_title_that_the_conversation_opens_with_has_a_place_after_long_replies() -> None:
    turns = [f"{role}: {'word ' * 200}" for _ in range(8) for role in ("user", "assistant")]
    *_, question, title = recent_blocks(conversation("assistant: Porto: rents", *turns), LIMITS)
    assert (title.text, title.is_title) == ("Porto: rents", True)
    assert question.role is Role.USER


@for_each(
    "opening", ["user: Porto: rents", "assistant: How can I help?", f"assistant: {'word ' * 40}"]
)
def test_neither_a_sentence_nor_a_question_is_a_title(opening: str) -> None:
    history = conversation(opening, "user: What is the rent?", "assistant: High.")
    assert not any(one.is_title for one in recent_blocks(history, LIMITS))


@given(st.lists(st.integers(1, 90), min_size=1, max_size=20))
def test_a_title_takes_its_words_from_the_other_messages(sizes: list[int]) -> None:
    turns = [f"assistant: {'word ' * size}." for size in sizes]
    history = conversation("assistant: Rents in Porto", *turns, "user: What now?")
    words = sum(len(one.words) for one in recent_blocks(history, LIMITS))
    assert words <= LIMITS.total + 20


def test_of_a_long_first_question_the_beginning_is_read() -> None:
    replies = [f"assistant: {'word ' * 200}" for _ in range(8)]
    history = conversation(f"user: {'first ' * 100}", *replies)
    assert len(recent_blocks(history, ReadingLimits())[-1].words) >= 20


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant"]), st.integers(1, 90)),
        min_size=1,
        max_size=20,
    )
)
def test_the_first_question_always_has_a_place(messages: list[tuple[str, int]]) -> None:
    history = conversation(*(f"{role}: {'word ' * size}" for role, size in messages))
    blocks = recent_blocks(history, ReadingLimits())
    has_question = any(role == "user" for role, _ in messages)
    assert any(one.role is Role.USER for one in blocks) == has_question


def test_empty_messages_are_left_out() -> None:
    history = conversation("user: Hello", "assistant:  ", "user: \n")
    assert [one.text for one in recent_blocks(history, ReadingLimits())] == ["Hello"]


def test_a_history_without_messages_has_no_blocks() -> None:
    assert recent_blocks((), ReadingLimits()) == []


def test_a_deleted_word_is_replaced_by_a_span() -> None:
    history = "Tell me about Mont Blanc."
    rewrite = applied(
        "How high is it?", history, inserted(3, "Mont Blanc", among=history), deleted=(3,)
    )
    assert rewrite == "How high is Mont Blanc?"


def test_a_connector_stands_before_its_span() -> None:
    history = "What is the rent in Porto?"
    span = inserted(4, "Porto", among=history, connector="in")
    assert applied("And what about parking?", history, span) == "And what about parking in Porto?"


def test_spans_at_one_place_keep_their_order() -> None:
    history = "Sales in Porto for 2024"
    first = inserted(2, "in Porto", among=history)
    second = inserted(2, "2024", among=history, connector="for")
    assert applied("Show returns", history, first, second) == "Show returns in Porto for 2024"


def test_what_stood_together_stays_together() -> None:
    history = "What is the rent in Porto?"
    question = "What's the Wi-Fi (5 GHz) price?"
    end = len(texts(question)) - 1
    span = inserted(end, "Porto", among=history, connector="in")
    assert applied(question, history, span) == "What's the Wi-Fi (5 GHz) price in Porto?"


def test_what_stood_together_is_parted_by_what_is_inserted_there() -> None:
    history = "What is the rent in Porto?"
    span = inserted(texts("price/m2?").index("m2"), "Porto", among=history)
    assert applied("price/m2?", history, span) == "price/Porto m2?"


def test_no_space_follows_an_elision() -> None:
    history = "Parle-moi de abonnement annuel."
    span = inserted(3, "abonnement annuel", among=history, connector="l'")
    rewrite = applied("Combien coûte -t-il ?", history, span, deleted=(2, 3, 4, 5))
    assert rewrite == "Combien coûte l'abonnement annuel?"


def test_a_possessive_is_added_to_its_span() -> None:
    history = "Who was Marie Curie?"
    span = inserted(2, "Marie Curie", among=history, is_possessive=True)
    rewrite = applied("What was her field?", history, span, deleted=(2,))
    assert rewrite == "What was Marie Curie's field?"


def test_a_rewrite_begins_with_a_capital() -> None:
    history = "show sales by region"
    span = inserted(0, "sales by region", among=history)
    assert applied("for 2023", history, span) == "Sales by region for 2023"


def test_a_capital_follows_the_opening_sign_of_a_spanish_question() -> None:
    history = "Háblame de la torre"
    span = inserted(1, "la torre", among=history)
    assert applied("¿y su altura?", history, span, deleted=(1, 2)) == "¿La torre altura?"


def test_a_span_stands_after_the_opening_sign_without_a_space() -> None:
    history = "Háblame de Granada"
    span = inserted(1, "Granada", among=history, connector="en")
    assert applied("¿cuánto cuesta?", history, span) == "¿En Granada cuánto cuesta?"


@for_each("before", ["", "Thanks. ", "Well: ", "One?\n"])
def test_a_function_word_that_opened_a_sentence_loses_its_capital(before: str) -> None:
    history = f"{before}The rent in Porto"
    span = inserted(2, "The rent in Porto", among=history)
    assert applied("What is it?", history, span, deleted=(2,)) == "What is the rent in Porto?"


def test_a_function_word_with_a_capital_inside_a_sentence_keeps_it() -> None:
    history = "I like La Paz"
    span = inserted(2, "La Paz", among=history)
    assert applied("Where is it?", history, span, deleted=(2,)) == "Where is La Paz?"


def test_a_name_that_opened_a_sentence_keeps_its_capital() -> None:
    history = "Porto is expensive."
    span = inserted(2, "Porto", among=history)
    assert applied("Where is it?", history, span, deleted=(2,)) == "Where is Porto?"


def test_signs_at_the_beginning_of_a_rewrite_are_dropped() -> None:
    assert applied("And, what is next?", "Porto", deleted=(0,)) == "What is next?"


def test_a_question_of_which_nothing_would_be_left_stays_as_it_is() -> None:
    assert applied("and it", "Porto", deleted=(0, 1)) == "and it"


@given(st.text(alphabet="abc ABC.?", max_size=60))
def test_without_edits_the_words_of_a_question_stay_as_they_are(question: str) -> None:
    kept = [word.lower() for word in texts(question) if word.isalnum()]
    rewrite = applied(question, "Porto")
    assert [word.lower() for word in texts(rewrite) if word.isalnum()] == kept


def test_a_quotation_that_begins_in_a_span_is_closed() -> None:
    history = conversation("user: Which flights leave from 'APG' today?")
    blocks = recent_blocks(history, ReadingLimits())
    span = Span(0, 1, 5)

    made = apply_edits(
        "How many are there?",
        blocks,
        Edits(insertions=(Insertion(gap=2, span=span),)),
        function_words=FUNCTION_WORDS,
    )

    assert made == "How many flights leave from 'APG' are there?"


@pytest.mark.parametrize(("asked", "said"), [("In each?", "in each?"), ("Pro?", "Pro?")])
def test_a_small_word_that_no_longer_begins_the_sentence_loses_its_capital(
    asked: str, said: str
) -> None:
    before = "How many boats"
    made = apply_edits(
        asked,
        [block(before)],
        Edits(insertions=(inserted(0, before, among=before),)),
        function_words=frozenset({"in", "pro"}),
        small_words=frozenset({"in"}),
    )
    assert made == f"{before} {said}"


def test_a_french_elision_is_followed_by_no_space() -> None:
    last = "Quel est le prix d'une poire ?"
    beginning = Insertion(gap=0, span=Span(0, 0, 4))

    assert applied("Et un melon ?", last, beginning, deleted=(0,)).startswith(
        "Quel est le prix d'un melon"
    )
    quoted = inserted(0, "Traduis 'lune'", among="Traduis 'lune' en grec")
    assert applied("Et en latin", "Traduis 'lune' en grec", quoted, deleted=(0,)) == (
        "Traduis 'lune' en latin"
    )
