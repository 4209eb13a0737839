from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.recall.query import RecallQuestion, read_question
from recollect.domain.recall.ranking import Ranked
from recollect.domain.recall.reranking import RerankPolicy, readable_texts, reranked
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.recall.scripted_index import an_entry, candidates_of
from support.tables import for_each

SESSION = uuid4()
SPEAKERS = ("Ann", "Bob")
SCORES = st.floats(min_value=-20, max_value=20)


def ranking(*scores: float) -> list[Ranked]:
    entries = [an_entry(f"number {number}") for number in range(len(scores))]
    return list(map(Ranked, candidates_of(entries), sorted(scores, reverse=True)))


def asked(text: str) -> RecallQuestion:
    return read_question(text, speakers=SPEAKERS, language="en", now=FIRST_MOMENT)


def read_again(
    ranked: Sequence[Ranked],
    scores: Sequence[float | None],
    *,
    question: str = "the boat?",
    around: Sequence[Ranked] = (),
) -> list[Ranked]:
    return reranked(ranked, scores, asked(question), around=around)


def texts(ranked: list[Ranked]) -> list[str]:
    return [one.candidate.entry.text for one in ranked]


@for_each(
    ("text", "candidates"), [("off", 0), ("auto", None), (" AUTO ", None), ("2", 2), ("100", 100)]
)
def test_a_policy_is_off_auto_or_a_number(text: str, candidates: int | None) -> None:
    assert RerankPolicy.parse(text) == RerankPolicy(candidates=candidates)


@for_each("text", ["", "on", "1", "0", "-5", "101", "1e2", "٣", "9" * 9])
def test_another_policy_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="off, auto or a number from 2 to 100"):
        RerankPolicy.parse(text)


def test_a_clear_score_of_the_cross_encoder_changes_the_order() -> None:
    assert texts(read_again(ranking(1.0, 0.9, 0.8), [-8.0, 8.0, -8.0]))[0] == "number 1"


def test_the_first_ranking_decides_between_equal_scores() -> None:
    ranked = ranking(1.0, 0.9, 0.8)
    assert texts(read_again(ranked, [3.0, 3.0, 3.0])) == texts(ranked)


def test_an_entry_that_is_not_read_keeps_its_place_among_those_that_are() -> None:
    result = read_again(ranking(1.0, 0.9, 0.8, 0.7), [-8.0, None, 8.0])
    assert texts(result) == ["number 2", "number 1", "number 0", "number 3"]
    assert [one.score for one in result] == [1.0, 0.9, 0.8, 0.7]


def test_the_messages_of_a_log_are_moved_by_smaller_differences_than_exchanges() -> None:
    pairs = [
        [Ranked(in_a_log(text, sequence=n, speaker=speaker).candidate, 1.0 - 0.5 * n)]
        for speaker in (None, "Ann")
        for n, text in enumerate(("first", "second"))
    ]
    exchanges, log = [*pairs[0], *pairs[1]], [*pairs[2], *pairs[3]]
    assert texts(read_again(exchanges, [-4.0, 4.0])) == ["first", "second"]
    assert texts(read_again(log, [-4.0, 4.0])) == ["second", "first"]


def test_a_slightly_better_score_does_not_undo_a_clear_first_ranking() -> None:
    assert texts(read_again(ranking(1.5, 0.5), [1.0, 2.0]))[0] == "number 0"


@given(
    st.lists(st.floats(min_value=-1, max_value=3), max_size=12),
    st.lists(SCORES | st.none(), max_size=12),
)
def test_nothing_is_lost_and_scores_descend(first: list[float], scores: list[float | None]) -> None:
    ranked = ranking(*first)
    scores = scores[: len(ranked)]
    result = read_again(ranked, scores)
    assert sorted(texts(result)) == sorted(texts(ranked))
    assert texts(result)[len(scores) :] == texts(ranked)[len(scores) :]
    assert [one.score for one in result] == sorted((one.score for one in result), reverse=True)


def in_a_log(text: str, *, sequence: int, speaker: str | None) -> Ranked:
    entry = an_entry(text, session_id=SESSION, message_ids=(uuid4(),))
    entry = Entry(*entry._replace(sequence=sequence, speaker=speaker))
    return Ranked(candidates_of([entry])[0], 1.0)


def test_a_message_of_a_log_is_read_with_its_speaker_and_the_message_before_it() -> None:
    question = in_a_log("Have you finished the bowl?", sequence=4, speaker="Ann")
    answer = in_a_log("Yes, last Friday!", sequence=5, speaker="Bob")
    assert readable_texts([answer, question], around=[question, answer]) == [
        "Ann: Have you finished the bowl? Bob: Yes, last Friday!",
        "Ann: Have you finished the bowl?",
    ]


def test_of_a_long_message_before_only_the_end_is_read() -> None:
    question = in_a_log("word " * 5000 + "Ready?", sequence=4, speaker="Ann")
    answer = in_a_log("Yes!", sequence=5, speaker="Bob")
    (text,) = readable_texts([answer], around=[question])
    assert text.endswith("Ready? Bob: Yes!")
    assert len(text) < 300


