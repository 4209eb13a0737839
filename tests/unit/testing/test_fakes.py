from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect.testing import FIRST_MOMENT, CountingIds, FixedClock


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
