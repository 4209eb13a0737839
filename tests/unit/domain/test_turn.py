import pytest

from recollect.domain.turn import split_before_first_question, turn_offsets
from recollect.testing.examples import messages_of


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("roles", "sizes"),
    [
        ("", []),
        ("user assistant user", [3]),
        ("assistant system", [2]),
        ("system assistant user assistant", [2, 2]),
    ],
)
def test_what_comes_before_the_first_question_is_parted_from_the_rest(
    roles: str, sizes: list[int]
) -> None:
    messages = messages_of(*roles.split())
    parts = list(split_before_first_question(messages))
    assert [len(part) for part in parts] == sizes
    assert [message for part in parts for message in part] == messages
