"""The small words that edits lack."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, apply_edits, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.mending import (
    mended,
    with_full_names,
    with_one_article,
    with_one_genitive,
    with_small_words,
)

LISTS = WordLists(
    function_words=frozenset({"who", "is", "its", "her", "what", "about", "the"}),
    pointers=frozenset({"its", "her"}),
    discardable=frozenset(),
)
EN = words_for("en")


def rewritten(question: str, history: str, *insertions: Insertion, deleted: set[int]) -> str:
    """What mended edits make of a question after one message of the user's."""
    blocks = [Block(role=Role.USER, text=history, words=words_of(history))]
    edits = Edits(deleted=frozenset(deleted), insertions=insertions)
    made = mended(words_of(question), blocks, edits, LISTS, EN)
    return apply_edits(question, blocks, made, function_words=LISTS.function_words)


def test_a_name_in_the_place_of_a_possessive_is_one() -> None:
    tower = Insertion(gap=2, span=Span(0, 4, 5))
    asked = "Who is its architect?"
    said = rewritten(asked, "How high is the Euromast tower?", tower, deleted={2})
    assert said == "Who is Euromast tower's architect?"


@pytest.mark.parametrize("question", ["Who is her?", "Who met her after that?", "Who is it then?"])
def test_a_name_in_the_place_of_another_pronoun_is_none(question: str) -> None:
    name = Insertion(gap=2, span=Span(0, 2, 2))
    assert "'s" not in rewritten(question, "Where is Anna?", name, deleted={2})


def test_a_preposition_that_was_left_behind_comes_in() -> None:
    beginning = Insertion(gap=2, span=Span(0, 0, 2))
    history = "List all facts about the owners"
    said = rewritten("What about the tenants", history, beginning, deleted={0, 1})
    assert said == "List all facts about the tenants"


def test_no_preposition_comes_in_before_another_one() -> None:
    beginning = Insertion(gap=2, span=Span(0, 0, 2))
    said = rewritten("What about on Sundays", "List all facts about it", beginning, deleted={0, 1})
    assert said == "List all facts on Sundays"


def in_full(name: str, title: str, question: str = "") -> str:
    """What an inserted name becomes after a conversation with a title."""
    blocks = [
        Block(role=Role.USER, text=name, words=words_of(name)),
        Block(role=Role.ASSISTANT, text=title, words=words_of(title), is_title=True),
    ]
    edits = Edits(insertions=(Insertion(gap=0, span=Span(0, 0, len(words_of(name)) - 1)),))
    made = with_full_names(words_of(question), blocks, edits, EN)
    return apply_edits(question, blocks, made, function_words=LISTS.function_words)


@pytest.mark.parametrize(
    ("name", "title", "full"),
    [
        ("Dempsey", "Patrick Dempsey: the 1990s", "Patrick Dempsey"),
        ("Kit", "Kit Carson", "Kit Carson"),
        ("Van Sant", "Gus Van Sant (director): Early career", "Gus Van Sant"),
        ("Jayewardene", "J. R. Jayewardene: Education", "J. R. Jayewardene"),
    ],
)
def test_a_name_comes_in_as_the_title_has_it(name: str, title: str, full: str) -> None:
    assert in_full(name, title) == full


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Leno", "The Jay Leno Show: Impact"),
        ("Carl Dempsey", "Patrick Dempsey: the 1990s"),
        ("Ice", "Miracle on Ice: Exhibitions"),
        ("Patrick Dempsey", "Patrick Dempsey"),
        ("Legacy", "Queen: Legacy"),
    ],
)
def test_what_is_no_part_of_a_name_in_the_title_stays(name: str, title: str) -> None:
    assert in_full(name, title) == name


def test_a_question_with_a_part_of_the_name_takes_no_more_than_it_needs() -> None:
    said = in_full("Dra\u017een", "Dra\u017een Petrovi\u0107: Early career", "Petrovic?")
    assert said == "Dra\u017een Petrovic?"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Show a name for each the students.", "Show a name for each of the students."),
        ("Show every the student.", "Show each of the student."),
        ("List our three the least busy shops", "List our three least busy shops"),
        ("List each student of the school", "List each student of the school"),
    ],
)
def test_a_quantifier_before_an_article_is_followed_by_of(text: str, whole: str) -> None:
    assert with_small_words(text, EN) == whole


def test_other_languages_keep_their_words() -> None:
    assert with_small_words("elk de man", words_for("nl")) == "elk de man"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Ik wil een nieuwe een MacBook", "Ik wil een nieuwe MacBook"),
        ("Ik wil een Dell een MacBook", "Ik wil een Dell een MacBook"),
        ("Geef een man een fiets", "Geef een man een fiets"),
    ],
)
def test_of_two_articles_around_an_adjective_one_stays(text: str, whole: str) -> None:
    said = "Geef een man een fiets"
    history = [Block(role=Role.USER, text=said, words=words_of(said))]
    assert with_one_article(text, "een MacBook", history, words_for("nl")) == whole


@pytest.mark.parametrize(
    ("text", "question", "whole"),
    [
        ("What is the rent of Anna's?", "and Anna's?", "What is the rent of Anna?"),
        ("Who is a friend of Anna's?", "a friend of Anna's?", "Who is a friend of Anna's?"),
        ("What is Anna's rent?", "and Anna's?", "What is Anna's rent?"),
        ("s", "s", "s"),
    ],
)
def test_after_of_no_second_genitive_stands(text: str, question: str, whole: str) -> None:
    assert with_one_genitive(text, question, EN) == whole


def test_a_demonstrative_before_a_noun_that_stays_is_kept() -> None:
    place = Insertion(gap=4, span=Span(0, 3, 4))
    said = rewritten("Who built that building?", "Show the building in Hull", place, deleted={2})
    assert said == "Who built that building in Hull?"
