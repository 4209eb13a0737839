"""Summarising the older messages of long conversations, which stay as they are."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from recollect.domain.context.compaction import (
    CompactionPolicy,
    Summary,
    Uncompacted,
    naming,
    range_to_compact,
    tables_of,
)
from recollect.domain.conversation.message import Message
from recollect.domain.identity.scope import Scope
from recollect.domain.job import Job
from recollect.ports.runtime import Clock
from recollect.ports.work import SummaryStore
from recollect.services.context.summarising import Summariser

_AT_ONCE: Final = 500
_SUMMARY_TOKENS: Final = 500
_TRIES_OF_THE_MODEL: Final = 3
_NOTHING_OF_NOTE: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Keeps long conversations small without losing a word."""

    summaries: SummaryStore
    clock: Clock
    tables_of: Callable[[Message], tuple[str, ...]]
    """The tables that a message draws on."""
    policy: CompactionPolicy | None
    """None where nothing is to be compacted any more; jobs that still wait are then done."""
    summariser: Summariser
    fallback: Summariser
    """What takes over when the summariser has failed too often."""

    async def do(self, job: Job) -> None:
        """Summarise what a job names."""
        if self.policy is None:
            return
        is_worn_out = job.attempts > _TRIES_OF_THE_MODEL
        by = self.fallback if is_worn_out else self.summariser
        await self.compact(job.scope, job.session_id, keep=self.policy.keep, by=by)

    async def compact(self, scope: Scope, session_id: UUID, *, keep: int, by: Summariser) -> int:
        """Summarise a session's older messages, some at a time, and say how many.

        A model's failure changes nothing. Of two workers at the same session one prevails and
        the other leaves it at that.
        """
        compacted = 0
        while True:
            found = await self.summaries.uncompacted(scope, session_id, limit=_AT_ONCE)
            chosen = range_to_compact(found, keep=keep) if found else ()
            if found is None or not chosen:
                return compacted
            summary = await self._summarise(found, chosen, by)
            is_ours = await self.summaries.put(
                scope,
                session_id,
                summary,
                replaces=found.summarized_through,
                added=len(chosen),
            )
            if not is_ours:
                return compacted
            compacted += len(chosen)
            if len(found.messages) < _AT_ONCE:
                return compacted

    async def _summarise(
        self, found: Uncompacted, chosen: Sequence[Message], by: Summariser
    ) -> Summary:
        previous = found.summary
        told = await asyncio.to_thread(self._told, found, chosen)
        text = await by.summarise(
            told, previous=previous.text if previous else None, max_tokens=_SUMMARY_TOKENS
        )
        return Summary(
            text=_storable(text) or (previous.text if previous else _NOTHING_OF_NOTE),
            first_sequence=previous.first_sequence if previous else chosen[0].sequence,
            last_sequence=chosen[-1].sequence,
            tables=tables_of(told, previous, self.tables_of),
            method=by.method,
            created_at=self.clock.now(),
        )

    def _told(self, found: Uncompacted, chosen: Sequence[Message]) -> list[Message]:
        answered = (m for m in chosen if m.turn_number not in found.unanswered)
        said = (message for message in answered if not message.details.only_quotes)
        return [naming(message, self.tables_of(message)) for message in said]


def _storable(text: str) -> str:
    """What a model wrote, without what no database holds."""
    return text.replace("\0", "").encode(errors="ignore").decode().strip()
