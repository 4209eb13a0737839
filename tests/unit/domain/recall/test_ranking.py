from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest

from recollect.domain.recall.entry import Candidate, Entry
from recollect.domain.recall.occurrence import Occurrence
from recollect.domain.recall.query import RecallQuestion, read_question
from recollect.domain.recall.ranking import Ranked, rank, said_once
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

NOW = FIRST_MOMENT
LONG_AGO = NOW - timedelta(days=400)


def candidate(
    text: str,
    words: float = 0.0,
    meaning: float | None = 0.2,
    *,
    speaker: str | None = "Ann",
    said_at: datetime = LONG_AGO,
    before: tuple[tuple[float, float], ...] = (),
    after: tuple[tuple[float, float], ...] = (),
) -> Candidate:
    number = sum(map(ord, text))
    near = (*reversed(before), (words, meaning), *after)
    return Candidate(
        entry=Entry(
            session_id=UUID(int=1),
            turn_number=number,
            sequence=number,
            message_ids=(UUID(int=number),),
            text=text,
            speaker=speaker,
            said_at=said_at,
        ),
        words=tuple(one for one, _ in near),
        meanings=tuple(one for _, one in near),
        own=len(before),
    )


def order(question: str, *candidates: Candidate, speakers: tuple[str, ...] = ()) -> list[str]:
    read = _read(question, speakers)
    return [one.candidate.entry.text for one in rank(candidates, read, now=NOW)]


def _read(question: str, speakers: tuple[str, ...] = ()) -> RecallQuestion:
    return read_question(question, speakers=speakers, language="en", now=NOW)


def test_words_and_meaning_both_count() -> None:
    both = candidate("both", 5.0, 0.6)
    words = candidate("word", 5.0, 0.2)
    meaning = candidate("mean", 0.0, 0.6)
    neither = candidate("none", 0.0, 0.2)
    found = order("skis?", neither, meaning, words, both)
    assert found[0] == "both"
    assert found[-1] == "none"


def test_a_reply_is_found_by_the_question_before_it() -> None:
    reply = candidate("yes", 0.0, 0.2, before=((5.0, 0.6),))
    other = candidate("nay", 0.0, 0.2, before=((0.0, 0.2),))
    assert order("skis?", other, reply) == ["yes", "nay"]


def _placed(made: Candidate, place: int, *, session: int = 1) -> Candidate:
    """The candidate at a place of a session."""
    entry = made.entry._replace(
        session_id=UUID(int=session),
        sequence=place,
        message_ids=(UUID(int=1000 * session + place),),
    )
    return made._replace(entry=Entry(*entry))


def test_a_reply_to_a_question_of_another_speaker_ranks_above_a_reply_to_a_statement() -> None:
    near = ((0.6, 0.6),)
    asked = _placed(candidate("Which skis did you buy?", speaker="Bob", words=0.6, meaning=0.6), 1)
    reply = _placed(candidate("The long ones.", speaker="Ann", before=near), 2)
    stated = _placed(candidate("Skis are not cheap.", speaker="Bob", words=0.6, meaning=0.6), 11)
    remark = _placed(candidate("Isn't it so.", speaker="Ann", before=near), 12)
    found = order("skis", remark, reply, stated, asked)
    assert found.index("The long ones.") < found.index("Isn't it so.")


def test_who_goes_on_after_an_own_question_does_not_reply_to_it() -> None:
    near = ((0.6, 0.6),)
    own = _placed(candidate("Which skis? Hm.", speaker="Ann", words=0.6, meaning=0.6), 1)
    goes_on = _placed(candidate("Anyway, hello.", speaker="Ann", before=near), 2)
    other = _placed(candidate("Which skis? Oh.", speaker="Bob", words=0.6, meaning=0.6), 11)
    reply = _placed(candidate("Those, hello.", speaker="Ann", before=near), 12)
    found = order("skis", own, goes_on, other, reply)
    assert found.index("Those, hello.") < found.index("Anyway, hello.")


