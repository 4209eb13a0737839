"""OpenAI's API with memory: `/v1/chat/completions`, `/v1/models` and `/v1/models/{id}`."""

from contextlib import aclosing
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from recollect.concurrency import off_loop
from recollect.domain.chat.requests import ChatRequest, ClientIds, CompletionCall
from recollect.domain.identity.scope import MemoryPolicy, parse_memory_policy, stricter
from recollect.interfaces.http.callers import KnownCaller
from recollect.interfaces.http.errors import documented
from recollect.interfaces.http.large_json import BodySize, LargeBodyRoute
from recollect.interfaces.http.parameters import (
    ANY_QUERY,
    EXPERIMENT_HEADER,
    OPENWEBUI_CHAT_HEADER,
    OPENWEBUI_MESSAGE_HEADER,
    SESSION_HEADER,
    UseCases,
    header_text,
    session_metadata,
)
from recollect.services.chat.proxied_reply import ProxiedReply, WholeReply

MEMORY_HEADER: Final = "X-Memory"
WARNING_HEADER: Final = "X-Memory-Warning"
_MAX_ID: Final = 255
# Clients of OpenAI's API send parameters of their own, such as Azure's `api-version`.
router = APIRouter(
    prefix="/v1", tags=["openai"], dependencies=[ANY_QUERY], route_class=LargeBodyRoute
)


def client_ids(headers: Headers) -> ClientIds:
    """The ids that a client gives; an empty header is an absent one."""

    def text(*names: str, longest: int | None = None) -> str | None:
        texts = (header_text(headers, name)[:longest] for name in names)
        return next(filter(None, texts), None)

    from_openwebui = text(OPENWEBUI_CHAT_HEADER)
    return ClientIds(
        session=text(SESSION_HEADER) or from_openwebui,
        task=text("X-Memory-Task", longest=_MAX_ID),
        message=text("X-Memory-Message-ID", OPENWEBUI_MESSAGE_HEADER, longest=_MAX_ID),
        user_message=text("X-Memory-User-Message-ID", longest=_MAX_ID),
        parent=text("X-Memory-Parent-ID", longest=_MAX_ID),
        idempotency_key=text("Idempotency-Key"),
        is_front_end=from_openwebui is not None,
    )


def wanted_memory(headers: Headers) -> MemoryPolicy:
    """How much memory a request wants to use: all, unless it says otherwise."""
    text = header_text(headers, MEMORY_HEADER)
    return parse_memory_policy(text, MEMORY_HEADER) if text else MemoryPolicy.FULL


def headers_for(passing: ProxiedReply) -> dict[str, str]:
    """The headers of a response: the endpoint's own, and ours."""
    headers = {**passing.reply.headers, MEMORY_HEADER: str(passing.memory)}
    if passing.session_id is not None:
        headers[SESSION_HEADER] = str(passing.session_id)
    if passing.attempts.warnings:
        headers[WARNING_HEADER] = " ".join(passing.attempts.warnings)
    if passing.ending.record.arm is not None:
        headers[EXPERIMENT_HEADER] = str(passing.ending.record.arm)
    return headers


class CompletionIn(BaseModel):
    """A request for a chat completion; fields that are not named here are passed on untouched."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "example": {
                "model": "qwen2.5:14b",
                "messages": [{"role": "user", "content": "What about 2023?"}],
            }
        },
    )

    messages: Annotated[list[dict[str, Any]], Field(min_length=1, fail_fast=True)]
    model: str | None = Field(default=None, description="Default: MEMORY_LLM_MODEL.")
    stream: bool | None = None

    def to_domain(self) -> ChatRequest:
        """The request this stands for, with all that was sent and nothing else."""
        return ChatRequest.of({name: getattr(self, name) for name in self.model_fields_set})


class OpenAIError(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class OpenAIErrorBody(BaseModel):
    """An error in OpenAI's form."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error": {
                    "message": "messages must be a list of at least one message",
                    "type": "invalid_request_error",
                    "param": "messages",
                    "code": None,
                }
            }
        }
    )

    error: OpenAIError


