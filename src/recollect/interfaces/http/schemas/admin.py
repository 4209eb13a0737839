"""The audit log as JSON."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel, Field

from recollect.domain.identity.audit import ChainedEntry


class AuditEntryOut(BaseModel):
    """Who did what to whose memory."""

    owner_id: UUID = Field(description="Whose memory it is: derived from tenant and user.")
    user: str | None = Field(
        description="The owner's name; null for the tenant itself, and where nothing is stored."
    )
    number: int = Field(description="The place in the owner's chain of entries, from 1.")
    action: str = Field(examples=["message.read"])
    target: str = Field(description="The session, fact, key or mode that it is about; or empty.")
    items: list[UUID] = Field(description="What was read or written; of many, the first 100.")
    count: int = Field(description="How many things were read or written.")
    actor: str = Field(examples=["key:550e8400-e29b-41d4-a716-446655440000"])
    interface: str = Field(description="http, openai, library, cli or worker.")
    transaction_id: str
    at: datetime
    hash: str = Field(description="SHA-256 of this entry and the one before it, in hexadecimal.")

    @classmethod
    def of(cls, link: ChainedEntry) -> Self:
        """The JSON form of an entry."""
        entry = link.entry
        return cls(
            owner_id=link.owner_id,
            user=link.user,
            number=link.number,
            action=entry.action,
            target=entry.target,
            items=list(entry.items),
            count=entry.count,
            actor=entry.actor,
            interface=entry.interface,
            transaction_id=entry.transaction_id,
            at=entry.at,
            hash=link.hash.hex(),
        )
