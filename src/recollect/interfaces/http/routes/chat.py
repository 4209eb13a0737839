"""Questions over HTTP: /chat, /memoryChat, and Denodo's /answerQuestion as it is without memory."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from http import HTTPStatus
from typing import Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.responses import StreamingResponse

from recollect.answerers.denodo import DenodoAnswerer
from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.chat.requests import is_temporary_chat
from recollect.domain.conversation.session import (
    MAX_LABELS,
    Session,
    SessionChanges,
    parse_uuid,
    session_id_from,
)
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallOverrides
from recollect.errors import (
    ConfigurationError,
    ModelUnavailable,
    NotFound,
    RecollectError,
    Unavailable,
)
from recollect.interfaces.http.callers import USER_HEADER, CallerScope
from recollect.interfaces.http.errors import ANSWERING, described
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, BodySize, LargeBodyRoute, written
from recollect.interfaces.http.parameters import (
    ANY_QUERY,
    EXPERIMENT_HEADER,
    OPENWEBUI_CHAT_HEADER,
    SESSION_HEADER,
    IdempotencyKey,
    SessionIdHeader,
    UseCases,
    header_text,
    headers_of,
    is_openwebui,
    name_session,
    session_metadata,
)
from recollect.interfaces.http.schemas.chat import (
    ChatIn,
    ChatOut,
    MemoryChatIn,
    MemoryChatOut,
    answer_characters,
)
from recollect.memory import Memory
from recollect.services.chat.chat import ChatTurn
from recollect.services.chat.turn import too_slow
from recollect.services.services import Services

PASSED_ON: Final = "Fields that are unknown here were passed on as they are: {}."
IGNORED: Final = "Fields that are unknown here were ignored, for no AI SDK answers: {}."
SESSION_UNREADABLE: Final = "Memory did not answer; the conversation's metadata is missing."
_FORWARDED: Final = ("Content-Type", "Accept")
_FAILED: Final = 499  # and all above: its body is a traceback
_TRACEBACK: Final = b"Traceback (most recent call last)"
_EVENTS: Final = "text/event-stream"
_EVENT_SCHEMA: Final = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["piece", "answer", "error"]},
        "data": {"type": "string", "description": "JSON: {text}, or an answer, or an error."},
    },
}
router = APIRouter(tags=["chat"], responses=ANSWERING, route_class=LargeBodyRoute)
data_router = APIRouter(tags=["data questions"], responses=ANSWERING, route_class=LargeBodyRoute)


@router.post(
    "/chat",
    summary="Ask a question",
    response_model=ChatOut,
    responses={
        200: {
            "description": "The answer, whole or in pieces",
            "content": {_EVENTS: {"schema": _EVENT_SCHEMA}},
        }
    },
)
async def chat(
    request: Request,
    body: ChatIn,
    scope: CallerScope,
    services: UseCases,
    session_id: SessionIdHeader = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer a question with the memory of its conversation, and remember both."""
    given = (session_id or "").strip()
    chat_id = header_text(request.headers, OPENWEBUI_CHAT_HEADER)
    if given:
        named: UUID | None = parse_uuid(given, "session_id")
    else:
        named = session_id_from(chat_id, scope.owner_id) if chat_id else None
    inquiry = Inquiry(
        text=body.query,
        session_id=named,
        needs_session_id=_is_front_end(request.headers),
        session_metadata=session_metadata(request.headers, created_via="api"),
        idempotency_key=idempotency_key or None,
        model=body.model,
        recall=body.recall(),
        uses_memory=not is_temporary_chat(given or chat_id),
    )
    turn = await services.chat.begin(scope, inquiry)
    name_session(request, turn.session_id)
    if body.stream:
        return await _streamed(turn)
    answered = await turn.answer()
    return await _written(partial(ChatOut.of, answered), answered)


def _is_front_end(headers: Headers) -> bool:
    """Whether a program asks that serves several conversations: it must say which one is meant.

    A command line has one conversation, and gets a new session with its first question.
    """
    return is_openwebui(headers) or bool(headers.get(USER_HEADER, "").strip())


async def _streamed(turn: ChatTurn) -> StreamingResponse:
    """The answer as events; what goes wrong before the first piece still has its own status."""
    pieces = turn.stream()
    first = await anext(pieces)
    headers = {"Cache-Control": "no-store"}
    if turn.session_id is not None:
        headers[SESSION_HEADER] = str(turn.session_id)
    if turn.ending.record.arm is not None:
        headers[EXPERIMENT_HEADER] = str(turn.ending.record.arm)

    async def events() -> AsyncGenerator[bytes, None]:
        async with aclosing(pieces):
            try:
                yield await _event_of(first)
                async for piece in pieces:
                    yield await _event_of(piece)
            except RecollectError as error:
                _, title, detail = described(error)
                yield _event("error", {"error": title, "detail": detail})

    return StreamingResponse(events(), media_type=_EVENTS, headers=headers)


