from collections import Counter
from datetime import timedelta
from itertools import chain
from random import Random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.language import words_of
from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.recall.query import read_question
from recollect.domain.recall.ranking import Bm25Index, rank, said_once
from recollect.testing import FIRST_MOMENT
from support.recall.search_comparison import Scores

WORDS = st.sampled_from(["skis", "sledge", "snow", "ice", "sun"])
ENTRY = st.dictionaries(WORDS, st.integers(1, 9))
QUESTION = st.dictionaries(WORDS, st.floats(0.1, 3))
SCORES = st.builds(
    Scores, lexical=st.floats(0, 50), semantic=st.none() | st.floats(-1, 1, allow_nan=False)
)
AROUND = st.integers(0, 2).flatmap(
    lambda own: st.tuples(st.just(own), st.lists(SCORES, min_size=own + 1, max_size=own + 3))
)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    return [
        Candidate(
            entry=Entry(
                session_id=UUID(int=draw(st.integers(1, 2))),
                turn_number=number,
                sequence=number,
                message_ids=(UUID(int=number),),
                text=draw(st.sampled_from(["Yes?", "yes", "I went last week", "No.", ""])),
                speaker=draw(st.sampled_from([None, "Ann", "Bob"])),
                said_at=FIRST_MOMENT + timedelta(days=draw(st.integers(-900, 2))),
            ),
            words=tuple(one.lexical for one in near),
            meanings=tuple(one.semantic for one in near),
            own=own,
        )
        for number, (own, near) in enumerate(draw(st.lists(AROUND, max_size=8)))
    ]


@given(candidates(), st.sampled_from(["When did Ann go?", "skis", "in May", ""]), st.randoms())
def test_the_order_does_not_depend_on_how_candidates_come(
    found: list[Candidate], text: str, random: Random
) -> None:
    question = read_question(text, speakers=["Ann", "Bob"], language="en", now=FIRST_MOMENT)
    ranked = rank(found, question, now=FIRST_MOMENT)
    shuffled = random.sample(found, len(found))
    assert rank(shuffled, question, now=FIRST_MOMENT) == ranked
    assert sorted(one.candidate.entry.sequence for one in ranked) == list(range(len(found)))
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


@given(candidates())
def test_nothing_is_said_twice_and_nothing_lost(found: list[Candidate]) -> None:
    question = read_question("skis", language="en", now=FIRST_MOMENT)
    once = said_once(rank(found, question, now=FIRST_MOMENT), most=len(found))
    assert said_once(once, most=len(found)) == once
    said = {(one.entry.speaker, " ".join(words_of(one.entry.text))) for one in found}
    assert {
        (one.candidate.entry.speaker, " ".join(words_of(one.candidate.entry.text))) for one in once
    } == said
    assert len(once) == len(said)


@given(candidates(), st.integers(0, 5))
def test_a_smaller_limit_keeps_the_first_of_the_entries_without_duplicates(
    found: list[Candidate], most: int
) -> None:
    question = read_question("skis", language="en", now=FIRST_MOMENT)
    ranked = rank(found, question, now=FIRST_MOMENT)
    assert said_once(ranked, most=most) == said_once(ranked, most=len(found))[:most]


@given(st.lists(ENTRY, min_size=1, max_size=8), QUESTION)
def test_only_entries_with_a_word_of_the_question_score_above_zero(
    entries: list[dict[str, int]], question: dict[str, float]
) -> None:
    index = Bm25Index(entries)
    scores = index.scores(question)
    shares = (question.keys() & terms.keys() for terms in entries)
    assert scores.keys() == {at for at, shared in enumerate(shares) if shared}
    assert all(0 < score <= 1 for score in scores.values())


@given(st.lists(ENTRY, min_size=2, max_size=8))
def test_a_rarer_word_has_a_higher_weight(entries: list[dict[str, int]]) -> None:
    probe = dict.fromkeys(chain.from_iterable(entries), 1)
    index = Bm25Index([*entries, probe])
    frequency = Counter(chain.from_iterable(entries))
    by_frequency = sorted(probe, key=frequency.__getitem__)
    asked = [index.scores({word: 1.0, "no word of theirs": 1.0}) for word in by_frequency]
    scores = [one[len(entries)] for one in asked]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


@given(st.text(max_size=300))
def test_words_of_any_text_are_short_and_case_folded(text: str) -> None:
    for word in words_of(text):
        assert 0 < len(word) <= 64
        assert word == word.lower()
