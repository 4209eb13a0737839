"""Work that is done later, by whichever worker is free."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid5

from recollect.domain.identity.scope import Scope


class JobKind(StrEnum):
    """What there is to do."""

    COMPACT = "compact"
    """Summarise the older messages of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work for one owner; it holds ids and never text."""

    job_id: UUID
    kind: JobKind
    scope: Scope
    session_id: UUID
    attempts: int
    scheduled_at: datetime


def job_id_for(kind: JobKind, session_id: UUID) -> UUID:
    """One id for a kind of work on a session, so that it never waits twice."""
    return uuid5(session_id, kind)
