"""How much JSON there is, told without looking at all of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.conversation.message import (
    NO_DETAILS,
    AnswerDetails,
    Message,
    Role,
    characters_to_write,
)
from recollect.domain.text import OF_VALUE, JsonObject, JsonValue, count_parts, json_characters
from support.tables import for_each

ANY: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ENDLESS: Final = 10**9


def everything_in(value: JsonValue) -> Iterator[JsonValue]:
    yield value
    if isinstance(value, Mapping):
        for item in value.values():
            yield from everything_in(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from everything_in(item)


@given(ANY)
def test_every_value_counts_and_every_character(value: JsonValue) -> None:
    values = [*everything_in(value)]
    texts = [item for item in values if isinstance(item, str)]
    names = [name for item in values if isinstance(item, Mapping) for name in item]
    expected = OF_VALUE * len(values) + sum(map(len, texts + names))
    assert json_characters(value, most=ENDLESS) == expected
    assert count_parts(value, most=ENDLESS) == len(values)


class Watched(list[JsonValue]):
    """A list that must not be walked."""

    def __iter__(self) -> Iterator[JsonValue]:
        raise AssertionError


@for_each(
    "value", [["x" * 101, Watched([0])][::-1], [0] * 1000, {"a": {str(n): 0 for n in range(1000)}}]
)
def test_counting_ends_where_it_is_enough(value: JsonValue) -> None:
    assert json_characters(value, most=100) > 100


def message(metadata: JsonObject | None = None, details: AnswerDetails = NO_DETAILS) -> Message:
    return Message(
        message_id=uuid4(),
        session_id=uuid4(),
        sequence=1,
        turn_number=1,
        role=Role.ASSISTANT,
        content="42",
        metadata=metadata or {},
        details=details,
        created_at=datetime.now(UTC),
    )


@for_each(
    "large",
    [
        message({"a": [0] * 10_000}),
        message(details=AnswerDetails(execution_result=[[]] * 10_000)),
        message(details=AnswerDetails(citations=({"pages": [0] * 10_000},))),
    ],
)
def test_a_message_is_as_large_as_its_json(large: Message) -> None:
    small = characters_to_write([message()], most=ENDLESS)
    assert characters_to_write([large], most=ENDLESS) > small + 10_000 * OF_VALUE
