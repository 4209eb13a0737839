"""The small words that edits lack."""

import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, apply_edits, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.mending import mended, with_full_names
from recollect.models.followup.phrasing import (
    with_answer,
    with_base_verb,
    with_comma,
    with_counted,
    with_one_article,
    with_one_genitive,
    with_question_mark,
    with_small_words,
)
from support.edited_questions import edited_question
from support.tables import for_each

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
    made = mended(edited_question(question, blocks, edits, EN, lists=LISTS))
    return apply_edits(question, blocks, made, function_words=LISTS.function_words)


def test_a_name_in_the_place_of_a_possessive_is_one() -> None:
    tower = Insertion(gap=2, span=Span(0, 4, 5))
    asked = "Who is its architect?"
    said = rewritten(asked, "How high is the Euromast tower?", tower, deleted={2})
    assert said == "Who is Euromast tower's architect?"


@for_each("question", ["Who is her?", "Who met her after that?", "Who is it then?"])
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
    made = with_full_names(edited_question(question, blocks, edits, EN))
    return apply_edits(question, blocks, made, function_words=LISTS.function_words)


@for_each(
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


@for_each(
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


@for_each(
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


@for_each(
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


@for_each(
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


@for_each(
    ("question", "history", "language", "connector", "expected"),
    [
        ("What is its weight?", "Which is the old cat?", "en", "of", "What is the weight of cat?"),
        ("Wat zijn hun namen?", "Wie zijn de kapiteins?", "nl", "van", "de namen van kapiteins?"),
        ("Quels sont leurs noms ?", "Qui sont les capitaines ?", "fr", "de", "les noms de"),
    ],
)
def test_a_noun_keeps_an_article_when_its_possessive_goes(
    question: str, history: str, language: str, connector: str, expected: str
) -> None:
    blocks = [Block(role=Role.USER, text=history, words=words_of(history))]
    last = len(blocks[0].words) - 2
    owner = Insertion(gap=4, span=Span(0, last, last), connector=connector)
    edits = Edits(deleted=frozenset({2}), insertions=(owner,))
    made = mended(edited_question(question, blocks, edits, words_for(language), lists=LISTS))
    said = apply_edits(question, blocks, made, function_words=LISTS.function_words)
    assert expected in said


def test_what_somebody_has_gets_an_article_in_a_fragment_too() -> None:
    last = "How tall is Otto?"
    blocks = [Block(role=Role.USER, text=last, words=words_of(last))]
    beginning = Insertion(gap=0, span=Span(0, 0, 2))
    owner = Insertion(gap=3, span=Span(0, 3, 3), connector="of")
    edits = Edits(deleted=frozenset({0, 1}), insertions=(beginning, owner))
    made = mended(edited_question("And his horse?", blocks, edits, EN, lists=LISTS))
    said = apply_edits("And his horse?", blocks, made, function_words=LISTS.function_words)
    assert said == "How tall is the horse of Otto?"


def test_a_dutch_noun_without_the_ending_of_a_plural_gets_no_article() -> None:
    blocks = [Block(role=Role.USER, text="De kat", words=words_of("De kat"))]
    owner = Insertion(gap=4, span=Span(0, 1, 1), connector="van")
    edits = Edits(deleted=frozenset({2}), insertions=(owner,))
    edited = edited_question("Wat is zijn gewicht?", blocks, edits, words_for("nl"), lists=LISTS)
    assert mended(edited).articles == ()


@pytest.mark.parametrize("said", ["I have a dog named Rex", "I saw the dog today"])
def test_a_noun_in_the_place_of_a_pronoun_has_its_article(said: str) -> None:
    dog = Insertion(gap=3, span=Span(0, 3, 3))
    assert rewritten("How old is he?", said, dog, deleted={3}) == "How old is the dog?"


def test_a_name_in_the_place_of_a_pronoun_has_no_article() -> None:
    rex = Insertion(gap=3, span=Span(0, 3, 3))
    assert rewritten("How old is he?", "This is the Rex dog", rex, deleted={3}) == "How old is Rex?"


def test_a_number_is_one_of_things() -> None:
    asked = "Which harbour has the least number?"
    text = "Which harbour has the least number boats?"
    assert with_counted(text, asked, EN) == "Which harbour has the least number of boats?"
    assert with_counted(text, text, EN) == text
    assert with_counted("Do not list boats", "Do not list those", EN) == "Do not list boats"


@for_each(
    ("text", "question", "language", "expected"),
    [
        ("Which is longer the Elbe or the Oder?", "which is longer?", "en", "longer, the Elbe or"),
        ("Welke is langer de Maas of de Waal?", "Welke is langer?", "nl", "langer, de Maas of"),
        ("Which is longer in Kent or Essex?", "which is longer?", "en", "longer in Kent or Essex"),
        ("Which boat is longer?", "which is longer?", "en", "Which boat is longer?"),
    ],
)
def test_what_is_compared_follows_a_comma(
    text: str, question: str, language: str, expected: str
) -> None:
    assert expected in with_comma(text, question, words_for(language))


@for_each(
    ("text", "before", "expected"),
    [
        ("How many boats went to Oslo", "How many boats went to Hull?", "boats went to Oslo?"),
        ("Cuántos barcos van a Oslo", "¿Cuántos barcos van a Vigo?", "¿Cuántos barcos van a Oslo?"),
        ("Show boats in Oslo", "Show boats in Hull", "Show boats in Oslo"),
        ("How many boats went to Oslo!", "How many boats went to Hull?", "to Oslo!"),
    ],
)
def test_a_question_keeps_its_signs(text: str, before: str, expected: str) -> None:
    blocks = [Block(role=Role.USER, text=before, words=words_of(before))]
    beginning = Edits(insertions=(Insertion(gap=0, span=Span(0, 0, 3)),))
    assert with_question_mark(text, blocks, beginning).endswith(expected)
    middle = Edits(insertions=(Insertion(gap=0, span=Span(0, 2, 3)),))
    assert with_question_mark(text, blocks, middle) == text


def after_question_back(text: str, asked: str, back: str = "Which number?") -> str:
    blocks = [
        Block(role=role, text=said, words=words_of(said))
        for role, said in ((Role.ASSISTANT, back), (Role.USER, asked))
    ]
    return with_answer(text, blocks, EN)


def test_an_answer_follows_what_was_asked_after_a_comma() -> None:
    asked = "I want to send back a lamp."
    text = "I want to send back a lamp LX-12"
    assert after_question_back(text, asked) == "I want to send back a lamp, LX-12"
    assert after_question_back(text, asked, "All right.") == text
    place = "I want to send back a lamp from Hull"
    assert after_question_back(place, asked) == place
    assert after_question_back("Send back a chair", asked) == "Send back a chair"


def test_a_verb_after_did_not_has_no_past() -> None:
    assert with_base_verb("Which crews did not won a cup?", EN) == "Which crews did not win a cup?"
    assert with_base_verb("Which crews won a cup?", EN) == "Which crews won a cup?"
    assert with_base_verb("Wie niet won?", words_for("nl")) == "Wie niet won?"
