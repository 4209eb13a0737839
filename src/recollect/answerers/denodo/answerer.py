"""Puts a question with its memory to a Denodo AI SDK."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial

from recollect.answerers.denodo.client import DenodoClient
from recollect.answerers.denodo.response import read_response
from recollect.domain.chat.answers import Answer, AnswerRequest, ResultPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonValue
from recollect.offloading import off_loop
from recollect.ports.models import SqlReader


class DenodoAnswerer:
    """Implements `recollect.ports.models.Answerer` with the AI SDK's /answerQuestion.

    The AI SDK looks for views by the question alone, so it gets the standalone one; what was said
    before goes into its instructions. The request's options are its own fields.
    """

    def __init__(self, client: DenodoClient, *, results: ResultPolicy, sql: SqlReader) -> None:
        self._client = client
        self._results = results
        self._sql = sql

    async def answer(self, scope: Scope, asked: AnswerRequest) -> Answer:
        """The AI SDK's answer, with the query behind it."""
        request = await off_loop(partial(_request, asked), characters=asked.context.characters)
        received = await self._client.answer_question(request, scope.authorization)
        # How much was received nobody knows before it is read, and a thread is quick beside this.
        return await asyncio.to_thread(
            read_response, received, results=self._results, reader=self._sql
        )

    async def stream(
        self, scope: Scope, asked: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """The same in one piece: the answer is there only once the query has run."""
        answer = await self.answer(scope, asked)
        yield answer.content
        yield answer


def _request(asked: AnswerRequest) -> dict[str, JsonValue]:
    request = {name: value for name, value in asked.options.items() if value is not None}
    custom = request.pop("custom_instructions", None)
    told = (custom if isinstance(custom, str) else "", asked.context.instructions())
    instructions = "\n\n".join(part for part in told if part.strip())
    if instructions:
        request["custom_instructions"] = instructions
    return {"question": asked.context.question, **request}
