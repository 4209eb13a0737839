"""Questions over HTTP: POST /chat."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from starlette.datastructures import Headers
from starlette.responses import StreamingResponse

from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.chat.requests import is_temporary_chat
from recollect.domain.conversation.session import parse_uuid, session_id_from
from recollect.domain.identity.scope import Scope
from recollect.errors import RecollectError
from recollect.interfaces.http.auth.callers import USER_HEADER, CallerScope
from recollect.interfaces.http.errors import ANSWERING, ErrorBody, described
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, LargeBodyRoute, written
from recollect.interfaces.http.parameters import (
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
from recollect.interfaces.http.schemas.chat import ChatIn, ChatOut, answer_characters
from recollect.services.chat.chat import ChatTurn

router = APIRouter(tags=["chat"], responses=ANSWERING, route_class=LargeBodyRoute)

_EVENTS: Final = "text/event-stream"

_EVENT_SCHEMA: Final = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["piece", "answer", "error"]},
        "data": {"type": "string", "description": "JSON: {text}, or an answer, or an error."},
    },
}


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
    inquiry = Inquiry(
        text=body.query,
        session_id=_session_id(scope, given, chat_id),
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
    return await written(
        partial(ChatOut.of, answered),
        characters=_characters(answered),
        headers=headers_of(answered),
        with_defaults=True,
    )


def _session_id(scope: Scope, given: str, chat_id: str) -> UUID | None:
    """The session that a request names: by its own id, or else by OpenWebUI's of the chat."""
    if given:
        return parse_uuid(given, "session_id")
    return session_id_from(chat_id, scope.owner_id) if chat_id else None


def _is_front_end(headers: Headers) -> bool:
    """Whether a program asks that serves several conversations: it must say which one is meant.

    A command line has one conversation, and gets a new session with its first question.
    """
    return is_openwebui(headers) or bool(headers.get(USER_HEADER, "").strip())


def _session_header(turn: ChatTurn) -> dict[str, str]:
    return {} if turn.session_id is None else {SESSION_HEADER: str(turn.session_id)}


async def _streamed(turn: ChatTurn) -> StreamingResponse:
    """The answer as events; what goes wrong before the first piece still has its own status."""
    pieces = turn.stream()
    first = await anext(pieces)
    headers = {**_session_header(turn), "Cache-Control": "no-store"}
    return StreamingResponse(_events(first, pieces), media_type=_EVENTS, headers=headers)


async def _events(
    first: str | Answered, pieces: AsyncGenerator[str | Answered, None]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(pieces):
        try:
            yield await _event_of(first)
            async for piece in pieces:
                yield await _event_of(piece)
        except RecollectError as error:
            _, title, detail = described(error)
            yield _event("error", ErrorBody(error=title, detail=detail).model_dump())


async def _event_of(piece: str | Answered) -> bytes:
    if isinstance(piece, Answered):
        answer = await written(
            partial(ChatOut.of, piece), characters=_characters(piece), with_defaults=True
        )
        return _event("answer", orjson.Fragment(answer.body))
    return _event("piece", {"text": piece})


def _characters(answered: Answered) -> int:
    return answer_characters(answered.answer, most=WRITTEN_AT_ONCE)


def _event(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
