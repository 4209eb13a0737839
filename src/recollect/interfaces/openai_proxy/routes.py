"""`/v1/chat/completions`, `/v1/models` and `/v1/models/{id}`."""

from contextlib import aclosing
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from recollect.domain.chat.requests import ChatRequest, CompletionCall
from recollect.domain.identity.accounts import stricter
from recollect.interfaces.http.auth.callers import KnownCaller
from recollect.interfaces.http.client_headers import session_metadata
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import BodySize, LargeBodyRoute
from recollect.interfaces.http.query_parameters import ANY_QUERY
from recollect.interfaces.openai_proxy.headers import client_ids, headers_for, wanted_memory
from recollect.interfaces.openai_proxy.schemas import (
    COMPLETIONS,
    DESCRIBED_HEADERS,
    MODEL,
    MODELS,
    CompletionIn,
)
from recollect.offloading import off_loop
from recollect.services.chat.replies import WholeReply
from recollect.services.chat.streamed_reply import StreamedReply

# Clients of OpenAI's API send parameters of their own, such as Azure's `api-version`.
router = APIRouter(
    prefix="/v1", tags=["openai"], dependencies=[ANY_QUERY], route_class=LargeBodyRoute
)


@router.post(
    "/chat/completions",
    summary="Complete a chat",
    responses=COMPLETIONS,
    dependencies=[DESCRIBED_HEADERS],
    response_class=Response,
)
async def complete_chat(
    body: CompletionIn,
    request: Request,
    caller: KnownCaller,
    services: UseCases,
    size: BodySize,
) -> Response:
    """Pass a chat on to the model, with what is remembered, and remember its answer.

    Takes and returns what OpenAI's API does. Fields that Recollect does not know are passed on
    untouched, and so is the answer, streamed or not. Errors of the model's endpoint keep their
    status; their text is passed on only where it is in OpenAI's form and about the request (4xx).
    """
    call = CompletionCall(
        request=await off_loop(partial(_read, body), characters=size),
        ids=client_ids(request.headers),
        policy=stricter(caller.memory, wanted_memory(request.headers)),
        session_metadata=session_metadata(request.headers, created_via="openai"),
    )
    passing = await services.proxy.begin(caller.scope, call, await request.body())
    if passing.streams:
        return _Streamed(passing)
    return await _whole(passing)


@router.get("/models", summary="List the models", responses=MODELS, response_class=Response)
async def list_models(caller: KnownCaller, services: UseCases) -> Response:  # noqa: ARG001  # must be known
    """List the models there are: the endpoint's, or the one that answers from memory."""
    return _response(await services.proxy.models())


@router.get(
    "/models/{model_id:path}",
    summary="Get a model",
    responses=MODEL,
    response_class=Response,
)
async def get_model(
    model_id: Annotated[str, Path(description="The model's id, such as org/model.")],
    caller: KnownCaller,  # noqa: ARG001  # as above
    services: UseCases,
) -> Response:
    """Return one model of the list."""
    return _response(await services.proxy.model(model_id))


def _response(reply: WholeReply) -> Response:
    return Response(reply.body, status_code=reply.status, headers=dict(reply.headers))


def _read(body: CompletionIn) -> ChatRequest:
    """The request, with what it says read already."""
    request = body.to_domain()
    _ = request.said
    return request


async def _whole(passing: StreamedReply) -> Response:
    """The reply at once, so that its headers can tell whether it was stored."""
    try:
        body = await passing.whole()
        return Response(body, status_code=passing.reply.status, headers=headers_for(passing))
    finally:
        await passing.aclose()


class _Streamed(StreamingResponse):
    """A reply in pieces; a client that leaves ends the endpoint's work at once."""

    def __init__(self, passing: StreamedReply) -> None:
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
