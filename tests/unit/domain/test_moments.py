from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.domain.text import MAX_AHEAD, check_not_ahead, parse_moment, to_utc
from recollect.errors import InvalidInput
from support.tables import for_each

MONDAY = datetime(2024, 5, 6, 9, 30, tzinfo=UTC)


@for_each(
    "text",
    [
        "2024-05-06T09:30:00Z",
        "2024-05-06T09:30:00.000Z",
        " 2024-05-06T09:30Z ",
        "2024-05-06T11:30:00+02:00",
        "2024-05-06 04:00:00-05:30",
        "20240506T093000Z",
    ],
)
def test_iso_8601_with_a_zone_is_a_time(text: str) -> None:
    moment = parse_moment(text, "created_at")
    assert (moment, moment.tzinfo) == (MONDAY, UTC)


@for_each(
    "text",
    ["", "now", "2024-05-06", "2024-05-06T09:30", "1714987800", "2024-13-01T00:00Z", 7, None],
)
def test_text_that_is_no_iso_8601_time_with_a_zone_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="created_at must"):
        parse_moment(text, "created_at")


def test_a_time_beyond_the_calendar_is_refused() -> None:
    west, east = timezone(timedelta(hours=-5)), timezone(timedelta(hours=5))
    for moment in (datetime.min.replace(tzinfo=east), datetime.max.replace(tzinfo=west)):
        with pytest.raises(InvalidInput, match="between the years 1 and 9999"):
            to_utc(moment, "created_at")


def test_a_time_may_be_ahead_by_a_day_and_no_more() -> None:
    check_not_ahead(MONDAY + MAX_AHEAD, "created_at", now=MONDAY)
    check_not_ahead(datetime.min.replace(tzinfo=UTC), "created_at", now=MONDAY)
    with pytest.raises(InvalidInput, match="more than a day in the future"):
        check_not_ahead(MONDAY + MAX_AHEAD + timedelta(seconds=1), "created_at", now=MONDAY)
