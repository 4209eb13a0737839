from datetime import datetime, timedelta

import pytest

from recollect.domain.policy import KEEP_ALL, RetentionMode, RetentionPolicy
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.tables import for_each


def after(days: float) -> datetime:
    return FIRST_MOMENT + timedelta(days=days)


@for_each(
    ("text", "mode", "days"),
    [
        ("none", RetentionMode.NONE, 0),
        ("fixed:7", RetentionMode.FIXED, 7),
        ("sliding:90", RetentionMode.SLIDING, 90),
        ("sliding:0.5", RetentionMode.SLIDING, 0.5),
        (" FIXED:7 ", RetentionMode.FIXED, 7),
        ("fixed:36500", RetentionMode.FIXED, 36_500),
    ],
)
def test_a_policy_is_read_from_its_setting(text: str, mode: RetentionMode, days: float) -> None:
    assert RetentionPolicy.parse(text) == RetentionPolicy(mode=mode, days=days)


@for_each(
    "text",
    [
        "",
        "7",
        "forever",
        "fixed",
        "fixed:",
        "sliding:week",
        "fixed:0",
        "fixed:-1",
        "fixed:36501",
        "fixed:nan",
        "fixed:inf",
        "sliding:7:8",
    ],
)
def test_an_invalid_retention_setting_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="retention"):
        RetentionPolicy.parse(text)


@for_each(
    ("text", "new", "used"),
    [
        ("none", None, None),
        ("fixed:7", after(7), None),
        ("sliding:90", after(90), after(90)),
        ("sliding:0.5", after(0.5), after(0.5)),
    ],
)
def test_use_moves_the_end_of_sliding_sessions_only(
    text: str, new: datetime | None, used: datetime | None
) -> None:
    policy = RetentionPolicy.parse(text)
    assert policy.end_of_new(FIRST_MOMENT) == new
    assert policy.end_of_used(FIRST_MOMENT) == used


def test_retention_none_keeps_sessions_forever() -> None:
    assert RetentionPolicy.parse("none") == KEEP_ALL
