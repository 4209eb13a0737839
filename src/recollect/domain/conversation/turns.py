"""Turns, and the branches that regenerating and editing leave behind."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

from recollect.domain.conversation.message import Message, NewMessage, Role

LEAST_PATIENCE: Final = timedelta(minutes=10)
"""The least time that a question waits for its answer: clients may run tools in between."""
BEFORE_ALL: Final = 0
"""In the place of the message that a turn follows: there is none."""


def patience(*, answer_timeout: float) -> timedelta:
    """Return how long a question may wait for its answer before its server counts as killed.

    Twice as long as an answer may take, for the work before and after it.
    """
    return max(LEAST_PATIENCE, timedelta(seconds=2 * answer_timeout))


class TurnStatus(StrEnum):
    """How far a turn has come."""

    PENDING = "pending"
    COMPLETE = "complete"
    FAILED = "failed"


def turn_offsets(messages: Sequence[NewMessage]) -> Iterator[int | None]:
    """Yield the turn of each message, counted from the session's latest one.

    A user message opens the next turn (1, 2, …), a reply belongs to the turn before it, which
    for the first one is the session's latest (0). A system message belongs to no turn (None).
    """
    opened = 0
    for message in messages:
        if message.role is Role.SYSTEM:
            yield None
            continue
        if message.role is Role.USER:
            opened += 1
        yield opened


def answered_turns(
    messages: Sequence[NewMessage], offsets: Sequence[int | None]
) -> dict[int, bool]:
    """Return for each turn of `turn_offsets` whether one of the messages answers it."""
    answered: dict[int, bool] = {}
    for message, offset in zip(messages, offsets, strict=True):
        if offset is not None:
            answered[offset] = answered.get(offset, False) or message.role is Role.ASSISTANT
    return answered


def split_into_parts(
    messages: Sequence[NewMessage], *, size: int
) -> Iterator[Sequence[NewMessage]]:
    """Split messages into whole turns and into replies that belong to a turn before.

    A part begins with a question, or has none. None is longer than `size`.
    """
    first = 0
    while first < len(messages):
        end = min(first + size, len(messages))
        if messages[first].role is not Role.USER:
            questions = (n for n in range(first, end) if messages[n].role is Role.USER)
            end = next(questions, end)
        yield messages[first:end]
        first = end


class Stored:
    """A session's messages with their branches; system messages belong to all of them.

    A turn follows a message, its parent: the reply it goes on from, or a question that had none
    yet. Where no parent is stored it is the end of the active branch before it: as long as nobody
    switches branches, nothing has to be stored.
    """

    def __init__(
        self,
        messages: Iterable[Message],
        parents: Mapping[int, int],
        *,
        failed: Collection[int] = (),
    ) -> None:
        in_turns = [m for m in messages if m.turn_number is not None]
        self.messages = tuple(sorted(in_turns, key=lambda message: message.sequence))
        self.failed = failed
        self._written = parents
        self._by_sequence = {message.sequence: message for message in self.messages}
        self._questions = {turn_number_of(m): m for m in self.messages if m.role is Role.USER}
        self._replies: dict[int, list[Message]] = {}
        for message in self.messages:
            if message.role is Role.ASSISTANT:
                self._replies.setdefault(turn_number_of(message), []).append(message)
        self._parents = dict(self._all_parents())
        self._after: dict[int, list[Message]] = {}
        for turn, parent in self._parents.items():
            self._after.setdefault(parent, []).append(self._questions[turn])

    @property
    def active(self) -> tuple[Message, ...]:
        """The active branch."""
        return tuple(message for message in self.messages if message.is_active)

    def unwritten_parents(self) -> dict[int, int]:
        """Return the parents of turns that follow from what is active now alone."""
        return {t: p for t, p in self._parents.items() if self._written.get(t) != p}

    def replies(self, turn: int) -> Sequence[Message]:
        """Return the replies of a turn, all siblings, oldest first."""
        return self._replies.get(turn, ())

    def first_questions(self) -> Sequence[Message]:
        """Return the questions that branches begin with, all siblings."""
        return self._after.get(BEFORE_ALL, ())

    def questions(self) -> Sequence[Message]:
        """Return every question of every branch."""
        return tuple(self._questions.values())

    def after(self, message: Message) -> Iterator[Message]:
        """Yield what may follow a message: a reply in its turn, or a question after that.

        A question that came before its turn was answered follows all replies; and a client may
        leave out replies, so that after a question there may be what followed any of its replies.
        """
        turn = turn_number_of(message)
        question = self._questions.get(turn)
        is_question = message.role is Role.USER
        replies = [r for r in self.replies(turn) if is_question or r.sequence > message.sequence]
        yield from replies
        yield from self._after.get(message.sequence, ())
        for other in replies if is_question else [question] if question else []:
            yield from self._after.get(other.sequence, ())

    def way_to(self, question: Message) -> tuple[Message, ...]:
        """Return the branch that leads to a question, without the question itself."""
        way: list[Message] = []
        parent = self._parents[turn_number_of(question)]
        while parent != BEFORE_ALL:
            message = self._by_sequence[parent]
            turn = turn_number_of(message)
            is_reply = message.role is Role.ASSISTANT
            replies = [message] if is_reply else [r for r in self.replies(turn) if r.is_active]
            way[:0] = [self._questions[turn], *replies]
            parent = self._parents[turn]
        return tuple(way)

    def _all_parents(self) -> Iterator[tuple[int, int]]:
        """What each turn follows: what is written, or the end of the active branch before it."""
        latest, ends = BEFORE_ALL, {BEFORE_ALL: BEFORE_ALL}
        for message in self.messages:
            turn = turn_number_of(message)
            if turn not in self._questions:
                continue
            if message.role is Role.USER:
                parent = self._written.get(turn)
                if parent is None or not self._may_be_followed(parent):
                    parent = ends[latest]
                yield turn, parent
            if message.is_active:
                latest = max(latest, turn)
                ends[turn] = message.sequence

    def _may_be_followed(self, sequence: int) -> bool:
        """Whether there is still such a message, and the question of its turn."""
        message = self._by_sequence.get(sequence)
        is_whole = message is not None and message.turn_number in self._questions
        return is_whole or sequence == BEFORE_ALL


def turn_number_of(message: Message) -> int:
    """The number of the turn that a message of a branch belongs to."""
    assert message.turn_number is not None  # noqa: S101  # `Stored` holds no others
    return message.turn_number