def test_a_session_with_a_good_match_lifts_its_other_messages() -> None:
    match = _placed(candidate("We went skiing.", speaker="Bob", words=0.9, meaning=0.7), 1)
    beside = _placed(candidate("In the Alps.", speaker="Ann"), 9)
    elsewhere = _placed(candidate("In the park.", speaker="Ann"), 9, session=2)
    found = order("skis", elsewhere, beside, match)
    assert found == ["We went skiing.", "In the Alps.", "In the park."]


def test_a_long_message_depends_less_on_those_around_it() -> None:
    near = ((5.0, 0.6),)
    brief = _placed(candidate("It was in the Alps.", speaker="Ann", after=near), 2)
    long = _placed(candidate("It was in the park. " * 40, speaker="Ann", after=near), 12)
    lone = _placed(candidate("It was in the town. " * 40, speaker="Ann"), 22)
    gaps = [
        a.score - b.score for a, b in pairwise(rank((brief, long, lone), _read("skis"), now=NOW))
    ]
    assert gaps[0] > 0
    assert gaps[1] > 0


def test_an_exchange_depends_less_on_its_neighbours() -> None:
    around = ((5.0, 0.9), (5.0, 0.9))
    exchange = candidate("Question: a", 0.0, 0.2, speaker=None, before=around, after=around)
    message = candidate("Ann: of a b", 0.0, 0.2, before=around, after=around)
    assert order("skis?", exchange, message) == ["Ann: of a b", "Question: a"]


def test_the_one_speaker_who_is_named_is_preferred() -> None:
    ann, bob = candidate("by Ann", 3.0), candidate("by Bob", 3.0, speaker="Bob")
    assert order("What did Bob say?", ann, bob, speakers=("Ann", "Bob"))[0] == "by Bob"
    both = order("What did Ann and Bob say?", bob, ann, speakers=("Ann", "Bob"))
    assert both == order("What did they say?", bob, ann)


def test_a_named_time_is_preferred_but_does_not_exclude() -> None:
    then = candidate("then", 3.0, said_at=datetime.fromisoformat("2025-05-07T12:00Z"))
    other = candidate("late", 3.0, said_at=datetime.fromisoformat("2025-08-07T12:00Z"))
    assert order("What did she say on 7 May 2025?", other, then) == ["then", "late"]
    assert order("What did she say in May?", other, then) == ["then", "late"]


def test_a_question_for_a_time_prefers_entries_that_name_one() -> None:
    told = candidate("I went there yesterday", 3.0)
    other = candidate("I went there with them", 3.0)
    assert order("When did she go?", other, told)[0] == "I went there yesterday"


def test_statements_rank_above_questions() -> None:
    assert order("skis?", candidate("skis?", 3.0), candidate("skis!", 3.0)) == ["skis!", "skis?"]


def test_who_tells_of_themselves_ranks_above_who_talks_of_another() -> None:
    assert order("the boat?", candidate("you sold it"), candidate("i sold it"))[0] == "i sold it"


def test_a_question_for_a_number_prefers_entries_that_have_one() -> None:
    found = order("How many?", candidate("sold all of them"), candidate("sold 12 of them"))
    assert found[0] == "sold 12 of them"


def test_a_question_for_a_name_prefers_entries_that_have_one() -> None:
    found = order("Who?", candidate("went with them", 1.0), candidate("went with Ann", 0.95))
    assert found[0] == "went with Ann"


def test_words_never_count_against_an_entry() -> None:
    far = [candidate(f"far {n}", 0.0, 0.1) for n in range(9)]
    some = candidate("some of the words", 0.1, 0.9)
    none = candidate("none of all these", 0.0, 0.9)
    assert order("skis?", *far, none, some, candidate("all", 1.0, 0.1)).index(some.entry.text) == 0


def test_of_near_matches_a_message_of_another_session_comes_first() -> None:
    first, second = (_placed(candidate("skis", 1.0, m), n) for n, m in ((1, 0.51), (5, 0.5)))
    elsewhere = _placed(candidate("skis", 1.0, 0.4995), 1, session=2)
    ranked = rank([first, second, elsewhere], _read("skis?"), now=NOW)
    assert [one.candidate for one in ranked] == [first, elsewhere, second]
    assert ranked[1].score > ranked[2].score


