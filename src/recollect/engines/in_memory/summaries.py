"""Summaries beside the conversations they stand for."""

from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from recollect.domain.compaction import Summary, Uncompacted
from recollect.domain.scope import Scope
from recollect.domain.turn import TurnStatus
from recollect.engines.in_memory.state import State


@dataclass(frozen=True, slots=True)
class InMemorySummaries:
    """Implements `recollect.ports.compaction.SummaryStore`."""

    state: State

    async def get(self, scope: Scope, session_id: UUID) -> Summary | None:
        """The session's summary, or None."""
        conversation = self.state.conversation(scope, session_id)
        return None if conversation is None else conversation.summary

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        """The summary and the oldest messages after it, oldest first; None without a session."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None:
            return None
        messages = conversation.active
        after = (m for m in messages if m.sequence > conversation.summarized_through)
        return Uncompacted(
            summary=conversation.summary,
            messages=tuple(islice(after, limit)),
            last_sequence=max((message.sequence for message in messages), default=0),
            unanswered=frozenset(
                number
                for number, status in conversation.turns.items()
                if status is not TurnStatus.COMPLETE
            ),
        )

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        """Keep a summary if what it adds to the last one is still all there."""
        conversation = self.state.conversation(scope, session_id)
        if conversation is None or conversation.summarized_through != replaces:
            return False
        there = conversation.active
        if sum(replaces < m.sequence <= summary.last_sequence for m in there) != added:
            return False
        conversation.summarize(summary)
        return True
