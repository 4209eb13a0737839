"""The pages of conversations: a list that can be searched, and each with its messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from recollect.domain.context.compaction import Summary
from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.paging import MAX_OFFSET, PageRequest
from recollect.domain.conversation.session import SessionChanges, TurnStatus, parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Recalled
from recollect.errors import InvalidId
from recollect.interfaces.dashboard.pages.result_tables import ResultTable, table_of
from recollect.interfaces.dashboard.rendering import is_htmx, render
from recollect.interfaces.dashboard.routing import DashboardRoute, redirect
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.visitors import KnownVisitor, PostedForm
from recollect.interfaces.http.parameters import ANY_QUERY, SessionIdPath
from recollect.services.services import Services

PAGE: Final = "/dashboard/conversations"
_SESSIONS: Final = 30
_MESSAGES: Final = 50
_RESULTS: Final = 20
_SEARCHED_AT_ONCE: Final = 500
_NAMED: Final = 200
_MOST_CHARACTERS: Final = 20_000
"""Of one message; the rest is shown on request."""
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Something that was said, and the conversation it is in."""

    found: Recalled
    name: str | None
    """The conversation's; None where it has none, or is none of the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessage:
    """A message with what the page says of it."""

    message: Message
    is_failed: bool
    """Whether its turn has failed, so that it is in no window and not recalled."""
    table: ResultTable | None
    is_cut: bool

    @property
    def content(self) -> str:
        """The text, or as much of it as a page takes."""
        text = self.message.content
        return text[:_MOST_CHARACTERS] if self.is_cut else text


@router.get("")
async def list_conversations(
    request: Request, visitor: KnownVisitor, q: str = "", cursor: str = ""
) -> Response:
    """Show the conversations, or what a search finds in them."""
    services, scope = site_of(request).services, visitor.scope
    page = PageRequest(limit=_SESSIONS, cursor=cursor or None)
    if q.strip():
        results, warnings = await _search(services, scope, q)
        values: dict[str, Any] = {"results": results, "warnings": warnings, "sessions": ()}
        next_cursor = None
    else:
        listed = await services.sessions.list(scope, page)
        values = {"results": None, "warnings": (), "sessions": listed.items}
        next_cursor = listed.next_cursor
    template = "conversations/page.html"
    if is_htmx(request):
        template = "conversations/more.html" if cursor else "conversations/list.html"
    return await render(request, template, q=q, next_cursor=next_cursor, **values)


async def _search(
    services: Services, scope: Scope, query: str
) -> tuple[list[SearchResult], Sequence[str]]:
    """Find exchanges by words and meaning, best first."""
    recollection = await services.recall.search(scope, query, k=_RESULTS, is_related_only=True)
    latest = await services.sessions.list(scope, PageRequest(limit=_NAMED))
    names = {session.session_id: session.name for session in latest.items}
    results = [
        SearchResult(found=one.shortened(), name=names.get(one.session_id))
        for one in recollection.items
    ]
    return results, recollection.warnings


@router.get("/{session_id}")
async def show_conversation(
    request: Request,
    visitor: KnownVisitor,
    session_id: SessionIdPath,
    page: Annotated[int, Query(ge=1, le=MAX_OFFSET // _MESSAGES + 1)] = 1,
    at: str = "",
    whole: str = "",
) -> Response:
    """Show a page of a conversation: the first has its latest messages, or one that is named."""
    services, scope = site_of(request).services, visitor.scope
    session = await services.sessions.get(scope, session_id)
    if (named := _message_id(at)) is not None:
        page = await _page_of(services, scope, session_id, named) or page
    listed = await services.messages.list(
        scope,
        session_id,
        PageRequest(limit=_MESSAGES, offset=(page - 1) * _MESSAGES),
        include_inactive=True,
    )
    messages = listed.items[::-1]
    summary = None
    if session.summary is not None:
        stored = await services.messages.window(scope, session_id, count=1)
        summary = stored.summary
    return await render(
        request,
        "conversations/conversation.html",
        session=session,
        messages=await _shown(services, scope, messages, whole=_message_id(whole)),
        page=page,
        has_earlier=listed.next_cursor is not None,
        # What the owner may not see of it is not in the session either.
        summary=summary if summary and session.summary == summary.text else None,
        summary_after=_last_summarised(messages, summary),
        at=named,
    )


def _message_id(text: str) -> UUID | None:
    try:
        return parse_uuid(text, "message_id")
    except InvalidId:
        return None


async def _page_of(
    services: Services, scope: Scope, session_id: UUID, message_id: UUID
) -> int | None:
    """The page that a message is on; None if it is not among the latest ten thousand."""
    cursor: str | None = None
    for start in range(0, MAX_OFFSET, _SEARCHED_AT_ONCE):
        page = PageRequest(limit=_SEARCHED_AT_ONCE, cursor=cursor)
        listed = await services.messages.list(scope, session_id, page, include_inactive=True)
        for place, message in enumerate(listed.items, start):
            if message.message_id == message_id:
                return place // _MESSAGES + 1
        cursor = listed.next_cursor
        if cursor is None:
            break
    return None


async def _shown(
    services: Services, scope: Scope, messages: Sequence[Message], *, whole: UUID | None
) -> list[ShownMessage]:
    answered = {one.turn_number for one in messages if one.role is Role.ASSISTANT}
    failed = set()
    for message in messages:
        turn = message.turn_number
        if message.role is Role.USER and turn is not None and turn not in answered:
            status = await services.messages.turn_status(scope, message.session_id, turn)
            if status is TurnStatus.FAILED:
                failed.add(turn)
    return [
        ShownMessage(
            message=one,
            is_failed=one.turn_number in failed,
            table=table_of(one.details.execution_result),
            is_cut=len(one.content) > _MOST_CHARACTERS and one.message_id != whole,
        )
        for one in messages
    ]


def _last_summarised(messages: Sequence[Message], summary: Summary | None) -> UUID | None:
    """The last message of the page that the summary stands for: it is shown below that."""
    if summary is None:
        return None
    covered = [one for one in messages if one.sequence <= summary.last_sequence]
    ends_here = covered and covered[-1].sequence == summary.last_sequence
    return covered[-1].message_id if ends_here or len(covered) in range(1, len(messages)) else None


@router.post("/{session_id}/name")
async def rename(
    request: Request, visitor: KnownVisitor, session_id: SessionIdPath, form: PostedForm
) -> Response:
    """Give a conversation another name."""
    changes = SessionChanges(name=form.get("name", ""))
    session = await site_of(request).services.sessions.change(visitor.scope, session_id, changes)
    if not is_htmx(request):
        return redirect(request, f"{PAGE}/{session_id}")
    return await render(request, "conversations/name.html", session=session, is_saved=True)


@router.post("/{session_id}/delete")
async def delete(request: Request, visitor: KnownVisitor, session_id: SessionIdPath) -> Response:
    """Delete a conversation with everything in it."""
    await site_of(request).services.sessions.delete(visitor.scope, session_id)
    return redirect(request, PAGE)
