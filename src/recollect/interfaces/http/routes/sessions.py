"""Sessions over HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.domain.paging import SessionSort
from recollect.domain.session import parse_uuid
from recollect.interfaces.http.auth import CallerScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import BodySize, LargeBodyRoute
from recollect.interfaces.http.schemas.common import (
    ERRORS,
    NOT_FOUND,
    ListOf,
    PageQuery,
    SessionIdPath,
)
from recollect.interfaces.http.schemas.sessions import SessionIn, SessionOut, SessionPatch
from recollect.offloading import off_loop

SortQuery = Annotated[
    SessionSort, Query(description="By the time of the last change, or of the last use.")
]

router = APIRouter(
    prefix="/api/v1/sessions", tags=["sessions"], responses=ERRORS, route_class=LargeBodyRoute
)


@router.post(
    "",
    summary="Start or resume a session",
    status_code=HTTPStatus.CREATED,
    responses={200: {"model": SessionOut, "description": "The session was there already"}},
)
async def start_session(
    body: SessionIn, scope: CallerScope, services: UseCases, response: Response, size: BodySize
) -> SessionOut:
    """Create a session, or return the one with that id as it is."""
    new = await off_loop(partial(body.to_domain, services.ids), characters=size)
    session, is_new = await services.sessions.start(scope, new)
    response.status_code = HTTPStatus.CREATED if is_new else HTTPStatus.OK
    return SessionOut.of(session)


@router.get("", summary="List sessions")
async def list_sessions(
    scope: CallerScope, services: UseCases, page: PageQuery, sort: SortQuery = SessionSort.UPDATED
) -> ListOf[SessionOut]:
    """List the caller's sessions by the time of their last change, or of their last use."""
    found = await services.sessions.list(scope, page, sort=sort)
    return ListOf(
        items=[SessionOut.of(item) for item in found.items], next_cursor=found.next_cursor
    )


@router.get("/{session_id}", summary="Get a session", responses=NOT_FOUND)
async def get_session(
    session_id: SessionIdPath, scope: CallerScope, services: UseCases
) -> SessionOut:
    """Return one session."""
    found = await services.sessions.get(scope, parse_uuid(session_id, "session_id"))
    return SessionOut.of(found)


@router.patch("/{session_id}", summary="Change a session", responses=NOT_FOUND)
async def change_session(
    session_id: SessionIdPath,
    body: SessionPatch,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
) -> SessionOut:
    """Rename a session or replace its metadata, databases or tags."""
    identifier = parse_uuid(session_id, "session_id")
    changes = await off_loop(body.to_domain, characters=size)
    return SessionOut.of(await services.sessions.change(scope, identifier, changes))


@router.delete(
    "/{session_id}",
    summary="Delete a session",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND,
)
async def delete_session(session_id: SessionIdPath, scope: CallerScope, services: UseCases) -> None:
    """Delete a session with everything in it."""
    await services.sessions.delete(scope, parse_uuid(session_id, "session_id"))
