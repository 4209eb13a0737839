"""The branches of a conversation.

A question may have several replies (regenerated ones) and a reply several questions after it
(edited ones). All are kept as siblings; those the client shows are active. Every question opens
a turn, so the branches are a tree of turns: a turn knows the message it follows, a reply its turn.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from recollect.domain.message import Message, Role

BEFORE_ALL: Final = 0
"""In the place of the message that a turn follows: there is none."""


class Stored:
    """A session's messages with their branches; system messages belong to all of them.

    A turn follows a message: the reply it goes on from, or a question that had none yet. Where
    that was not written down it is the end of the active branch before it: as long as nobody
    switches branches, nothing has to be written.
    """

    def __init__(
        self,
        messages: Iterable[Message],
        parents: Mapping[int, int],
        *,
        failed: Collection[int] = (),
    ) -> None:
        said = [m for m in messages if m.turn_number is not None]
        self.messages = tuple(sorted(said, key=lambda message: message.sequence))
        self.failed = failed
        self._written = parents
        self._by_sequence = {message.sequence: message for message in self.messages}
        self._questions = {turn_of(m): m for m in self.messages if m.role is Role.USER}
        self._replies: dict[int, list[Message]] = {}
        for message in self.messages:
            if message.role is Role.ASSISTANT:
                self._replies.setdefault(turn_of(message), []).append(message)
        self._parents = dict(self._all_parents())
        self._after: dict[int, list[Message]] = {}
        for turn, parent in self._parents.items():
            self._after.setdefault(parent, []).append(self._questions[turn])

    @property
    def active(self) -> tuple[Message, ...]:
        """The active branch."""
        return tuple(message for message in self.messages if message.is_active)

    def unwritten_parents(self) -> dict[int, int]:
        """What turns follow by what is active now, and by nothing else."""
        return {t: p for t, p in self._parents.items() if self._written.get(t) != p}

    def replies(self, turn: int) -> Sequence[Message]:
        """The replies of a turn, all siblings, oldest first."""
        return self._replies.get(turn, ())

    def first_questions(self) -> Sequence[Message]:
        """The questions that conversations began with, all siblings."""
        return self._after.get(BEFORE_ALL, ())

    def questions(self) -> Sequence[Message]:
        """Every question of every branch."""
        return tuple(self._questions.values())

    def after(self, message: Message) -> Iterator[Message]:
        """What may be said after a message: a reply in its turn, or a question after that.

        A question that came before its turn was answered follows all replies; and a client may
        leave out replies, so that after a question there may be what followed any of its replies.
        """
        turn = turn_of(message)
        question = self._questions.get(turn)
        is_question = message.role is Role.USER
        replies = [r for r in self.replies(turn) if is_question or r.sequence > message.sequence]
        yield from replies
        yield from self._after.get(message.sequence, ())
        for other in replies if is_question else [question] if question else []:
            yield from self._after.get(other.sequence, ())

    def way_to(self, question: Message) -> tuple[Message, ...]:
        """The branch that leads to a question, without the question itself."""
        way: list[Message] = []
        parent = self._parents[turn_of(question)]
        while parent != BEFORE_ALL:
            message = self._by_sequence[parent]
            turn = turn_of(message)
            is_reply = message.role is Role.ASSISTANT
            replies = [message] if is_reply else [r for r in self.replies(turn) if r.is_active]
            way[:0] = [self._questions[turn], *replies]
            parent = self._parents[turn]
        return tuple(way)

    def _all_parents(self) -> Iterator[tuple[int, int]]:
        """What each turn follows: what is written, or the end of the active branch before it."""
        latest, ends = BEFORE_ALL, {BEFORE_ALL: BEFORE_ALL}
        for message in self.messages:
            turn = turn_of(message)
            if turn not in self._questions:
                continue
            if message.role is Role.USER:
                written = self._written.get(turn)
                is_known = written is not None and self._may_be_followed(written)
                yield turn, written if written is not None and is_known else ends[latest]
            if message.is_active:
                latest = max(latest, turn)
                ends[turn] = message.sequence

    def _may_be_followed(self, sequence: int) -> bool:
        """Whether there is still such a message, and the question of its turn."""
        message = self._by_sequence.get(sequence)
        is_whole = message is not None and message.turn_number in self._questions
        return is_whole or sequence == BEFORE_ALL


def turn_of(message: Message) -> int:
    """The number of the turn that a message of a branch belongs to."""
    assert message.turn_number is not None  # noqa: S101  # `Stored` holds no others
    return message.turn_number
