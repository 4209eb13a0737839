"""The rules behind a door: their slow start happens in a thread, not on the event loop."""

import asyncio
from collections.abc import Sequence

from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.followup.rewrite import Rewriter, load_everything


class ReadyRewriter:
    """Rewrites at once when prepared, which takes a millisecond or two; in a thread until then."""

    def __init__(self) -> None:
        self._rewriter = Rewriter()
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
        if self._is_ready:
            return self._rewriter.rewrite(question, history, language=language)
        return await asyncio.to_thread(self._rewriter.rewrite, question, history, language=language)
