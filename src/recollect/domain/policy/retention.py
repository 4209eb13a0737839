"""How long sessions are kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Self

from recollect.errors import InvalidInput

_MAX_DAYS: Final = 36_500
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_INSTANT: Final = timedelta(microseconds=1)


class RetentionMode(StrEnum):
    """From when the days are counted."""

    FIXED = "fixed"
    """From the session's creation."""
    SLIDING = "sliding"
    """From the last time it was used."""
    NONE = "none"
    """Not at all: sessions stay until they are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """When a session comes to its end."""

    mode: RetentionMode
    days: float = 0

    def __post_init__(self) -> None:
        if self.mode is not RetentionMode.NONE and not 0 < self.days <= _MAX_DAYS:
            raise InvalidInput("retention", f"must be more than 0 and at most {_MAX_DAYS} days")
        if self.mode is RetentionMode.NONE and self.days:
            raise InvalidInput("retention", "of mode none has no days")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read 'none', 'fixed:7' or 'sliding:90'."""
        mode, _, days = text.strip().lower().partition(":")
        try:
            return cls(mode=RetentionMode(mode), days=float(days) if days else 0)
        except ValueError:
            raise InvalidInput("retention", "must be none, fixed:DAYS or sliding:DAYS") from None

    def end_of_new(self, created_at: datetime) -> datetime | None:
        """When a session created now expires; None for never."""
        if self.mode is RetentionMode.NONE:
            return None
        return created_at + timedelta(days=self.days)

    def end_of_used(self, used_at: datetime) -> datetime | None:
        """When a session used now expires at the earliest; None where use does not matter.

        Rounded up to a full hour, so that a busy session's end is not moved with every message.
        """
        if self.mode is not RetentionMode.SLIDING:
            return None
        end = used_at + timedelta(days=self.days)
        return (end + _HOUR - _INSTANT).replace(minute=0, second=0, microsecond=0)

    @property
    def touch_interval(self) -> timedelta:
        """How often use is noted: every minute, or ten times within a shorter retention."""
        if self.mode is not RetentionMode.SLIDING:
            return _MINUTE
        return min(_MINUTE, timedelta(days=self.days) / 10)


KEEP_ALL: Final = RetentionPolicy(mode=RetentionMode.NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicies:
    """How long each tenant's sessions are kept."""

    usual: RetentionPolicy = KEEP_ALL
    by_tenant: Mapping[str, RetentionPolicy] = field(default_factory=dict)

    def of(self, tenant: str) -> RetentionPolicy:
        """The tenant's own policy, or the usual one."""
        return self.by_tenant.get(tenant, self.usual)
