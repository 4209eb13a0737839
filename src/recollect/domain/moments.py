"""Times that callers give: aware, in UTC, and not in the future."""

from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.errors import InvalidInput

MAX_AHEAD: Final = timedelta(days=1)
"""How far a time may lie in the future: clocks differ, and time zones are confused."""


def to_utc(moment: datetime, field: str) -> datetime:
    """Return an aware time in UTC; refuse a time without a zone, and what is no time."""
    if not isinstance(moment, datetime):
        raise InvalidInput(field, "must be a time")
    if moment.utcoffset() is None:
        raise InvalidInput(field, "must have a time zone, such as 2024-05-01T09:30:00Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "must lie between the years 1 and 9999") from None


def parse_moment(text: str, field: str) -> datetime:
    """Read a time in ISO 8601 with its time zone, such as 2024-05-01T09:30:00.000Z."""
    if not isinstance(text, str):
        raise InvalidInput(field, "must be a time in ISO 8601, such as 2024-05-01T09:30:00Z")
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(
            field, "must be a time in ISO 8601, such as 2024-05-01T09:30:00Z"
        ) from None
    return to_utc(moment, field)


def check_not_ahead(moment: datetime, field: str, *, now: datetime) -> None:
    """Refuse a time more than a day in the future."""
    if moment - now > MAX_AHEAD:
        raise InvalidInput(field, "must not lie more than a day in the future")
