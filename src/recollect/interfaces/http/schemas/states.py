"""A user's state as JSON."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from recollect.domain.state import ACTIVE, MAX_MODE_LENGTH, UserState


class StateIn(BaseModel):
    """The mode to set."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"mode": "active"}})

    mode: Annotated[str, Field(min_length=1, max_length=MAX_MODE_LENGTH)] = Field(
        description="Any text; `halted` keeps every question from being answered."
    )


class StateOut(BaseModel):
    """A user's mode."""

    mode: str
    updated_at: datetime | None = Field(description="Since when; null where none was set.")

    @classmethod
    def of(cls, state: UserState | None) -> Self:
        """The JSON form of a state; without one a user is active."""
        if state is None:
            return cls(mode=ACTIVE, updated_at=None)
        return cls(mode=state.mode, updated_at=state.updated_at)
