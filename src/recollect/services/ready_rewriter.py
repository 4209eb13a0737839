"""The rules behind a door: their slow start happens in a thread, not on the event loop."""

import asyncio
from collections.abc import Sequence

from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.followup.rewrite import Rewriter, load_everything
from recollect.domain.reading_effort import sql_characters
from recollect.offloading import AT_ONCE


class ReadyRewriter:
    """Rewrites at once when prepared, which takes a millisecond or two; in a thread until then.

    Long conversations are read in a thread, too, by a rewriter of their own: each takes its
    questions one after the other, and nobody shall wait on the event loop for theirs.
    """

    def __init__(self) -> None:
        self._rewriter = Rewriter()
        self._in_thread = Rewriter()
        self._is_ready = False

    async def prepare(self) -> None:
        """Load the languages, their detection and the reading of SQL."""
        if not self._is_ready:
            await asyncio.to_thread(load_everything)
            self._is_ready = True

    async def rewrite(
        self, question: str, history: Sequence[Said], *, language: str | None
    ) -> Rewrite:
        """Say a question so that it needs no history."""
        if self._is_ready and _characters(question, history) <= AT_ONCE:
            return self._rewriter.rewrite(question, history, language=language)
        return await asyncio.to_thread(
            self._in_thread.rewrite, question, history, language=language
        )


def _characters(question: str, history: Sequence[Said]) -> int:
    said = (len(one.content) + sql_characters(one.sql_query) for one in history)
    return len(question) + sum(said)
