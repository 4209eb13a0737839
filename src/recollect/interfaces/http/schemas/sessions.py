"""Sessions and user states as JSON."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import (
    MAX_SESSION_NAME_LENGTH,
    NewSession,
    Session,
    SessionChanges,
    parse_uuid,
)
from recollect.domain.identity.accounts import ACTIVE, MAX_MODE_LENGTH, UserState
from recollect.interfaces.http.schemas.common import AnyObject, ListOf
from recollect.ports.runtime import Ids

_Name = Annotated[str, Field(max_length=MAX_SESSION_NAME_LENGTH)]
_Labels = Annotated[tuple[str, ...], Field(max_length=100, fail_fast=True)]


class SessionIn(BaseModel):
    """A session to start, or to resume by its id."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "name": "Sales by region",
                "metadata": {"language": "en", "created_via": "api"},
                "databases": ["sales"],
                "tags": ["quarterly"],
            }
        },
    )

    session_id: Annotated[
        str | None,
        Field(
            description="A UUID; missing or blank: a new one.", json_schema_extra={"format": "uuid"}
        ),
    ] = None
    name: _Name | None = Field(default=None, description="Default: the first question.")
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

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"name": "Sales 2024"}})

    name: _Name | None = None
    metadata: AnyObject | None = None
    databases: _Labels | None = None
    tags: _Labels | None = None

    def to_domain(self) -> SessionChanges:
        """The changes this stands for."""
        return SessionChanges(
            name=self.name, metadata=self.metadata, databases=self.databases, tags=self.tags
        )


class SessionOut(BaseModel):
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

    @classmethod
    def of(cls, session: Session) -> Self:
        """The JSON form of a session."""
        return cls.model_validate(session, from_attributes=True)


def session_page(found: Page[Session]) -> ListOf[SessionOut]:
    """The JSON form of a page of sessions."""
    return ListOf(
        items=[SessionOut.of(item) for item in found.items], next_cursor=found.next_cursor
    )


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
