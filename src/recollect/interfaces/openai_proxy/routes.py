"""`/v1/chat/completions` and `/v1/models`."""

from contextlib import aclosing
from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from recollect.domain.completions.call import CompletionCall
from recollect.domain.memory_policy import stricter
from recollect.interfaces.http.auth import KnownCaller
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.front_ends import session_metadata
from recollect.interfaces.http.query_parameters import ANY_QUERY
from recollect.interfaces.openai_proxy.headers import client_ids, headers_for, wanted_memory
from recollect.interfaces.openai_proxy.schemas import (
    COMPLETIONS,
    DESCRIBED_HEADERS,
    MODELS,
    CompletionIn,
)
from recollect.services.passing import Passing

# Clients of OpenAI's API send parameters of their own, such as Azure's `api-version`.
router = APIRouter(prefix="/v1", tags=["openai"], dependencies=[ANY_QUERY])


@router.post(
    "/chat/completions",
    summary="Complete a chat",
    responses=COMPLETIONS,
    dependencies=[DESCRIBED_HEADERS],
    response_class=Response,
)
async def complete_chat(
    body: CompletionIn, request: Request, caller: KnownCaller, services: UseCases
) -> Response:
    """Pass a chat on to the model, with what is remembered, and remember its answer.

    Takes and returns what OpenAI's API does. Fields that Recollect does not know are passed on
    untouched, and so is the answer, streamed or not.
    """
    call = CompletionCall(
        request=body.to_domain(),
        ids=client_ids(request.headers),
        policy=stricter(caller.memory, wanted_memory(request.headers)),
        session_metadata=session_metadata(request.headers, created_via="openai"),
    )
    passing = await services.proxy.begin(caller.scope, call, await request.body())
    if call.request.streams and passing.reply.status == HTTPStatus.OK:
        return _Streamed(passing)
    return await _whole(passing)


@router.get("/models", summary="List the models", responses=MODELS, response_class=Response)
async def list_models(caller: KnownCaller, services: UseCases) -> Response:  # noqa: ARG001  # must be known
    """List the models there are: the endpoint's, or the one that answers from memory."""
    async with services.proxy.models() as reply:
        body = b"".join([piece async for piece in reply.pieces])
        return Response(body, status_code=reply.status, headers=dict(reply.headers))


async def _whole(passing: Passing) -> Response:
    """The reply at once, so that its headers can tell whether it was stored."""
    try:
        async with aclosing(passing.pieces()) as pieces:
            body = b"".join([piece async for piece in pieces])
        return Response(body, status_code=passing.reply.status, headers=headers_for(passing))
    finally:
        await passing.aclose()


class _Streamed(StreamingResponse):
    """A reply in pieces; a client that leaves ends the endpoint's work at once."""

    def __init__(self, passing: Passing) -> None:
        self._passing = passing
        self._pieces = passing.pieces()
        super().__init__(
            self._pieces, status_code=passing.reply.status, headers=headers_for(passing)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and leave nothing open."""
        try:
            async with aclosing(self._pieces):
                await super().__call__(scope, receive, send)
        finally:
            await self._passing.aclose()
