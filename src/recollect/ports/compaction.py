"""Where summaries are kept."""

from typing import Protocol
from uuid import UUID

from recollect.domain.compaction import Summary, Uncompacted
from recollect.domain.scope import Scope


class SummaryStore(Protocol):
    """Keeps at most one summary for each session; the messages themselves always stay."""

    async def get(self, scope: Scope, session_id: UUID) -> Summary | None:
        """The session's summary, or None."""
        ...

    async def uncompacted(
        self, scope: Scope, session_id: UUID, *, limit: int
    ) -> Uncompacted | None:
        """The summary and the oldest messages after it, oldest first; None without a session."""
        ...

    async def put(
        self, scope: Scope, session_id: UUID, summary: Summary, *, replaces: int, added: int
    ) -> bool:
        """Keep a summary that adds so many messages to what was summarised through `replaces`.

        Only if it was summarised so far and no further, and all those messages are still there:
        of two workers at the same range one is told True, the other False, and nobody tells of a
        message that was deleted meanwhile.
        """
        ...
