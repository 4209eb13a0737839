"""Erasures as JSON."""

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, Field

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.erasure.erasure import Erasure, ErasureKind, ErasureState
from recollect.domain.erasure.receipt import with_names
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import parse_moment
from recollect.interfaces.http.schemas.conversations import UuidText, example, optional

_Confirmation = Annotated[
    bool, Field(strict=True, description="Must be true; else 400, and nothing happens.")
]


class EraseIn(BaseModel):
    """What is to be erased of a user."""

    model_config = example(confirm=True)

    confirm: _Confirmation = False
    session_id: UuidText | None = optional("Only this session, and facts learnt from it.")
    before: str | None = optional(
        "Only what was said, stored or learnt before this time, with its time zone.",
        examples=["2026-01-31T00:00:00Z"],
    )

    def selection(self) -> tuple[UUID | None, datetime | None]:
        """The session, or the time, if one is given."""
        session_id = parse_uuid(self.session_id, "session_id") if self.session_id else None
        return session_id, None if self.before is None else parse_moment(self.before, "before")


class EraseTenantIn(BaseModel):
    """That a whole tenant is to be erased."""

    model_config = example(confirm=True)

    confirm: _Confirmation = False


class ErasureOut(BaseModel):
    """An erasure, and how far it has come."""

    erasure_id: UUID
    what: ErasureKind
    state: ErasureState
    requested_at: datetime
    expected_messages: int = Field(description="Messages there were when it was requested.")
    erased_messages: int
    erased: dict[str, dict[str, int]] = Field(description="Everything so far, by place and kind.")
    waits_for: str | None = Field(description="What could not be reached when it was tried last.")
    receipt: dict[str, Any] | None = Field(description="Signed; once it is done.")

    @classmethod
    def of(cls, erasure: Erasure, scope: Scope | TenantScope) -> Self:
        """The erasure for its owner, whose names the receipt shows to nobody else."""
        receipt = erasure.receipt
        return cls(
            erasure_id=erasure.erasure_id,
            what=erasure.request.kind,
            state=erasure.state,
            requested_at=erasure.requested_at,
            expected_messages=erasure.expected,
            erased_messages=erasure.erased_messages,
            erased={place: dict(counts) for place, counts in erasure.erased.items()},
            waits_for=erasure.waits_for,
            receipt=None if receipt is None else dict(with_names(receipt, scope)),
        )
