"""Where sessions, messages, turns and branches are stored.

A session of another owner is absent for every method, and so is one that has expired by the
store's clock. What a method has returned survives a crash.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NotRequired, Protocol, TypedDict, Unpack
from uuid import UUID

from recollect.domain.context.compaction import CompactionPolicy, Summary
from recollect.domain.conversation.message import Message, NewMessage, Role
from recollect.domain.conversation.paging import Page, PageRequest, SessionSort
from recollect.domain.conversation.session import NewSession, Session, SessionChanges, TurnStatus
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import EntriesSeen

MAX_WINDOW: Final = 1000
"""The most messages that one window is read from."""


class SessionStore(Protocol):
    """Stores the sessions of every owner apart."""

    async def start(
        self,
        scope: Scope,
        session: NewSession,
        *,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Session, bool]:
        """Create the session, or return the one with that id as it is; and whether it is new.

        Two callers that start the same id at once get the same session, one of them as new. An
        expired session of that id is deleted first, with everything in it.
        """

    async def get(self, scope: Scope, session_id: UUID) -> Session | None:
        """Return the session, or None."""

    async def list(
        self, scope: Scope, page: PageRequest, *, sort: SessionSort = SessionSort.UPDATED
    ) -> Page[Session]:
        """Return the owner's sessions by the time of their last change or use, ties by their id.

        A cursor is of one sort alone.
        """

    async def change(
        self, scope: Scope, session_id: UUID, changes: SessionChanges, *, now: datetime
    ) -> Session | None:
        """Replace the parts that are given and return the session, or None if there is none."""

    async def delete(self, scope: Scope, session_id: UUID, *, now: datetime) -> bool:
        """Delete the session with its turns and messages; return whether it was there. Audited."""

    async def touch(
        self, scope: Scope, session_id: UUID, *, now: datetime, expires_at: datetime | None
    ) -> None:
        """Record that the session was used, and move its end to `expires_at` if that is later.

        A crash may lose it.
        """


class WriteTerms(TypedDict):
    """What every write of messages tells the store."""

    now: datetime
    expires_at: NotRequired[datetime | None]
    """Where the session's end moves to, if that is later."""
    compaction: NotRequired[CompactionPolicy | None]
    """When it is due, a job for it is queued together with the messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """The result of an append."""

    messages: tuple[Message, ...]
    is_new: bool
    """False when a retry found its messages stored already."""
    session: Session | None = None
    """The session as the append left it, from a store that tells it along with a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWindow:
    """What a context is made of, read at once."""

    session: Session
    summary: Summary | None
    messages: tuple[Message, ...]
    entries: EntriesSeen | None = field(default=None, compare=False)
    """The owner's entries to recall, from a store that tells of them along."""
    has_facts: bool = field(default=True, compare=False)
    """Whether to look for facts about the owner; False from a store that has seen none."""
    is_halted: bool | None = field(default=None, compare=False)
    """Whether no question of the owner is answered; None from a store that does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStart:
    """A session to be started by the first messages appended to it."""

    session: NewSession
    expires_at: datetime | None = None


class MessageStore(Protocol):
    """Stores messages in the order of their sequence numbers.

    Numbers start at 1 in each session, grow by one, are never shared and never reused, however
    many writers there are. Messages beside the active branch are in no window and not among the
    last ones; see `BranchStore`.
    """

    async def append(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        reply_to: UUID | None = None,
        start: SessionStart | None = None,
        **terms: Unpack[WriteTerms],
    ) -> Appended | None:
        """Store the messages one after the other, all or none; None if there is no session.

        With `start`, a missing session is started together with them: if they cannot be stored,
        neither is it. A message that brings its own time keeps it; the others get the time of the
        session's last change. No time of a message moves a time of its session or turn.

        A user message opens a turn. An assistant's completes the turn of the user message before
        it, or of `reply_to` (`MessageNotFound` if the session has no such message), whose branch
        it is on. The first user message names a session without a name.
        Messages whose ids are stored already are returned as they are, if they say the same;
        otherwise `IdAlreadyUsed`. An answer with tables and no database gets the session's only
        one, so that no later change of the session moves a table.
        """

    async def last(
        self, scope: Scope, session_id: UUID, *, count: int
    ) -> tuple[Message, ...] | None:
        """Return the last messages, oldest first; None if there is no session."""

    async def window(
        self, scope: Scope, session_id: UUID, *, count: int, covers_all: bool
    ) -> StoredWindow | None:
        """Return the session, its summary and its last messages, oldest first, or None.

        Messages of pending and failed turns are left out. With `covers_all`, all messages after
        the summary are among them, `MAX_WINDOW` at most.
        """

    async def list(
        self, scope: Scope, session_id: UUID, page: PageRequest, *, include_inactive: bool = False
    ) -> Page[Message] | None:
        """Return messages of the active branch, or of all, by number; None without a session."""

    async def delete(
        self, scope: Scope, session_id: UUID, message_id: UUID, *, now: datetime
    ) -> bool:
        """Delete one message; return whether it was in that session. Audited."""

    async def clear(self, scope: Scope, session_id: UUID, *, now: datetime) -> int | None:
        """Delete all messages of the session; return how many, or None without one. Audited."""

    async def turn_status(
        self, scope: Scope, session_id: UUID, turn_number: int
    ) -> TurnStatus | None:
        """Return how far the turn has come, or None if there is no such turn."""

    async def fail_turn(self, scope: Scope, session_id: UUID, turn_number: int) -> bool:
        """Mark a turn as failed if it is pending; return whether there is such a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """A turn with all its messages, oldest first."""

    status: TurnStatus
    messages: tuple[Message, ...]

    @property
    def reply(self) -> Message | None:
        """The latest answer on the active branch, if there is one."""
        replies = [m for m in self.messages if m.is_active and m.role is Role.ASSISTANT]
        return replies[-1] if replies else None


