"""A conversation in memory: its messages and turns, and what follows from a change of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.session import Session, TurnStatus, named_session, used_session
from recollect.domain.recall.entry import IndexedEntry


@dataclass(slots=True, kw_only=True)
class StoredConversation:
    """A session with its messages, turns and summary.

    The last numbers are stored apart from the messages, so that the number of a deleted message
    is never used again.
    """

    session: Session
    messages: dict[UUID, Message] = field(default_factory=dict)
    turns: dict[int, TurnStatus] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    """The messages that turns follow, where that was written down; see `Stored`."""
    reopened: dict[int, datetime] = field(default_factory=dict)
    """When turns became pending again."""
    last_sequence: int = 0
    last_turn: int = 0
    summary: Summary | None = None
    entries: dict[int, IndexedEntry] = field(default_factory=dict)
    """What recall finds of it, by the number of the first message."""
    due: dict[int, int] = field(default_factory=dict)
    """The turns that have changed since they were indexed, each with the number of the change."""
    indexed: dict[int, int] = field(default_factory=dict)
    """The last changes of turns that are indexed, and wait to be learnt from."""
    learnt: dict[int, int] = field(default_factory=dict)
    """Changes of turns that need no learning: they come from an import, and so do their facts."""
    changes: int = 0

    @property
    def active(self) -> tuple[Message, ...]:
        """The messages of the active branch, oldest first."""
        return tuple(message for message in self.messages.values() if message.is_active)

    @property
    def summarized_through(self) -> int:
        """The last message that the summary stands for; 0 without one."""
        return 0 if self.summary is None else self.summary.last_sequence

    def has_expired(self, now: datetime) -> bool:
        """Whether the session has come to its end."""
        return self.session.has_expired(now)

    def use(self, *, now: datetime, expires_at: datetime | None) -> None:
        """Record that the session was used; its end, if it has one, moves only to later."""
        self.session = used_session(self.session, now=now, expires_at=expires_at)

    def summarize(self, summary: Summary | None) -> None:
        """Put a summary, or none, in the place of the one before."""
        self.summary = summary
        self.session = replace(
            self.session,
            summary=None if summary is None else summary.text,
            summary_tables=() if summary is None else summary.tables,
        )

    def change(self, turn_number: int) -> None:
        """Record that a turn is no longer as it was indexed."""
        self.changes += 1
        self.due[turn_number] = self.changes

    def is_learnt(self, turn_number: int) -> bool:
        """Whether nothing is left to learn from a turn."""
        due = self.due.get(turn_number)
        return due is None or self.learnt.get(turn_number) == due

    def set_status(self, turn_number: int, status: TurnStatus) -> None:
        """Set how far a turn has come, which changes it."""
        self.turns[turn_number] = status
        self.change(turn_number)

    def remove(self, messages: Iterable[Message]) -> None:
        """Delete messages, and with them turns without messages and a summary of them."""
        for message in messages:
            if message.turn_number is not None:
                self.change(message.turn_number)
            del self.messages[message.message_id]
            summary = self.summary
            if summary and summary.first_sequence <= message.sequence <= summary.last_sequence:
                self.summarize(None)
        self._drop_stale_entries()
        alive = {message.turn_number for message in self.messages.values()}
        self.turns = {number: status for number, status in self.turns.items() if number in alive}
        self.due = {number: change for number, change in self.due.items() if number in alive}
        self.recount()
        self._name_anew()

    def switch(self, *, shown: Iterable[Message], hidden: Iterable[Message]) -> None:
        """Make messages active and others inactive; a summary of either is deleted."""
        for messages, is_active in ((shown, True), (hidden, False)):
            for message in messages:
                if message.turn_number is not None:
                    self.change(message.turn_number)
                self.messages[message.message_id] = replace(message, is_active=is_active)
                if self.summarized_through >= message.sequence:
                    self.summarize(None)
        self._drop_stale_entries()
        self.recount()

    def has_all(self, message_ids: Iterable[UUID]) -> bool:
        """Whether all these messages are still there, on the active branch."""
        messages = map(self.messages.get, message_ids)
        return all(message is not None and message.is_active for message in messages)

    def name_after(self, question: Message | None) -> None:
        """Name the session after a question, or take the name that it has from one."""
        self.session = named_session(self.session, question)

    def _name_anew(self) -> None:
        """Where the question is gone that gave the name, name it after the first one left."""
        questions = [m for m in self.messages.values() if m.role is Role.USER]
        turn = self.session.name_turn
        if turn is not None and all(question.turn_number != turn for question in questions):
            self.name_after(next((one for one in questions if one.is_active), None))

    def _drop_stale_entries(self) -> None:
        self.entries = {
            sequence: indexed
            for sequence, indexed in self.entries.items()
            if self.has_all(indexed.entry.message_ids)
        }

    def recount(self) -> None:
        """Count the messages and turns of the active branch."""
        active = self.active
        turns = {message.turn_number for message in active} - {None}
        self.session = replace(self.session, message_count=len(active), turn_count=len(turns))
