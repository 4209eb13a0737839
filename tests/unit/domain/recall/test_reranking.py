from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.recall.entry import Entry
from recollect.domain.recall.ranking import Ranked
from recollect.domain.recall.reranking import RerankPolicy, readable_texts, reranked
from recollect.errors import InvalidInput
from support.recall.scripted_index import an_entry, candidates_of

SESSION = uuid4()
SCORES = st.floats(min_value=-20, max_value=20)


def ranking(*scores: float) -> list[Ranked]:
    entries = [an_entry(f"number {number}") for number in range(len(scores))]
    return list(map(Ranked, candidates_of(entries), sorted(scores, reverse=True)))


def texts(ranked: list[Ranked]) -> list[str]:
    return [one.candidate.entry.text for one in ranked]


@pytest.mark.parametrize(
    ("text", "candidates"), [("off", 0), ("auto", None), (" AUTO ", None), ("2", 2), ("100", 100)]
)
def test_a_policy_is_off_auto_or_a_number(text: str, candidates: int | None) -> None:
    assert RerankPolicy.parse(text) == RerankPolicy(candidates=candidates)


@pytest.mark.parametrize("text", ["", "on", "1", "0", "-5", "101", "1e2", "٣", "9" * 9])
def test_another_policy_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="off, auto or a number from 2 to 100"):
        RerankPolicy.parse(text)


def test_a_clear_score_of_the_cross_encoder_changes_the_order() -> None:
    assert texts(reranked(ranking(1.0, 0.9, 0.8), [-8.0, 8.0, -8.0]))[0] == "number 1"


def test_the_first_ranking_decides_between_equal_scores() -> None:
    ranked = ranking(1.0, 0.9, 0.8)
    assert texts(reranked(ranked, [3.0, 3.0, 3.0])) == texts(ranked)


def test_an_entry_that_is_not_read_keeps_its_place_among_those_that_are() -> None:
    result = reranked(ranking(1.0, 0.9, 0.8, 0.7), [-8.0, None, 8.0])
    assert texts(result) == ["number 2", "number 1", "number 0", "number 3"]
    assert [one.score for one in result] == [1.0, 0.9, 0.8, 0.7]


def test_the_messages_of_a_log_are_moved_by_smaller_differences_than_exchanges() -> None:
    pairs = [
        [Ranked(in_a_log(text, sequence=n, speaker=speaker).candidate, 1.0 - 0.5 * n)]
        for speaker in (None, "Ann")
        for n, text in enumerate(("first", "second"))
    ]
    exchanges, log = [*pairs[0], *pairs[1]], [*pairs[2], *pairs[3]]
    assert texts(reranked(exchanges, [-4.0, 4.0])) == ["first", "second"]
    assert texts(reranked(log, [-4.0, 4.0])) == ["second", "first"]


def test_a_slightly_better_score_does_not_undo_a_clear_first_ranking() -> None:
    assert texts(reranked(ranking(1.5, 0.5), [1.0, 2.0]))[0] == "number 0"


@given(
    st.lists(st.floats(min_value=-1, max_value=3), max_size=12),
    st.lists(SCORES | st.none(), max_size=12),
)
def test_nothing_is_lost_and_scores_descend(first: list[float], scores: list[float | None]) -> None:
    ranked = ranking(*first)
    scores = scores[: len(ranked)]
    result = reranked(ranked, scores)
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