_JSON: Final = {"application/json": {"schema": {"type": "object"}}}
_EVENTS: Final[dict[str, Any]] = {"text/event-stream": {}}
_MODELS: Final = {
    200: {"description": "As in OpenAI's API", "content": _JSON},
    **documented(
        OpenAIErrorBody,
        {
            400: "A body that cannot be read",
            401: "Credentials are missing or not valid",
            403: "The credentials do not reach this far",
            422: "A value that cannot be taken; nothing was changed",
            502: "The model sent something that is no answer, or more than 8 MB that is no stream",
            503: "The model does not answer now, or not in time; try again",
        },
    ),
}
_MODEL: Final = _MODELS | documented(OpenAIErrorBody, {404: "No model of that id"})
_COMPLETIONS: Final = {
    **_MODELS,
    200: {"description": "As in OpenAI's API; with `stream` as events", "content": _JSON | _EVENTS},
    **documented(
        OpenAIErrorBody,
        {
            404: "No such session, if those are refused",
            409: "The Idempotency-Key is an earlier question's",
            423: "The user is halted",
        },
    ),
}
_HEADERS: Final = {
    SESSION_HEADER: "The session, any text; without one nothing is remembered.",
    MEMORY_HEADER: "off, read (nothing is stored) or full; default: full.",
    "X-Memory-Task": "Work of a front end's own, such as a title: never stored.",
    "X-Memory-Message-ID": "A front end's own id of the reply.",
    "X-Memory-User-Message-ID": "A front end's own id of the question.",
    "X-Memory-Parent-ID": "The front end's id of what that follows.",
    "Idempotency-Key": "Any text of your own; a retry with the same one does not store its "
    "question twice.",
}
"""The headers of a completion: described here, read by `client_ids` and `wanted_memory`."""


def _described(name: str, description: str) -> dict[str, Any]:
    kinds = [{"type": "string"}, {"type": "null"}]
    schema = {"anyOf": kinds, "description": description, "title": name.title()}
    facts = {"name": name, "description": description, "schema": schema}
    return {"in": "header", "required": False, **facts}


@router.post(
    "/chat/completions",
    summary="Complete a chat",
    responses=_COMPLETIONS,
    openapi_extra={"parameters": [_described(*header) for header in _HEADERS.items()]},
    response_class=Response,
)
async def complete_chat(
    body: CompletionIn, request: Request, caller: KnownCaller, services: UseCases, size: BodySize
) -> Response:
    """Pass a chat on to the model, with what is remembered, and remember its answer.

    Takes and returns what OpenAI's API does. Fields that Recollect does not know are passed on
    untouched, and so is the answer, streamed or not. Errors of the model's endpoint keep their
    status; their text is passed on only where it is in OpenAI's form and about the request (4xx).
    """
    call = CompletionCall(
        request=await off_loop(body.to_domain, characters=size),
        ids=client_ids(request.headers),
        policy=stricter(caller.memory, wanted_memory(request.headers)),
        session_metadata=session_metadata(request.headers, created_via="openai"),
    )
    passing = await services.proxy.begin(caller.scope, call, await request.body())
    if passing.streams:
        return _Streamed(passing)
    try:  # at once, so that the headers can tell whether it was stored
        whole = await passing.whole()
        return Response(whole, status_code=passing.reply.status, headers=headers_for(passing))
    finally:
        await passing.aclose()


@router.get("/models", summary="List the models", responses=_MODELS, response_class=Response)
async def list_models(caller: KnownCaller, services: UseCases) -> Response:  # noqa: ARG001  # must be known
    """List the models there are: the endpoint's, or the one that answers from memory."""
    return _response(await services.proxy.models())


@router.get(
    "/models/{model_id:path}", summary="Get a model", responses=_MODEL, response_class=Response
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


class _Streamed(StreamingResponse):
    """A reply in pieces; a client that leaves ends the endpoint's work at once."""

    def __init__(self, passing: ProxiedReply) -> None:
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
