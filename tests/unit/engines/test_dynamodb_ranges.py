"""Numbers of DynamoDB's conversations, in ranges and runs."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from recollect.engines.dynamodb.conversations.ranges import from_runs, to_runs
from recollect.engines.dynamodb.table.items import json_from, json_text


@given(st.dictionaries(st.integers(1, 60), st.integers(-5, 90)))
def test_what_is_written_in_runs_is_read_again(numbers: dict[int, int]) -> None:
    assert from_runs(json_from(json_text(to_runs(numbers)))) == numbers


def test_turns_of_one_size_are_one_run_and_those_of_any_size_a_part_of_a_byte_each() -> None:
    assert to_runs({turn: 2 * turn for turn in range(1, 10_000)}) == [[1, 9_999, 2, 2]]
    starts, start = {}, 1
    for turn in range(1, 10_001):
        starts[turn] = start
        start += 1 + turn * 7919 % 6
    assert len(zlib.compress(json_text(to_runs(starts)).encode())) < 5_000
