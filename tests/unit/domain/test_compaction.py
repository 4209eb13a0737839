from collections.abc import Sequence
from uuid import uuid4

import pytest

from recollect.domain.context.compaction import (
    CompactionPolicy,
    Uncompacted,
    range_to_compact,
    tables_of_summary,
)
from recollect.domain.conversation.message import NO_DETAILS, AnswerDetails, Message, Role
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.examples import a_summary
from support.tables import for_each


def a_stored_message(
    sequence: int, turn_number: int | None, *, details: AnswerDetails = NO_DETAILS
) -> Message:
    return Message(
        message_id=uuid4(),
        session_id=uuid4(),
        sequence=sequence,
        turn_number=turn_number,
        role=Role.ASSISTANT,
        content=f"message {sequence}",
        metadata={},
        details=details,
        created_at=FIRST_MOMENT,
    )


def stored_messages(turns: Sequence[int | None], *, first: int = 1) -> tuple[Message, ...]:
    return tuple(
        a_stored_message(sequence, turn) for sequence, turn in enumerate(turns, start=first)
    )


def drawing_on(*tables: str) -> Message:
    return a_stored_message(1, 1, details=AnswerDetails(tables_used=tables))


@for_each(("trigger", "keep"), [(1, 0), (15, 14), (50, 10)])
def test_a_policy_is_due_past_its_trigger(trigger: int, keep: int) -> None:
    policy = CompactionPolicy(trigger=trigger, keep=keep)
    assert not policy.is_due(trigger)
    assert policy.is_due(trigger + 1)


@for_each(("trigger", "keep"), [(0, 0), (10, 10), (10, 11), (10, -1)])
def test_a_policy_that_would_keep_all_it_is_triggered_by_is_refused(
    trigger: int, keep: int
) -> None:
    with pytest.raises(InvalidInput, match="compaction"):
        CompactionPolicy(trigger=trigger, keep=keep)


@for_each(
    ("turns", "keep", "compacted"),
    [
        ([], 0, 0),
        ([], 2, 0),
        ([1, 1, 2, 2, 3, 3], 0, 6),
        ([1, 1, 2, 2, 3, 3], 2, 4),
        ([1, 1, 2, 2, 3, 3], 3, 2),
        ([1, 1, 2, 2, 3, 3], 5, 0),
        ([1, 1, 2, 2, 3, 3], 6, 0),
        ([1, 1, 2, 2, 3, 3], 99, 0),
        ([1, 1, 1, 1, 1, 1], 1, 0),
        ([None, None, None, None], 2, 2),
        ([1, 1, None, None], 1, 3),
        ([None, 1, 1], 1, 1),
    ],
)
def test_all_but_the_last_messages_are_compacted_in_whole_turns(
    turns: list[int | None], keep: int, compacted: int
) -> None:
    messages = stored_messages(turns)
    uncompacted = Uncompacted(summary=None, messages=messages, last_sequence=len(messages))
    assert range_to_compact(uncompacted, keep=keep) == messages[:compacted]


def test_messages_beyond_the_given_range_count_as_kept() -> None:
    messages = stored_messages([1, 1, 2, 2])
    uncompacted = Uncompacted(summary=None, messages=messages, last_sequence=100)
    assert range_to_compact(uncompacted, keep=10) == messages[:2]  # turn 2 may go on beyond


@for_each("keep", [1, 2, 3])
def test_turns_whose_messages_lie_between_each_others_stay_together(keep: int) -> None:
    messages = stored_messages([1, 2, 1, 2])
    uncompacted = Uncompacted(summary=None, messages=messages, last_sequence=4)
    assert range_to_compact(uncompacted, keep=keep) == ()


def test_a_session_is_summarised_as_far_as_its_summary_reaches() -> None:
    messages = stored_messages([3, 3, 4, 4], first=5)
    without = Uncompacted(summary=None, messages=messages, last_sequence=8)
    assert without.summarized_through == 0
    uncompacted = Uncompacted(summary=a_summary(through=4), messages=messages, last_sequence=8)
    assert uncompacted.summarized_through == 4
    assert range_to_compact(uncompacted, keep=2) == messages[:2]


def named_in(message: Message) -> tuple[str, ...]:
    return message.details.tables_used or ()


def test_a_summary_draws_on_the_tables_of_its_messages_and_of_the_one_before() -> None:
    messages = [drawing_on("sales", "crm"), a_stored_message(2, 1), drawing_on("sales")]
    assert tables_of_summary(messages, None, named_in) == ("crm", "sales")
    previous = a_summary(through=4, tables=("stock", "crm"))
    assert tables_of_summary(messages, previous, named_in) == ("crm", "sales", "stock")
    assert tables_of_summary([], previous, named_in) == ("crm", "stock")
    assert tables_of_summary([], None, named_in) == ()