def test_a_message_is_read_alone_if_the_one_before_it_is_unknown() -> None:
    answer = in_a_log("Yes, last Friday!", sequence=5, speaker="Bob")
    elsewhere = in_a_log("Shall we?", sequence=3, speaker="Ann")
    assert readable_texts([answer], around=[answer, elsewhere]) == ["Bob: Yes, last Friday!"]


def test_an_exchange_is_read_as_it_is() -> None:
    first = in_a_log("Question: one?", sequence=1, speaker=None)
    second = in_a_log("Question: two?", sequence=2, speaker=None)
    assert readable_texts([second], around=[first, second]) == ["Question: two?"]


def test_the_speaker_who_is_asked_about_counts_more_than_at_first() -> None:
    ann = in_a_log("Yes, it is sold.", sequence=1, speaker="Ann")
    bob = in_a_log("It was too old.", sequence=9, speaker="Bob")._replace(score=0.95)
    assert texts(read_again([ann, bob], [0.0, 0.0]))[0] == ann.candidate.entry.text
    found = read_again([ann, bob], [0.0, 0.0], question="What did Bob do with the boat?")
    assert texts(found)[0] == bob.candidate.entry.text


def test_the_time_that_is_asked_for_counts_more_than_at_first() -> None:
    late, then = (in_a_log(text, sequence=n, speaker="Ann") for n, text in enumerate("ab"))
    moved = late.candidate.entry._replace(said_at=FIRST_MOMENT + timedelta(days=90))
    late = Ranked(late.candidate._replace(entry=Entry(*moved)), 1.3)
    day = f"What did she do on {FIRST_MOMENT:%d %B %Y}?"
    assert texts(read_again([late, then], [0.0, 0.0])) == ["a", "b"]
    assert texts(read_again([late, then], [0.0, 0.0], question=day)) == ["b", "a"]


def test_speaker_and_time_change_nothing_between_exchanges() -> None:
    ranked = ranking(1.0, 0.99)
    moved = ranked[0].candidate.entry._replace(said_at=FIRST_MOMENT + timedelta(days=90))
    ranked[0] = Ranked(ranked[0].candidate._replace(entry=Entry(*moved)), 1.0)
    day = f"What did Ann do on {FIRST_MOMENT:%d %B %Y}?"
    assert texts(read_again(ranked, [0.0, 0.0], question=day)) == texts(ranked)


def after_a_match(before: Ranked, *, words: float = 10.0, meaning: float | None = 0.9) -> Ranked:
    """What Bob says right after a message that matches the question."""
    entry = in_a_log("Great!", sequence=5, speaker="Bob").candidate.entry
    candidate = Candidate(entry=entry, words=(words, 0.0), meanings=(meaning, 0.1), own=1)
    return Ranked(candidate, before.score)


@pytest.mark.parametrize(("words", "meaning"), [(10.0, None), (0.0, 0.9)])
def test_a_message_does_not_win_by_the_match_of_the_one_before_it(
    words: float, meaning: float | None
) -> None:
    before = in_a_log("I sold the boat.", sequence=4, speaker="Ann")
    praise, other = (
        after_a_match(before, words=words, meaning=meaning),
        in_a_log("Sold!", sequence=9, speaker="Ann"),
    )
    found = read_again([praise, other], [1.0, 0.0], around=[before, praise, other])
    assert texts(found) == ["Sold!", "Great!"]


def test_a_reply_keeps_the_match_of_the_question_before_it() -> None:
    before = in_a_log("Did you sell the boat?", sequence=4, speaker="Ann")
    reply, other = after_a_match(before), in_a_log("Sold!", sequence=9, speaker="Ann")
    found = read_again([reply, other], [1.0, 0.0], around=[before, reply, other])
    assert texts(found) == ["Great!", "Sold!"]


def test_who_goes_on_after_a_question_of_their_own_does_not_reply() -> None:
    before = in_a_log("Did you sell the boat?", sequence=4, speaker="Bob")
    more, other = after_a_match(before), in_a_log("Sold!", sequence=9, speaker="Ann")
    found = read_again([more, other], [1.0, 0.0], around=[before, more, other])
    assert texts(found) == ["Sold!", "Great!"]


def test_a_message_before_that_is_not_read_does_not_count() -> None:
    before = in_a_log("I sold the boat.", sequence=4, speaker="Ann")
    praise, other = after_a_match(before), in_a_log("Sold!", sequence=9, speaker="Ann")
    found = read_again([praise, other], [1.0, 0.0], around=[praise, other])
    assert texts(found) == ["Great!", "Sold!"]


def test_a_long_message_before_counts_as_little_as_is_read_of_it() -> None:
    before = in_a_log("I sold the boat. " * 200, sequence=4, speaker="Ann")
    praise, other = after_a_match(before), in_a_log("Sold!", sequence=9, speaker="Ann")
    found = read_again([praise, other], [1.0, 0.0], around=[before, praise, other])
    assert texts(found) == ["Great!", "Sold!"]
