"""The page to try the memory out: a chat whose answers come in pieces, with their sources."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import parse_uuid
from recollect.errors import RecollectError
from recollect.interfaces.dashboard.problems import worded
from recollect.interfaces.dashboard.rendering import language_of, render, render_text
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import Form, KnownVisitor, PostedForm
from recollect.interfaces.http.parameters import ANY_QUERY

PAGE: Final = "/dashboard/chat"
_EVENTS: Final = "text/event-stream"
_SHOWN: Final = 30
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@router.get("")
async def show_chat(request: Request, visitor: KnownVisitor, session: str = "") -> Response:
    """Show a new chat, or one to go on with."""
    services, scope = site_of(request).services, visitor.scope
    messages: tuple[Message, ...] = ()
    name = None
    if session:
        session_id = parse_uuid(session, "session_id")
        name = (await services.sessions.get(scope, session_id)).name
        messages = await services.messages.last(scope, session_id, count=_SHOWN)
    answerer = site_of(request).settings.chosen_answerer
    return await render(
        request,
        "chat/page.html",
        messages=messages,
        session=session,
        name=name,
        answerer=answerer.value,
        model=site_of(request).settings.llm_model,
    )


@router.post("")
async def ask(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Answer a question, in pieces where the page's script asks for them."""
    turn = await site_of(request).services.chat.begin(visitor.scope, _inquiry(form))
    if request.headers.get("Accept") != _EVENTS:
        answered = await turn.answer()
        return redirect(request, f"{PAGE}?session={answered.session_id or ''}")
    pieces = turn.stream()
    first = await anext(pieces)  # what goes wrong before it has a status of its own
    return StreamingResponse(_events(request, first, pieces), media_type=_EVENTS)


def _inquiry(form: Form) -> Inquiry:
    session = form.get("session", "")
    return Inquiry(
        text=form.get("question", ""),
        session_id=parse_uuid(session, "session_id") if session else None,
        session_metadata={"created_via": "dashboard"},
    )


async def _events(
    request: Request,
    first: str | Answered,
    pieces: AsyncGenerator[str | Answered, None],
) -> AsyncGenerator[bytes, None]:
    async with aclosing(pieces):
        try:
            yield await _event(request, first)
            async for piece in pieces:
                yield await _event(request, piece)
        except RecollectError as error:
            _, title, detail = worded(error, language_of(request))
            html = await render_text(
                request, "parts/problem.html", title=title, detail=detail, link=""
            )
            yield _written("problem", {"html": html})


async def _event(request: Request, piece: str | Answered) -> bytes:
    if not isinstance(piece, Answered):
        return _written("piece", {"text": piece})
    html = await render_text(request, "chat/sources.html", answered=piece)
    session = str(piece.session_id) if piece.session_id else ""
    return _written("answer", {"text": piece.answer.content, "html": html, "session": session})


def _written(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
