"""What the other candidates of a log tell about a message: questions before it, and its session."""

from collections.abc import Iterable
from typing import NamedTuple, Self
from uuid import UUID

from recollect.domain.recall.entry import Entry


class LogContext(NamedTuple):
    """The questions among the candidates of a search, and the best match of each session."""

    questions: dict[tuple[int, int], str | None]
    """The speakers of messages that ask something, by session and the next message's sequence.

    Sessions are known by the numbers of their ids: a UUID takes long to be looked up.
    """
    best_of_sessions: dict[int, float]
    best: float
    """The best match of all sessions."""

    @classmethod
    def of(cls, matches: Iterable[tuple[Entry, float]]) -> Self:
        """Read the messages of logs among candidates, each with how well it matches by itself."""
        questions: dict[tuple[int, int], str | None] = {}
        best_of_sessions: dict[int, float] = {}
        for entry, match in matches:
            session = entry.session_id.int
            if entry.traits.asks:
                questions[session, entry.sequence + len(entry.message_ids)] = entry.speaker
            if match > best_of_sessions.get(session, 0.0):
                best_of_sessions[session] = match
        return cls(questions, best_of_sessions, max(best_of_sessions.values(), default=0.0))

    def is_reply(self, entry: Entry) -> bool:
        """Whether another speaker asked something right before.

        Of a question that is no candidate nothing is known.
        """
        place = entry.session_id.int, entry.sequence
        return place in self.questions and self.questions[place] != entry.speaker

    def shortfall(self, session_id: UUID) -> float:
        """How much less the best of a session matches than the best of all sessions."""
        return self.best - self.best_of_sessions.get(session_id.int, 0.0)