async def _event_of(piece: str | Answered) -> bytes:
    if isinstance(piece, Answered):
        answer = await _written(partial(ChatOut.of, piece), piece)
        return _event("answer", orjson.Fragment(answer.body))
    return _event("piece", {"text": piece})


async def _written(make: Callable[[], BaseModel], answered: Answered) -> Response:
    return await written(
        make,
        characters=answer_characters(answered.answer, most=WRITTEN_AT_ONCE),
        headers=headers_of(answered),
        with_defaults=True,
    )


def _event(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


@data_router.post(
    "/memoryChat", summary="Ask a data question with memory", response_model=MemoryChatOut
)
async def memory_chat(
    request: Request,
    body: MemoryChatIn,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer as /answerQuestion does, with the memory of the conversation, and remember it."""
    inquiry = await off_loop(partial(_inquiry, body, idempotency_key), characters=size)
    turn = await services.chat.begin(scope, inquiry)
    name_session(request, turn.session_id)
    answered = await turn.answer()
    warnings, unknown = list(answered.warnings), body.unknown()
    if unknown and not answered.is_repeated:  # for a replay nobody was asked
        is_denodo = isinstance(services.chat.answering.answerer, DenodoAnswerer)
        warnings.append((PASSED_ON if is_denodo else IGNORED).format(", ".join(unknown)))
    session: Session | None = None
    if answered.session_id is not None and answered.question_id is not None:
        try:
            session = await _session_of(services, scope, answered, answered.session_id)
            session = await _labelled(services, scope, session, inquiry)
        except Unavailable:
            warnings.append(SESSION_UNREADABLE)
        except NotFound:
            pass  # deleted meanwhile, which the answer's warnings say
    return await _written(partial(MemoryChatOut.of, answered, session, warnings), answered)


def _inquiry(body: MemoryChatIn, idempotency_key: str | None) -> Inquiry:
    given = (body.session_id or "").strip()
    return Inquiry(
        text=body.question,
        session_id=parse_uuid(given, "session_id") if given else None,
        needs_session_id=True,
        session_name=body.session_name,
        session_metadata={"created_via": "memoryChat"},
        databases=body.databases(),
        tags=body.tags(),
        idempotency_key=idempotency_key or None,
        model=body.llm_model,
        options=body.options(),
        uses_memory=body.use_memory,
        window=body.max_history_messages,
        recall=RecallOverrides(k=body.semantic_search_k),
    )


async def _session_of(
    services: Services, scope: Scope, answered: Answered, session_id: UUID
) -> Session:
    """The session of an answer as it is now; read where storing the reply has not told it."""
    if answered.session is None:
        return await services.sessions.get(scope, session_id)
    return await services.sessions.shown(scope, answered.session)


async def _labelled(
    services: Services, scope: Scope, session: Session, inquiry: Inquiry
) -> Session:
    """Add the databases and tags that a question names to its session, and return that."""
    databases = tuple(dict.fromkeys((*session.databases, *inquiry.databases)))
    tags = tuple(dict.fromkeys((*session.tags, *inquiry.tags)))
    if (databases, tags) == (session.databases, session.tags):
        return session
    if max(len(databases), len(tags)) > MAX_LABELS:
        return session
    changes = SessionChanges(databases=databases, tags=tags)
    return await services.sessions.change(scope, session.session_id, changes)


# The AI SDK describes it, and its parameters are the SDK's.
@data_router.post("/answerQuestion", include_in_schema=False, dependencies=[ANY_QUERY])
async def answer_question(request: Request, scope: CallerScope, services: UseCases) -> Response:
    """Send a request on to the AI SDK as it is, and its answer back as it came."""
    memory: Memory = request.app.state.memory
    if memory.denodo is None:
        raise ConfigurationError("no Denodo AI SDK is set; MEMORY_DENODO_URL names one")
    await services.chat.check_state(scope)
    headers = {name: value for name in _FORWARDED if (value := request.headers.get(name))}
    if scope.authorization:
        headers["Authorization"] = scope.authorization
    body, limit = await request.body(), services.chat.answering.time_limit
    try:
        async with asyncio.timeout(limit):
            received = await memory.denodo.forward(
                "answerQuestion", query=request.url.query, body=body, headers=headers
            )
    except TimeoutError:
        raise too_slow(limit) from None
    is_refusal = received.status >= HTTPStatus.BAD_REQUEST
    if received.status >= _FAILED or (is_refusal and _TRACEBACK in received.body):
        raise ModelUnavailable(f"the Denodo AI SDK failed with status {received.status}")
    return Response(
        received.body, status_code=received.status, media_type=received.content_type or None
    )
