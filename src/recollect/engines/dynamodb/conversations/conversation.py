"""A conversation's changing state: everything about a session but the texts of its messages.

Messages never change once they are stored. Which of them are deleted, which are on the active
branch, how far turns have come and what has to be indexed is in the item of the session, so that
every change of a conversation is one conditional write of that item, however many messages it
touches.
"""

import secrets
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.session import (
    NewSession,
    Session,
    TurnStatus,
    named_session,
    used_session,
)
from recollect.domain.identity.scope import Scope
from recollect.engines.dynamodb.conversations.ranges import Ranges

STATUSES: Final = (TurnStatus.COMPLETE, TurnStatus.PENDING, TurnStatus.FAILED)
"""In the order of the numbers that are stored for them."""


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A session and the state of its messages and turns, as it was read."""

    scope: Scope
    session: Session
    incarnation: str
    version: int = 0
    """Of the item that was read; 0 before it is stored."""
    last_sequence: int = 0
    last_turn: int = 0
    active_turn: int | None = None
    """The newest turn of the active branch."""
    deleted: Ranges = field(default_factory=Ranges)
    """The numbers without a message, up to the last one."""
    inactive: Ranges = field(default_factory=Ranges)
    """The messages beside the active branch."""
    turns: dict[int, TurnStatus] = field(default_factory=dict)
    turn_starts: dict[int, int] = field(default_factory=dict)
    """The first messages of turns. What follows, up to the next turn's, belongs to it."""
    late: dict[int, list[int]] = field(default_factory=dict)
    """Messages that came to turns after later turns had begun."""
    pending_since: dict[int, datetime] = field(default_factory=dict)
    parents: dict[int, int] = field(default_factory=dict)
    due: dict[int, int] = field(default_factory=dict)
    """The turns that have changed since they were indexed, each with the number of the change."""
    indexed: dict[int, int] = field(default_factory=dict)
    """The last changes of turns that are indexed, and wait to be learnt from."""
    learnt: dict[int, int] = field(default_factory=dict)
    """Changes of turns that need no learning: they come from an import, and so do their facts."""
    summary: Summary | None = None
    is_being_erased: bool = False

    @classmethod
    def started(
        cls, scope: Scope, session: NewSession, *, now: datetime, expires_at: datetime | None
    ) -> "Conversation":
        """A conversation without messages."""
        return cls(
            scope=scope,
            incarnation=new_incarnation(),
            session=session.started(now=now, expires_at=expires_at),
        )

    @property
    def session_id(self) -> UUID:
        """The session's id."""
        return self.session.session_id

    @property
    def owner_id(self) -> UUID:
        """The owner's id."""
        return self.scope.owner_id

    @property
    def next_change(self) -> int:
        """The number of the change that is being made: the version that it makes."""
        return self.version + 1

    @property
    def summarized_through(self) -> int:
        """The last message that the summary stands for; 0 without one."""
        return 0 if self.summary is None else self.summary.last_sequence

    def has_expired(self, now: datetime) -> bool:
        """Whether the session has come to its end."""
        return self.session.has_expired(now)

    def is_visible(self, now: datetime) -> bool:
        """Whether readers find it."""
        return not self.is_being_erased and not self.has_expired(now)

    def has(self, sequence: int) -> bool:
        """Whether there is a message of that number, on any branch."""
        return 0 < sequence <= self.last_sequence and sequence not in self.deleted

    def is_active(self, sequence: int) -> bool:
        """Whether there is a message of that number on the active branch."""
        return self.has(sequence) and sequence not in self.inactive

    def count_active(self, *, after: int = 0, through: int | None = None) -> int:
        """How many messages of the active branch lie in a range of numbers."""
        last = self.last_sequence if through is None else min(through, self.last_sequence)
        if last <= after:
            return 0
        hidden = self.deleted | self.inactive
        return last - after - hidden.count_within(after + 1, last)

    @property
    def last_active(self) -> int:
        """The number of the last message on the active branch; 0 without one."""
        last = self.last_sequence
        for first, end in reversed([*(self.deleted | self.inactive)]):
            if end >= last:
                last = first - 1
        return last

    @property
    def stored_count(self) -> int:
        """How many messages there are, on all branches."""
        return self.last_sequence - len(self.deleted)

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

    def set_status(self, turn: int, status: TurnStatus, *, since: datetime | None = None) -> None:
        """Set how far a turn has come, which changes it."""
        self.turns[turn] = status
        self.due[turn] = self.next_change
        if status is TurnStatus.PENDING and since is not None:
            self.pending_since[turn] = since
        elif status is not TurnStatus.PENDING:
            self.pending_since.pop(turn, None)

    def is_learnt(self, turn: int) -> bool:
        """Whether nothing is left to learn from a turn."""
        due = self.due.get(turn)
        return due is None or self.learnt.get(turn) == due

    def place(self, turn: int, sequence: int) -> None:
        """Remember that a message of that number belongs to a turn."""
        if turn not in self.turn_starts:
            self.turn_starts[turn] = sequence
        elif turn != self.last_turn and sequence not in self._range_of(turn):
            self.late.setdefault(turn, []).append(sequence)

    def sequences_of(self, turns: Collection[int]) -> Ranges:
        """The numbers among which all messages of some turns are; others may be among them."""
        chosen = [turn for turn in turns if turn in self.turn_starts]
        late = [number for turn in chosen for number in self.late.get(turn, ())]
        ranges = (self._range_of(turn) for turn in chosen)
        return Ranges([(one.start, one.stop - 1) for one in ranges]) | Ranges.of(late)

    def _range_of(self, turn: int) -> range:
        start = self.turn_starts[turn]
        following = (one for one in self.turn_starts.values() if one > start)
        return range(start, min(following, default=self.last_sequence + 1))

    def remove(self, removed: Collection[Message], messages: Iterable[Message]) -> None:
        """Delete some of all messages, and with them empty turns and a summary of them."""
        self.deleted |= Ranges.of(one.sequence for one in removed)
        self.inactive -= self.deleted
        for message in removed:
            if message.turn_number is not None:
                self.due[message.turn_number] = self.next_change
            summary = self.summary
            if summary and summary.first_sequence <= message.sequence <= summary.last_sequence:
                self.summarize(None)
        left = [one for one in messages if self.has(one.sequence)]
        alive = {one.turn_number for one in left}
        for numbers in (
            *(self.turns, self.turn_starts, self.late, self.pending_since),
            *(self.due, self.indexed, self.learnt),
        ):
            _keep_only(numbers, alive)
        self.recount(left)
        self._name_anew(left)

    def switch(
        self, messages: Iterable[Message], *, shown: Iterable[Message], hidden: Iterable[Message]
    ) -> None:
        """Make messages active and others inactive; a summary of either is deleted."""
        shown, hidden = tuple(shown), tuple(hidden)
        self.inactive -= Ranges.of(one.sequence for one in shown)
        self.inactive |= Ranges.of(one.sequence for one in hidden)
        for message in (*shown, *hidden):
            if message.turn_number is not None:
                self.due[message.turn_number] = self.next_change
            if self.summarized_through >= message.sequence:
                self.summarize(None)
        self.recount(messages)

    def recount(self, messages: Iterable[Message]) -> None:
        """Count what is on the active branch, given all messages."""
        active = {one.turn_number for one in messages if self.is_active(one.sequence)}
        turns = {turn for turn in active if turn is not None}
        self.active_turn = max(turns, default=None)
        self.session = replace(
            self.session, message_count=self.count_active(), turn_count=len(turns)
        )

    def name_after(self, question: Message | None) -> None:
        """Name the session after a question, or take the name that it has from one."""
        self.session = named_session(self.session, question)

    def _name_anew(self, messages: Collection[Message]) -> None:
        """Where the question is gone that gave the name, name it after the first one left."""
        questions = [one for one in messages if one.role is Role.USER]
        turn = self.session.name_turn
        if turn is not None and all(question.turn_number != turn for question in questions):
            active = (one for one in questions if self.is_active(one.sequence))
            self.name_after(next(active, None))


def new_incarnation() -> str:
    """Return a name that sorts after those given before, and that no other process gives."""
    return f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(2)}"


def _keep_only(numbers: dict[int, Any], alive: Collection[int | None]) -> None:
    for number in [one for one in numbers if one not in alive]:
        del numbers[number]