def test_of_entries_with_equal_scores_the_newest_is_first() -> None:
    old = candidate("same a", 3.0)
    new = candidate("same b", 3.0, said_at=NOW)
    assert order("skis?", old, new) == ["same b", "same a"]


def test_an_entry_without_a_vector_ranks_between_near_and_far_ones() -> None:
    near = candidate("near", 3.0, 0.8)
    far = candidate("away", 3.0, 0.0)
    bare = candidate("bare", 3.0, None)
    assert order("skis?", far, bare, near) == ["near", "bare", "away"]


def test_without_any_vectors_words_decide() -> None:
    found = order("skis?", candidate("less", 1.0, None), candidate("more", 2.0, None))
    assert found == ["more", "less"]
    assert order("skis?") == []


@pytest.mark.parametrize(
    ("speaker", "first", "again"),
    [
        ("Ann", "Sales, 2024?", "sales  2024!"),
        (
            None,
            "Question: Sales, 2024? Result summary: 7.",
            "Question: sales 2024! SQL: SELECT 9 Tables: a.b Result summary: 9.",
        ),
    ],
)
def test_of_entries_with_equal_text_only_the_latest_is_found(
    speaker: str | None, first: str, again: str
) -> None:
    old = Ranked(candidate=candidate(first, speaker=speaker), score=0.9)
    new = Ranked(candidate=candidate(again, speaker=speaker, said_at=NOW), score=0.8)
    other = Ranked(candidate=candidate("Question: Sales, 2025?", speaker=speaker), score=0.7)
    found = said_once([old, new, other], most=2)
    assert [(one.candidate.entry, one.score) for one in found] == [
        (new.candidate.entry, 0.9),
        (other.candidate.entry, 0.7),
    ]


def test_two_speakers_may_say_the_same() -> None:
    ann = Ranked(candidate=candidate("Yes!"), score=1)
    bob = Ranked(candidate=candidate("Yes", speaker="Bob"), score=1)
    assert len(said_once([ann, bob], most=2)) == 2


def _ladders() -> list[Candidate]:
    return [
        candidate("old", 0.4, 0.4, speaker=None, said_at=NOW - timedelta(days=300)),
        candidate("mid", 0.5, 0.6, speaker=None, said_at=NOW - timedelta(days=200)),
        candidate("new", 0.4, 0.5, speaker=None, said_at=NOW - timedelta(days=100)),
        candidate("weak", 0.1, 0.5, speaker=None, said_at=NOW - timedelta(days=400)),
        candidate("else", 0.0, 0.1, speaker=None, said_at=NOW),
    ]


@for_each(
    ("question", "expected"),
    [
        ("What about ladders?", ["mid", "new", "old", "weak", "else"]),
        ("When did I first ask about ladders?", ["old", "mid", "new", "weak", "else"]),
        ("When did I last ask about ladders?", ["new", "mid", "old", "weak", "else"]),
    ],
)
def test_of_entries_that_match_well_the_first_or_last_leads(
    question: str, expected: list[str]
) -> None:
    assert order(question, *_ladders()) == expected
    scores = [one.score for one in rank(_ladders(), _read(question), now=NOW)]
    assert scores == sorted(scores, reverse=True)


def test_entries_that_share_no_word_keep_their_order() -> None:
    near = candidate("near", 0.0, 0.6, speaker=None, said_at=NOW)
    far = candidate("far", 0.0, 0.5, speaker=None)
    assert order("When did I first ask about ladders?", far, near) == ["near", "far"]
    assert order("When did I first ask about ladders?") == []


def test_of_equal_texts_the_first_is_found_if_it_is_asked_for() -> None:
    old = Ranked(candidate("Question: Sales?", speaker=None), 0.9)
    new = Ranked(candidate("Question: sales!", speaker=None, said_at=NOW), 0.8)
    for ranked in ([old, new], [new, old]):
        (only,) = said_once(ranked, most=2, occurrence=Occurrence.FIRST)
        assert only.candidate is old.candidate
