"""Which edits are sound, and how sure a rewrite is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.languages import words_for
from recollect.models.followup.checks.sentences import doubled_articles, lacks_noun, says_twice
from recollect.models.followup.checks.soundness import is_sound
from recollect.models.followup.confidence import Calibration, WordLists, evidence
from recollect.models.followup.decoding import DecodedEdits
from support.edited_questions import edited_question
from support.tables import for_each

LISTS = WordLists(
    function_words=frozenset({"what", "is", "it", "the", "in", "by", "for", "that", "how", "s"}),
    pointers=frozenset({"it", "that", "there", "one"}),
    discardable=frozenset({"sorry", "meant", "about", "i"}),
)
SALES = "Show me total sales by region for 2024"
PEAK = "the Matterhorn in Wallis"


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def edits(*insertions: tuple[int, Span], deleted: tuple[int, ...] = ()) -> Edits:
    return Edits(
        deleted=frozenset(deleted),
        insertions=tuple(Insertion(gap=gap, span=span) for gap, span in insertions),
    )


def sound(
    question: str,
    history: str,
    made: Edits,
    *,
    language: str = "en",
    lists: WordLists = LISTS,
    is_data: bool = False,
) -> bool:
    known, blocks = words_for(language), [block(history)]
    return is_sound(edited_question(question, blocks, made, known, lists=lists, is_data=is_data))


def test_a_replaced_pronoun_is_sound() -> None:
    assert sound("How high is it?", PEAK, edits((3, Span(0, 0, 1)), deleted=(3,)))


@pytest.mark.parametrize("question", ["And there?", "Which one?"])
def test_a_pointer_that_carries_content_may_be_replaced(question: str) -> None:
    assert sound(question, PEAK, edits((1, Span(0, 1, 1)), deleted=(1,)))


def test_words_that_only_say_how_a_question_follows_may_be_lost() -> None:
    assert sound("Sorry, I meant 2023", SALES, edits((4, Span(0, 0, 6)), deleted=(0, 1, 2, 3)))


def test_edits_that_lose_a_restriction_are_not_sound() -> None:
    assert sound("Exclude North", SALES, edits((2, Span(0, 2, 3))))
    assert not sound("Exclude North", SALES, edits((2, Span(0, 2, 3)), deleted=(0,)))


def test_case_does_not_matter_for_what_is_lost() -> None:
    assert sound("IT grows?", PEAK, edits((0, Span(0, 1, 1)), deleted=(0,)))
    assert not sound("NORTH grows?", PEAK, edits((0, Span(0, 1, 1)), deleted=(0,)))


def test_deleted_signs_lose_nothing() -> None:
    assert sound("What about 2023?", SALES, edits((0, Span(0, 0, 6)), deleted=(0, 1, 3)))


def test_a_sentence_spliced_before_a_clause_is_not_sound() -> None:
    made = edits((0, Span(0, 0, 7)), deleted=(1,))
    assert not sound("Break that down by month", SALES, made)


def test_a_short_span_before_a_clause_is_sound() -> None:
    assert sound("Break that down by month", SALES, edits((0, Span(0, 2, 3)), deleted=(1,)))


def test_a_sentence_before_a_short_rest_is_sound() -> None:
    assert sound("Only Porto?", SALES, edits((0, Span(0, 0, 7))))


def test_a_sentence_after_the_beginning_of_a_clause_is_sound() -> None:
    assert sound("Break that down by month?", SALES, edits((1, Span(0, 2, 7)), deleted=(1,)))


def test_a_sentence_before_a_clause_that_opens_with_a_function_word_is_sound() -> None:
    assert sound("By month and by week?", SALES, edits((0, Span(0, 0, 7))))


def test_a_span_that_says_only_what_the_question_has_already_is_not_sound() -> None:
    assert not sound("And sales there?", SALES, edits((3, Span(0, 3, 3)), deleted=(2,)))


def test_what_the_question_loses_may_come_in_again() -> None:
    assert sound("Sorry, how high?", "so sorry", edits((4, Span(0, 1, 1)), deleted=(0, 1)))


def test_the_same_words_may_not_come_in_twice() -> None:
    history = "Matterhorn or the Matterhorn"
    assert sound("How high?", history, edits((2, Span(0, 0, 0))))
    assert not sound("How high?", history, edits((1, Span(0, 0, 0)), (2, Span(0, 2, 3))))


def test_a_word_is_deleted_with_the_rest_of_it_or_not_at_all() -> None:
    span = Span(0, 1, 1)
    assert not sound("That's high?", PEAK, edits((0, span), deleted=(0,)))
    assert sound("That's high?", PEAK, edits((0, span), deleted=(0, 1, 2)))


BLOCKS = [block("the rent in Porto", Role.ASSISTANT), block("show sales by region")]
DECODED = DecodedEdits(
    edits=edits((3, Span(0, 3, 3)), deleted=(3,)), need=2.0, likelihood=-1.5, weakest=-0.5
)


def found(
    decoded: DecodedEdits = DECODED, *, question: str = "How high is it?", language: str = "en"
) -> dict[str, float]:
    return evidence(words_of(question), BLOCKS, decoded, language=language, lists=LISTS)


@for_each("remark", ["for my boss", "by Friday", "1", "Perfect"])
def test_a_remark_is_not_put_into_the_last_question(remark: str) -> None:
    made = edits((0, Span(0, 0, 7)))
    assert not sound(remark, SALES, made)
    assert sound(f"{remark}?", SALES, made)


def test_a_part_of_a_word_does_not_come_in() -> None:
    history = "What's the weather in Porto?"
    assert not sound("What about Braga?", history, edits((2, Span(0, 2, 5)), deleted=(0, 1)))
    assert sound("What about Braga?", history, edits((2, Span(0, 0, 5)), deleted=(0, 1)))


def test_edits_stay_within_one_sentence() -> None:
    question, first, second = "Read it. Is that long?", Span(0, 1, 1), Span(0, 0, 1)
    assert sound(question, PEAK, edits((1, first), deleted=(1,)))
    assert not sound(question, PEAK, edits((1, first), (4, second), deleted=(1, 4)))


def test_what_is_added_takes_the_place_of_nothing_else() -> None:
    history = "How do I make an index in SQLite?"
    assert not sound("For two columns?", history, edits((0, Span(0, 0, 3))))
    assert sound("For two columns?", history, edits((0, Span(0, 0, 5))))
    assert sound("In Access?", history, edits((0, Span(0, 0, 5))))


def test_the_end_of_a_question_needs_its_beginning() -> None:
    history = "How much beer do I need for 25 people?"
    assert not sound("Wine?", history, edits((1, Span(0, 3, 8))))
    assert sound("Wine?", history, edits((0, Span(0, 0, 1)), (1, Span(0, 3, 8))))


def test_of_a_list_one_item_comes_in_or_all_of_them() -> None:
    history = "1. Urban\n2. Yuba\n3. Tern"
    one, two, three = Span(0, 2, 2), Span(0, 5, 5), Span(0, 8, 8)
    assert sound("Is it cheap?", history, edits((1, one), deleted=(1,)))
    assert not sound("Which is cheaper?", history, edits((3, one), (3, three)))
    assert sound("Which is cheaper?", history, edits((3, one), (3, two), (3, three)))


def test_a_comparison_needs_more_than_one_thing() -> None:
    history = "The train or the bus"
    assert not sound("Which is cheaper?", history, edits((3, Span(0, 0, 1))))
    assert sound("Which is cheaper?", history, edits((3, Span(0, 0, 4))))
    assert sound("Which is cheaper than that?", history, edits((4, Span(0, 0, 1)), deleted=(4,)))


def test_a_question_keeps_the_verb_that_it_begins_with() -> None:
    question = "Is that more than last year?"
    assert sound(question, PEAK, edits((1, Span(0, 0, 1)), deleted=(1,)))
    assert not sound(question, PEAK, edits((1, Span(0, 1, 1)), deleted=(0, 1)))
    assert not sound("Is that so?", PEAK, edits((0, Span(0, 3, 3)), deleted=(0, 1)))


def test_no_article_ends_a_question() -> None:
    known = words_for("en")
    assert lacks_noun("How much does each the?", "What about the first one?", known)
    assert not lacks_noun("How much does each weigh?", "What about the first one?", known)
    assert not lacks_noun("What does it mean, the?", "What does it mean, the?", known)
    assert not lacks_noun("What did Thomas A. Hendricks oppose?", "What did he oppose?", known)


def test_no_noun_follows_a_whole_question() -> None:
    question = "What about the dogs?"
    gone = (0, 1)
    assert not sound(question, "Show me all cats", edits((2, Span(0, 0, 3)), deleted=gone))
    assert sound(question, "Show me all facts on cats", edits((2, Span(0, 0, 4)), deleted=gone))


def test_a_denial_needs_its_verb() -> None:
    known, asked = words_for("en"), "and which ones didn't?"
    assert lacks_noun("Which shops didn't every week of the term?", asked, known)
    assert not lacks_noun("Which shops didn't deliver every week?", asked, known)


def test_an_article_does_not_follow_the_adjective_of_the_same_article() -> None:
    asked, known = "doe maar een MacBook", words_for("nl")
    history = [block("Ik wil een nieuwe laptop")]
    assert doubled_articles("Ik wil een nieuwe een MacBook", asked, history, known)
    assert not doubled_articles("Ik wil een nieuwe MacBook", asked, history, known)
    said = [block("Geef een man een fiets")]
    assert not doubled_articles("Geef een man een fiets", asked, said, known)


def test_a_word_is_not_said_twice() -> None:
    known = words_for("en")
    assert says_twice("How far is driving driving from Utrecht?", "And by train?", known)
    assert says_twice("Why is a red boat a boat with a motor slow?", "Why is it slow?", known)
    assert not says_twice("Is it very very far?", "Is it very very far?", known)
    assert not says_twice("Is the boat as fast as the ferry?", "Is it as fast?", known)


def test_evidence_tells_what_the_network_thinks_and_what_it_inserts() -> None:
    expected = {
        "need": 2.0,
        "likelihood": -1.5,
        "weakest": -0.5,
        "insertions": 1.0,
        "oldest": 0.0,
        "newest": 0.0,
        "question_words": 5.0,
        "inserted_words": 1.0,
        "lost_words": 0.0,
        "repeats_question": 0.0,
        "lacks_content": 0.0,
        "from_reply": 1.0,
        "lacks_capital": 0.0,
        "is_en": 1.0,
    }
    assert found().items() >= expected.items()


def test_evidence_names_the_newest_and_the_oldest_message_that_is_used() -> None:
    decoded = replace(DECODED, edits=edits((3, Span(0, 3, 3)), (3, Span(1, 0, 1))))
    assert (found(decoded)["newest"], found(decoded)["oldest"]) == (0.0, 1.0)


def test_evidence_tells_when_a_span_repeats_the_question() -> None:
    decoded = replace(DECODED, edits=edits((1, Span(0, 0, 1))))
    assert found(decoded, question="Rent there?")["repeats_question"] == 1.0
    assert found(decoded, question="Parking there?")["repeats_question"] == 0.0


def test_evidence_tells_when_a_span_lacks_content_and_capitals() -> None:
    decoded = replace(DECODED, edits=edits((3, Span(0, 0, 0))))
    assert (found(decoded)["lacks_content"], found(decoded)["lacks_capital"]) == (1.0, 1.0)


def test_evidence_of_a_span_from_a_question_is_not_from_a_reply() -> None:
    decoded = replace(DECODED, edits=edits((3, Span(1, 0, 1))))
    assert found(decoded)["from_reply"] == 0.0


@pytest.mark.parametrize("question", ["What about Porto?", "What about Lisbon?"])
def test_evidence_tells_what_both_have_said(question: str) -> None:
    blocks = [block("the rent in Porto", Role.ASSISTANT), block(question)]
    words = words_of("How high is it?")
    told = evidence(words, blocks, DECODED, language="en", lists=LISTS)
    is_in_both = question == "What about Porto?"
    assert (told["said_by_both"], told["from_reply"]) == (is_in_both, not is_in_both)


def test_evidence_counts_the_content_words_that_are_lost() -> None:
    decoded = replace(DECODED, edits=edits((3, Span(0, 3, 3)), deleted=(0, 1, 2, 4)))
    assert found(decoded)["lost_words"] == 1.0


def test_evidence_names_the_language() -> None:
    assert found(language="nl")["is_nl"] == 1.0
    assert "is_en" not in found(language="nl")


@pytest.mark.parametrize(
    ("need", "likelihood", "weakest", "expected"),
    [(99.0, -99.0, -99.0, (8.0, -12.0, -6.0)), (-99.0, 0.5, 0.5, (-8.0, 0.0, 0.0))],
)
def test_evidence_keeps_within_its_limits(
    need: float, likelihood: float, weakest: float, expected: tuple[float, ...]
) -> None:
    decoded = replace(DECODED, need=need, likelihood=likelihood, weakest=weakest)
    limited = found(decoded)
    assert (limited["need"], limited["likelihood"], limited["weakest"]) == expected


def test_many_words_and_insertions_count_no_more_than_their_limits() -> None:
    everything = edits(*((n, Span(1, 0, 3)) for n in range(8)), deleted=tuple(range(8)))
    limited = found(replace(DECODED, edits=everything), question="a b c d e f g h " * 3)
    assert limited["insertions"] == 5.0
    assert limited["inserted_words"] == 20.0
    assert limited["question_words"] == 15.0
    assert limited["lost_words"] == 3.0


def test_without_evidence_the_bias_alone_speaks() -> None:
    assert Calibration(0.0, {"need": 1.0}).confidence({}) == 0.5


def test_evidence_without_a_weight_does_not_count() -> None:
    calibration = Calibration(0.7, {"need": 1.0})
    assert calibration.confidence({"is_pt": 1.0}) == calibration.confidence({})


@given(st.floats(-5, 5), st.floats(-3, 3), st.floats(0.01, 2), st.floats(0.1, 6))
def test_confidence_rises_with_the_weight_of_what_speaks_for_it(
    bias: float, weight: float, more: float, value: float
) -> None:
    lower = Calibration(bias, {"need": weight}).confidence({"need": value})
    higher = Calibration(bias, {"need": weight + more}).confidence({"need": value})
    assert 0.0 < lower < higher < 1.0


@given(st.floats(-5, 5), st.floats(-3, -0.1), st.floats(-6, 6), st.floats(0.1, 2))
def test_confidence_falls_with_what_speaks_against_it(
    bias: float, weight: float, value: float, more: float
) -> None:
    calibration = Calibration(bias, {"from_reply": weight})
    higher = calibration.confidence({"from_reply": value})
    lower = calibration.confidence({"from_reply": value + more})
    assert 0.0 < lower < higher < 1.0


@pytest.mark.parametrize(
    ("question", "said", "gap", "span"),
    [
        ("Where do I live?", "I live in Ghent.", 4, Span(0, 2, 3)),
        ("Who am I?", "Hi, I'm Emma.", 3, Span(0, 5, 5)),
    ],
)
def test_what_was_said_is_not_put_behind_the_question_for_it(
    question: str, said: str, gap: int, span: Span
) -> None:
    assert not sound(question, said, edits((gap, span)))


def test_what_was_said_of_something_else_may_come_in() -> None:
    assert sound("Who is the CEO?", "Who founded Acme?", edits((4, Span(0, 2, 2))))


@pytest.mark.parametrize(("said", "is_kept"), [("total sales", False), ("is it late", True)])
def test_a_question_of_one_word_about_data_needs_a_verb(said: str, *, is_kept: bool) -> None:
    made = edits((1, Span(0, 0, len(said.split()) - 1)))
    assert sound("Why?", said, made, is_data=True) is is_kept


@for_each(
    "question",
    ["What about the reddest boat?", "For these, which are red?", "How about in Hull?"],
)
def test_no_sentence_follows_the_beginning_of_another(question: str) -> None:
    assert not sound(question, "List all fast boats", edits((0, Span(0, 0, 3))))


def test_a_change_of_data_does_not_begin_within_a_question() -> None:
    question, made = "How about in the north?", edits((2, Span(0, 3, 5)), deleted=(0, 1))
    assert not sound(question, "Show names and prices of boats", made, is_data=True)
    assert sound(question, "In May, how many boats came?", made, is_data=True)


@for_each(
    ("question", "language"),
    [
        ("Show me both", "en"),
        ("Toon mij beide", "nl"),
        ("Zeig mir beide", "de"),
        ("Muestra ahora ambos", "es"),
    ],
)
def test_two_things_that_were_named_are_not_one(question: str, language: str) -> None:
    made, rest = edits((len(question.split()), Span(0, 1, 1))), question.rsplit(" ", 1)[0]
    assert not sound(question, PEAK, made, language=language, is_data=True)
    assert sound(rest, PEAK, edits((1, Span(0, 1, 1))), language=language, is_data=True)


def test_a_clause_needs_its_noun_and_a_verb_its_form() -> None:
    known = words_for("en")
    assert lacks_noun("Show the names of who sail", "How about those who sail?", known)
    assert lacks_noun("Who did not been sold?", "What about those who did not?", known)
    assert not lacks_noun("Who has not been sold?", "What about those who did not?", known)
    assert lacks_noun("Which boats did not in Hull?", "Which did not?", known)


def test_a_fragment_does_not_come_behind_a_clause_that_it_may_replace() -> None:
    question, gone = "Sorry, for a wedding?", (0, 1)
    clause = "How much leave is there when I move?"
    assert not sound(question, clause, edits((2, Span(0, 0, 7)), deleted=gone))
    plain = "How much leave is there in total now?"
    assert sound(question, plain, edits((2, Span(0, 0, 7)), deleted=gone))


@pytest.mark.parametrize(("said", "is_kept"), [("were launched", False), ("in towns", True)])
def test_a_clause_about_those_does_not_follow_a_verb(said: str, *, is_kept: bool) -> None:
    question = "Show days for those that sail far?"
    made = edits((2, Span(0, 0, 1)), deleted=(2, 3))
    lists = replace(LISTS, pointers=LISTS.pointers | {"those"})
    assert sound(question, said, made, lists=lists, is_data=True) is is_kept


def test_an_article_after_a_plural_begins_a_clause() -> None:
    known, blocks = words_for("en"), [block("Show the boats")]
    asked = "What are the names of the towns they left?"
    assert not doubled_articles("the names of the towns the boats left", asked, blocks, known)
    assert doubled_articles("the names of the fast the boats", asked, blocks, known)
