"""What several resources share."""

from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel, Field, JsonValue, SkipValidation

Item = TypeVar("Item")
AnyJson: TypeAlias = SkipValidation[JsonValue]
"""JSON as it came: `to_domain` checks it, in a thread where it is large."""
AnyObject: TypeAlias = SkipValidation[dict[str, JsonValue]]
"""The same for what must be an object."""


class ListOf(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        description="Give it as `cursor` to get the next page; null on the last one."
    )


class Deleted(BaseModel):
    """How much was deleted."""

    deleted: int = Field(description="Number of messages.", examples=[12])


class Count(BaseModel):
    """How much there is."""

    count: int = Field(description="Number of messages.", examples=[128])
