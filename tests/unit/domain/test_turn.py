from recollect.domain.conversation.session import answered_turns, split_into_parts, turn_offsets
from support.examples import messages_of
from support.tables import for_each


@for_each(
    ("roles", "offsets"),
    [
        ("", []),
        ("user", [1]),
        ("assistant", [0]),
        ("system", [None]),
        ("user assistant", [1, 1]),
        ("user user assistant", [1, 2, 2]),
        ("assistant user assistant assistant", [0, 1, 1, 1]),
        ("system assistant system user system assistant", [None, 0, None, 1, None, 1]),
    ],
)
def test_each_message_knows_its_turn(roles: str, offsets: list[int | None]) -> None:
    assert list(turn_offsets(messages_of(*roles.split()))) == offsets


@for_each(
    ("roles", "sizes"),
    [
        ("", []),
        ("user assistant user", [3]),
        ("assistant system", [2]),
        ("system assistant user assistant", [2, 2]),
        ("user assistant user assistant user", [4, 1]),
        ("user user user user assistant user", [4, 1, 1]),
        ("user assistant assistant assistant assistant system", [4, 2]),
        ("assistant assistant assistant assistant assistant user", [4, 1, 1]),
    ],
)
def test_a_part_begins_with_a_question_or_has_none(roles: str, sizes: list[int]) -> None:
    messages = messages_of(*roles.split())
    parts = list(split_into_parts(messages, size=4))
    assert [len(part) for part in parts] == sizes
    assert [message for part in parts for message in part] == messages


@for_each(
    ("roles", "answered"),
    [
        ("system", {}),
        ("user", {1: False}),
        ("assistant system", {0: True}),
        ("user user assistant", {1: False, 2: True}),
        ("user assistant user", {1: True, 2: False}),
    ],
)
def test_a_turn_is_answered_by_an_assistant_alone(roles: str, answered: dict[int, bool]) -> None:
    messages = messages_of(*roles.split())
    assert answered_turns(messages, list(turn_offsets(messages))) == answered
