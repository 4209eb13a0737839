"""Where the messages of a session are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from recollect.domain.compaction import CompactionPolicy, Summary
from recollect.domain.message import Message, NewMessage
from recollect.domain.paging import Page, PageRequest
from recollect.domain.scope import Scope
from recollect.domain.session import NewSession, Session
from recollect.domain.turn import TurnStatus

MAX_WINDOW: Final = 1000
"""The most messages that one window is read from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What an append left behind."""

    messages: tuple[Message, ...]
    is_new: bool
    """False when a retry found its messages stored already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWindow:
    """What a context is made of, as one read found it."""

    session: Session
    summary: Summary | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """A session to be started by the first messages appended to it."""

    session: NewSession
    expires_at: datetime | None = None


class MessageStore(Protocol):
    """Keeps messages in the order of their sequence numbers.

    Numbers start at 1 in each session, grow by one, are never shared and never reused, however
    many writers there are. A session of another owner, or one that has expired by the store's
    clock, is as good as absent. Messages beside the active branch are in no window and not among
    the last ones; see `recollect.ports.branches`.
    """

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        now: datetime,
        expires_at: datetime | None = None,
        compaction: CompactionPolicy | None = None,
        start: SessionStart | None = None,
    ) -> Appended | None:
        """Store the messages one after the other, all or none; None if there is no session.

        With `start`, a session that is not there is started together with them: if they cannot
        be stored, neither is it. A message that brings its own time keeps it; the others are
        given the time of the session's last change. Numbers follow the order of the messages,
        whatever their times; no time of a message moves a time of its session or turn.

        A user message opens a turn, an assistant's completes the turn of the user message
        before it, or of the message `reply_to` where that is given (`MessageNotFound` if the
        session has no such message), whose branch it is on: it is active if that message still
        is. The first user message names a session without a name.
        Messages whose ids are stored already are returned as they are, if they say the same;
        otherwise `IdAlreadyUsed`. An answer with tables and no database gets the session's only
        one, so that no later change of the session moves a table. The session's end moves to
        `expires_at` if that is later. When `compaction` is due, a job for it is queued together
        with the messages.
        """
        ...

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        """The last messages, oldest first; None if there is no session."""
        ...

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        """The session, its summary and its last messages, oldest first; None without a session.

        Messages of pending and failed turns are left out. With `covers_all`, all messages after
        the summary are among them, `MAX_WINDOW` at most.
        """
        ...

    async def list(
        self,
        scope: Scope,
        session_id: UUID,
        page: PageRequest,
        *,
        include_inactive: bool = False,
    ) -> Page[Message] | None:
        """The session's messages by sequence number; None if there is no session.

        Those of its active branch, or of all branches.
        """
        ...

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        """Delete one message; whether there was one in that session. Audited."""
        ...

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        """Delete all messages of the session and say how many; None if there is none. Audited."""
        ...

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        """How far the turn has come, or None if there is no such turn."""
        ...

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Mark a turn as failed if it is pending; whether there is such a turn."""
        ...
