from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.testing import FIRST_MOMENT, CountingIds, FakeFollowUpModel, FixedClock


def test_a_fixed_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock()
    assert clock.now() == clock.now() == FIRST_MOMENT
    assert clock.move(timedelta(minutes=1)) == FIRST_MOMENT + timedelta(minutes=1)
    assert clock.now() == FIRST_MOMENT + timedelta(minutes=1)
    clock.move(timedelta(minutes=-2))
    assert clock.now() == FIRST_MOMENT - timedelta(minutes=1)


def test_a_fixed_clock_starts_at_the_given_time() -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    assert FixedClock(start).now() == start


def test_counting_ids_count() -> None:
    ids = CountingIds()
    assert [ids.new_id(), ids.new_id()] == [UUID(int=1), UUID(int=2)]
    assert ids.new_secret(4) == b"\0\0\0\x03"
    assert CountingIds().new_id() == UUID(int=1)


def test_a_fake_follow_up_model_proposes_what_it_was_given() -> None:
    unsure = Proposal(standalone_question="Why is it late?", need=0.9, confidence=0.3)
    model = FakeFollowUpModel({"And 2023?": "How much in 2023?", "Why?": unsure}, confidence=0.8)
    history = [HistoryMessage(role=Role.USER, content="How much in 2024?")]
    model.load()

    sure = model.propose("And 2023?", history, language="en")
    assert sure == Proposal(standalone_question="How much in 2023?", need=0.8, confidence=0.8)
    assert model.propose("Why?", history, language="en") is unsure
    for question, before in (("Hello?", history), ("And 2023?", [])):
        alone = model.propose(question, before, language="en")
        assert alone == Proposal(standalone_question=question, need=0.0, confidence=1.0)
    assert model.questions == ["And 2023?", "Why?", "Hello?", "And 2023?"]
    assert model.histories[-1] == ()