class TurnStore(Protocol):
    """Reads turns and ends abandoned ones; messages open and complete them."""

    async def get(self, scope: Scope, session_id: UUID, turn_number: int) -> StoredTurn | None:
        """Return the turn, or None if the session has none of that number."""

    async def fail_abandoned(self, *, started_by: datetime) -> int:
        """Fail the turns of all owners that are pending since that time or longer; return how many.

        They are those of servers that were killed; a reply that comes all the same still
        completes them.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """The branch that a client's list leads to."""

    question: Message
    """The last question, as it is stored."""
    before: tuple[Message, ...]
    """The stored messages of the active branch before it; with `continues` maybe only the last."""


class BranchStore(Protocol):
    """Makes the messages that a client shows the active branch, and keeps all others beside it.

    It never deletes anything and changes no number; `domain.chat.reconciliation` has the rule.
    Two callers for one session queue up.
    """

    async def follow(
        self,
        scope: Scope,
        session_id: UUID,
        messages: Sequence[NewMessage],
        *,
        continues: bool,
        goes_on: bool = False,
        **terms: Unpack[WriteTerms],
    ) -> Followed | None:
        """Make a client's list the active branch and store what is new of it; None without session.

        The list starts and ends with a question; with `continues` it is one question for the
        active branch, which is its last one again if the client `goes_on` after it, if that has
        the same id, or if it failed. The last question's turn is pending afterwards. A summary of
        a message that is no longer on the branch is dropped. `IdAlreadyUsed`, and nothing
        changed, if what is new has the id of another message.
        """

    async def reply(
        self,
        scope: Scope,
        session_id: UUID,
        question_id: UUID,
        reply: NewMessage,
        **terms: Unpack[WriteTerms],
    ) -> Message | None:
        """Store the reply to a question, in place of other replies; None if there is no question.

        It is active if the question still is, and completes the turn either way.
        """


class HistoryStore(Protocol):
    """One owner's messages by their own times, in all sessions.

    Lists and counts are of active branches; deleting is from all of them.
    """

    async def list(self, scope: Scope, page: PageRequest) -> Page[Message]:
        """Return the owner's messages by time; those of one time and session by their numbers."""

    async def of_turns(
        self, scope: Scope, turns: Collection[tuple[UUID, int]]
    ) -> tuple[Message, ...]:
        """Return all messages of these turns, each given by session and number, in no order."""

    async def count(self, scope: Scope) -> int:
        """Return how many messages the owner has."""

    async def delete(self, scope: Scope, message_id: UUID, *, now: datetime) -> bool:
        """Delete one message in any session; return whether there was one. Audited."""

    async def clear(self, scope: Scope, *, now: datetime) -> int:
        """Delete all the owner's messages and return how many; the sessions stay. Audited."""

    async def trim(self, scope: Scope, *, keep_last: int, now: datetime) -> int:
        """Delete all but the newest messages by time and return how many. Audited."""
