import pytest

from recollect.domain.context.window import (
    LARGE,
    SMALL,
    TINY,
    ConversationTurn,
    WindowPolicy,
    WindowUnit,
    choose_window,
    conversation_turns,
    messages_in,
)
from recollect.domain.conversation.message import Role
from recollect.errors import InvalidInput
from support.stored_conversations import a_stored_message, sequences, stored_messages, stored_turns
from support.tables import for_each

LAST_TEN = WindowPolicy(unit=WindowUnit.MESSAGES, size=10)
BY_MODEL = WindowPolicy(unit=WindowUnit.TURNS)


def turns(size: int) -> WindowPolicy:
    return WindowPolicy(unit=WindowUnit.TURNS, size=size)


def messages(size: int) -> WindowPolicy:
    return WindowPolicy(unit=WindowUnit.MESSAGES, size=size)


@for_each(
    ("stored", "expected"),
    [(0, 0), (2, 2), (8, 8), (10, 10), (12, 10), (100, 10), (10_000, 10)],
)
def test_a_window_of_messages_has_exactly_the_last_ten(stored: int, expected: int) -> None:
    window = choose_window(stored_turns("ua" * (stored // 2)), LAST_TEN, LARGE)
    assert sequences(window) == list(range(stored - expected + 1, stored + 1))


def test_a_window_of_messages_may_part_its_oldest_turn_at_the_questions_side() -> None:
    conversation = stored_turns("uaauauaa")
    assert sequences(choose_window(conversation, messages(6), TINY)) == [3, 4, 5, 6, 7, 8]
    parted = choose_window(conversation, messages(4), TINY)
    assert [turn.number for turn in parted] == [2, 3]
    assert [message.role for message in parted[0].messages] == [Role.ASSISTANT]


def test_a_window_of_turns_has_whole_turns_however_long_they_are() -> None:
    conversation = stored_turns("uaauauaaa")
    assert sequences(choose_window(conversation, turns(1), TINY)) == [6, 7, 8, 9]
    assert sequences(choose_window(conversation, turns(2), TINY)) == [4, 5, 6, 7, 8, 9]
    assert sequences(choose_window(conversation, turns(9), TINY)) == list(range(1, 10))


def test_messages_of_no_turn_keep_their_place() -> None:
    conversation = stored_turns("asuasuas")
    assert sequences(choose_window(conversation, turns(2), TINY)) == list(range(1, 9))
    assert sequences(choose_window(conversation, turns(1), TINY)) == [6, 7, 8]
    assert sequences(choose_window(conversation, messages(5), TINY)) == [4, 5, 6, 7, 8]


def test_a_conversation_without_questions_is_a_window_too() -> None:
    assert sequences(choose_window(stored_turns("as"), turns(1), TINY)) == [1, 2]
    assert sequences(choose_window(stored_turns("asas"), messages(3), TINY)) == [2, 3, 4]


def test_by_model_the_window_has_as_many_turns_as_the_tier_says() -> None:
    conversation = stored_turns("ua" * 20)
    assert [len(choose_window(conversation, BY_MODEL, t)) for t in (TINY, SMALL, LARGE)] == [
        20,
        6,
        15,
    ]
    by_model_in_messages = WindowPolicy(unit=WindowUnit.MESSAGES)
    assert len(sequences(choose_window(conversation, by_model_in_messages, SMALL))) == 12


@pytest.mark.parametrize("policy", [turns(0), messages(0)])
def test_a_window_of_size_nought_is_empty(policy: WindowPolicy) -> None:
    assert choose_window(stored_turns("sua"), policy, LARGE) == ()


@pytest.mark.parametrize("size", [-1, 1001])
def test_a_size_out_of_bounds_is_refused(size: int) -> None:
    with pytest.raises(InvalidInput, match="window size must lie between 0 and 1000"):
        WindowPolicy(unit=WindowUnit.TURNS, size=size)


def test_messages_are_grouped_by_turn_in_any_input_order() -> None:
    built = conversation_turns(reversed(stored_messages("suaua")))
    assert [turn.number for turn in built] == [None, 1, 2]
    assert sequences(built) == [1, 2, 3, 4, 5]


def test_a_late_reply_joins_the_turn_of_its_question_in_message_order() -> None:
    late = [
        a_stored_message(1, turn_number=1),
        a_stored_message(2, turn_number=2),
        a_stored_message(3, turn_number=2, role=Role.ASSISTANT),
        a_stored_message(4, turn_number=1, role=Role.ASSISTANT),
    ]
    window = choose_window(conversation_turns(late), turns(2), TINY)
    assert [sequences([turn]) for turn in window] == [[1, 4], [2, 3]]
    assert list(messages_in(window)) == late
    last_three = choose_window(conversation_turns(late), messages(3), TINY)
    assert list(messages_in(last_three)) == late[1:]


def test_a_turn_without_messages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one message"):
        ConversationTurn(number=1, messages=())
