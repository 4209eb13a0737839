"""Answers in the form of completions where no endpoint is set."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from recollect.domain.answer import Asked
from recollect.domain.completions.call import CompletionCall
from recollect.domain.completions.writing import OurCompletion, our_models
from recollect.domain.scope import Scope
from recollect.ports.clock import Clock, Ids
from recollect.ports.completions import EndpointReply
from recollect.services.answering import Answering
from recollect.services.contexts import Contexts
from recollect.services.replies import each

_JSON: Final = {"content-type": "application/json"}
_EVENTS: Final = {"content-type": "text/event-stream; charset=utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswers:
    """Lets whoever answers stand in for an endpoint."""

    answering: Answering
    contexts: Contexts
    clock: Clock
    ids: Ids

    @asynccontextmanager
    async def reply(
        self, scope: Scope, call: CompletionCall, asked: Asked | None
    ) -> AsyncIterator[EndpointReply]:
        """The answer to a question; without one in its context, to the bare question.

        What a front end asks for by itself, a title or tags, gets no answer: it helps itself.
        """
        said = call.request.said
        answer = None
        if said and not call.is_task:
            if asked is None:
                asked = Asked(context=await self.contexts.bare(said[-1][1]))
            answer = await self.answering.whoever_answers().answer(scope, asked)
        completion = OurCompletion(
            completion_id=f"chatcmpl-{self.ids.new_id().hex}",
            created=self.clock.now(),
            content=answer.content if answer else "",
        )
        streams = call.request.streams
        yield EndpointReply(
            status=HTTPStatus.OK,
            headers=_EVENTS if streams else _JSON,
            pieces=each(completion.chunks() if streams else [completion.whole()]),
            details=answer.details if answer else None,
        )

    @asynccontextmanager
    async def models(self) -> AsyncIterator[EndpointReply]:
        """The one model that stands for whoever answers."""
        listed = our_models(self.clock.now())
        yield EndpointReply(status=HTTPStatus.OK, headers=_JSON, pieces=each([listed]))
