"""Questions over HTTP: POST /chat."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Header, Request, Response
from starlette.responses import StreamingResponse

from recollect.domain.inquiry import Answered, Inquiry
from recollect.domain.session import parse_uuid
from recollect.domain.text import JsonObject, storable
from recollect.errors import RecollectError
from recollect.interfaces.http.auth import (
    OPENWEBUI_TOKEN_HEADER,
    OPENWEBUI_USER_HEADER,
    USER_HEADER,
    CallerScope,
)
from recollect.interfaces.http.dependencies import IdempotencyKey, UseCases
from recollect.interfaces.http.errors import ErrorBody, described
from recollect.interfaces.http.schemas.answers import ChatIn, ChatOut
from recollect.interfaces.http.schemas.common import ANSWERING
from recollect.interfaces.http.sessions import (
    SESSION_HEADER,
    SessionIdHeader,
    name_session,
    tell_replay,
)
from recollect.services.answering import ChatTurn

router = APIRouter(tags=["chat"], responses=ANSWERING)

_OPENWEBUI: Final = "openwebui"
_FRONT_END_HEADERS: Final = (USER_HEADER, OPENWEBUI_USER_HEADER, OPENWEBUI_TOKEN_HEADER)
_LONGEST_AGENT: Final = 200
_EVENTS: Final = "text/event-stream"

_EVENT_SCHEMA: Final = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["piece", "answer", "error"]},
        "data": {"type": "string", "description": "JSON: {text}, or an answer, or an error."},
    },
}

UserAgent = Annotated[str, Header(alias="User-Agent", include_in_schema=False)]


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
    response: Response,
    session_id: SessionIdHeader = None,
    idempotency_key: IdempotencyKey = None,
    user_agent: UserAgent = "",
) -> Response | ChatOut:
    """Answer a question with the memory of its conversation, and remember both."""
    given = (session_id or "").strip()
    is_front_end = _is_front_end(request, user_agent)
    inquiry = Inquiry(
        text=body.query,
        session_id=parse_uuid(given, "session_id") if given else None,
        needs_session_id=is_front_end,
        session_metadata=_metadata(user_agent, is_front_end=is_front_end),
        idempotency_key=idempotency_key or None,
        model=body.model,
        recall=body.recall(),
    )
    turn = await services.chat.begin(scope, inquiry)
    name_session(request, turn.session_id)
    if body.stream:
        return await _streamed(turn)
    answered = await turn.answer()
    response.headers[SESSION_HEADER] = str(turn.session_id)
    tell_replay(response, answered)
    return ChatOut.of(answered)


def _is_front_end(request: Request, user_agent: str) -> bool:
    """Whether a program asks that serves several conversations: it must say which one is meant.

    A command line has one conversation, and gets a new session with its first question.
    """
    is_openwebui = _OPENWEBUI in user_agent.lower().replace("-", "").replace(" ", "")
    return is_openwebui or any(request.headers.get(name, "").strip() for name in _FRONT_END_HEADERS)


def _metadata(user_agent: str, *, is_front_end: bool) -> JsonObject:
    agent = storable(user_agent)[:_LONGEST_AGENT]
    via = _OPENWEBUI if is_front_end else "api"
    return {"created_via": via, **({"user_agent": agent} if agent else {})}


async def _streamed(turn: ChatTurn) -> StreamingResponse:
    """The answer as events; what goes wrong before the first piece still has its own status."""
    pieces = turn.stream()
    first = await anext(pieces)
    headers = {SESSION_HEADER: str(turn.session_id), "Cache-Control": "no-store"}
    return StreamingResponse(_events(first, pieces), media_type=_EVENTS, headers=headers)


async def _events(
    first: str | Answered, pieces: AsyncGenerator[str | Answered, None]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(pieces):
        try:
            yield _event_of(first)
            async for piece in pieces:
                yield _event_of(piece)
        except RecollectError as error:
            _, title, detail = described(error)
            yield _event("error", ErrorBody(error=title, detail=detail).model_dump())


def _event_of(piece: str | Answered) -> bytes:
    if isinstance(piece, Answered):
        return _event("answer", ChatOut.of(piece).model_dump(mode="json"))
    return _event("piece", {"text": piece})


def _event(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
