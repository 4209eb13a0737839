"""An answerer whose answers a test chooses."""

import asyncio
from collections.abc import AsyncGenerator

from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import NO_DETAILS, AnswerDetails
from recollect.domain.identity.scope import Scope


class ScriptedAnswerer:
    """Answers each question with the same pieces, and records the requests."""

    def __init__(
        self,
        *pieces: str,
        details: AnswerDetails = NO_DETAILS,
        error: Exception | None = None,
    ) -> None:
        self.pieces = pieces or ("Fine.",)
        self.details = details
        self.error = error
        self.requests: list[AnswerRequest] = []
        self.is_closed = False
        self._questions = asyncio.Semaphore(0)
        self.gate: asyncio.Event | None = None
        """When set, the answer ends only once the gate opens."""

    async def has_been_asked(self, times: int = 1) -> None:
        """Wait until this number of further questions has arrived."""
        for _ in range(times):
            await self._questions.acquire()

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:
        """All pieces at once."""
        self.requests.append(request)
        self._questions.release()
        await self._work()
        return self._answer()

    async def stream(
        self, scope: Scope, request: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """Yield one piece after the other; an error is raised before the last one."""
        self.requests.append(request)
        self._questions.release()
        try:
            for piece in self.pieces[:-1]:
                yield piece
            await self._work()
            yield self.pieces[-1]
            yield self._answer()
        finally:
            self.is_closed = True

    async def _work(self) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error

    def _answer(self) -> Answer:
        return Answer(content="".join(self.pieces), details=self.details)
