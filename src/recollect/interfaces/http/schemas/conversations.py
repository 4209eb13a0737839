"""Sessions and user states as JSON, and what all bodies share."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Generic, Self, TypeAlias, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SkipValidation

from recollect.domain.conversation.message import MAX_CONTENT_LENGTH
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import (
    MAX_SESSION_NAME_LENGTH,
    NewSession,
    SessionChanges,
    parse_uuid,
)
from recollect.domain.identity.accounts import ACTIVE, MAX_MODE_LENGTH, UserState
from recollect.ports.runtime import Ids

Item = TypeVar("Item")
Value = TypeVar("Value")
AnyJson: TypeAlias = SkipValidation[JsonValue]
"""JSON as it came: `to_domain` checks it, in a thread where it is large."""
AnyObject: TypeAlias = SkipValidation[dict[str, JsonValue]]
"""The same for what must be an object."""
Content: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_LENGTH)]
UuidText: TypeAlias = Annotated[str, Field(json_schema_extra={"format": "uuid"})]
ModelName: TypeAlias = Annotated[str, Field(max_length=255)]
_SessionName: TypeAlias = Annotated[str, Field(max_length=MAX_SESSION_NAME_LENGTH)]
_Labels: TypeAlias = Annotated[tuple[str, ...], Field(max_length=100, fail_fast=True)]


def example(**fields: Any) -> ConfigDict:  # noqa: ANN401  # JSON
    """The configuration of a body that takes no unknown fields, with an example of it."""
    return ConfigDict(extra="forbid", json_schema_extra={"example": fields})


def optional(description: str, **more: Any) -> Any:  # noqa: ANN401  # as pydantic's own Field
    """A field that may be left out or null."""
    return Field(default=None, description=description, **more)


class FromDomain(BaseModel):
    """The JSON form of a domain value whose attributes have the same names."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, value: object) -> Self:
        """Convert a domain value."""
        return cls.model_validate(value)


class ListOf(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        description="Give it as `cursor` to get the next page; null on the last one."
    )

    @classmethod
    def of(cls, page: Page[Value], convert: Callable[[Value], Item]) -> Self:
        """The JSON form of a page whose items are converted one by one."""
        return cls(items=[convert(item) for item in page.items], next_cursor=page.next_cursor)

    @staticmethod
    def members_of(page: Page[Value], convert: Callable[[Value], dict[str, Any]]) -> dict[str, Any]:
        """The members of a page's JSON form, unchecked."""
        items = [convert(item) for item in page.items]
        return {"items": items, "next_cursor": page.next_cursor}


class Deleted(BaseModel):
    """How much was deleted."""

    deleted: int = Field(description="Number of messages.", examples=[12])


class Count(BaseModel):
    """How much there is."""

    count: int = Field(description="Number of messages.", examples=[128])


class SessionIn(BaseModel):
    """A session to start, or to resume by its id."""

    model_config = example(
        name="Sales by region",
        metadata={"language": "en", "created_via": "api"},
        databases=["sales"],
        tags=["quarterly"],
    )

    session_id: Annotated[
        str | None,
        Field(
            description="A UUID; missing or blank: a new one.", json_schema_extra={"format": "uuid"}
        ),
    ] = None
    name: _SessionName | None = optional("Default: the first question.")
    metadata: AnyObject = Field(default_factory=dict)
    databases: _Labels = ()
    tags: _Labels = ()

    def to_domain(self, ids: Ids) -> NewSession:
        """The session this stands for, its id chosen if it has none."""
        text = (self.session_id or "").strip()
        return NewSession(
            session_id=parse_uuid(text, "session_id") if text else ids.new_id(),
            name=self.name,
            metadata=self.metadata,
            databases=self.databases,
            tags=self.tags,
        )


class SessionPatch(BaseModel):
    """What to change; what is left out or null stays as it is."""

    model_config = example(name="Sales 2024")

    name: _SessionName | None = None
    metadata: AnyObject | None = None
    databases: _Labels | None = None
    tags: _Labels | None = None

    def to_domain(self) -> SessionChanges:
        """The changes this stands for."""
        return SessionChanges(**dict(self))


class SessionOut(FromDomain):
    """A session."""

    session_id: UUID
    name: str | None
    metadata: AnyObject
    databases: tuple[str, ...]
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    expires_at: datetime | None
    message_count: int
    turn_count: int
    is_summarized: bool
    summary: str | None


class StateIn(BaseModel):
    """The mode to set."""

    model_config = example(mode="active")

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
