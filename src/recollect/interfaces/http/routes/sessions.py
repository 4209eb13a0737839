"""Sessions, and a user's state, over HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.concurrency import off_loop
from recollect.domain.conversation.paging import SessionSort
from recollect.domain.conversation.session import Session, session_characters
from recollect.interfaces.http.callers import CallerScope, OperatorScope
from recollect.interfaces.http.errors import ERASED, ERRORS, NOT_FOUND
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, BodySize, LargeBodyRoute, written
from recollect.interfaces.http.parameters import PageQuery, SessionIdPath, UseCases
from recollect.interfaces.http.schemas.conversations import (
    ListOf,
    SessionIn,
    SessionOut,
    SessionPatch,
    StateIn,
    StateOut,
)

SortQuery = Annotated[
    SessionSort, Query(description="By the time of the last change, or of the last use.")
]
router = APIRouter(
    prefix="/api/v1/sessions", tags=["sessions"], responses=ERRORS, route_class=LargeBodyRoute
)
_FOR_OPERATORS = {"x-operator": True}  # says in the document that users cannot call it
state_router = APIRouter(
    prefix="/api/v1/state", tags=["state"], responses=ERRORS, route_class=LargeBodyRoute
)


@router.post(
    "",
    summary="Start or resume a session",
    status_code=HTTPStatus.CREATED,
    response_model=SessionOut,
    responses={
        200: {"model": SessionOut, "description": "The session was there already"},
        **ERASED,
    },
)
async def start_session(
    body: SessionIn, scope: CallerScope, services: UseCases, size: BodySize
) -> Response:
    """Create a session, or return the one with that id as it is."""
    new = await off_loop(partial(body.to_domain, services.ids), characters=size)
    session, is_new = await services.sessions.start(scope, new)
    return await _written(session, status=HTTPStatus.CREATED if is_new else HTTPStatus.OK)


@router.get("", summary="List sessions", response_model=ListOf[SessionOut])
async def list_sessions(
    scope: CallerScope, services: UseCases, page: PageQuery, sort: SortQuery = SessionSort.UPDATED
) -> Response:
    """List the caller's sessions by the time of their last change, or of their last use."""
    sessions = await services.sessions.list(scope, page, sort=sort)
    return await written(
        partial(ListOf.of, sessions, SessionOut.of),
        characters=session_characters(sessions.items, most=WRITTEN_AT_ONCE),
        parts=["items"],
    )


@router.get(
    "/{session_id}", summary="Get a session", response_model=SessionOut, responses=NOT_FOUND
)
async def get_session(
    session_id: SessionIdPath, scope: CallerScope, services: UseCases
) -> Response:
    """Return one session."""
    return await _written(await services.sessions.get(scope, session_id))


@router.patch(
    "/{session_id}",
    summary="Change a session",
    response_model=SessionOut,
    responses=NOT_FOUND | ERASED,
)
async def change_session(
    session_id: SessionIdPath,
    body: SessionPatch,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
) -> Response:
    """Rename a session or replace its metadata, databases or tags."""
    changes = await off_loop(body.to_domain, characters=size)
    return await _written(await services.sessions.change(scope, session_id, changes))


@router.delete(
    "/{session_id}",
    summary="Delete a session",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND,
)
async def delete_session(session_id: SessionIdPath, scope: CallerScope, services: UseCases) -> None:
    """Delete a session with everything in it."""
    await services.sessions.delete(scope, session_id)


async def _written(session: Session, *, status: HTTPStatus = HTTPStatus.OK) -> Response:
    characters = session_characters([session], most=WRITTEN_AT_ONCE)
    return await written(partial(SessionOut.of, session), characters=characters, status=status)


@state_router.get("", summary="Get the user's state")
async def get_state(scope: CallerScope, services: UseCases) -> StateOut:
    """Return the mode the user is in; `active` where none was set."""
    return StateOut.of(await services.states.get(scope))


@state_router.put(
    "", summary="Set the user's state", responses=ERASED, openapi_extra=_FOR_OPERATORS
)
async def put_state(body: StateIn, scope: OperatorScope, services: UseCases) -> StateOut:
    """Set the user's mode; for service keys and the local user: nobody lifts their own halt."""
    return StateOut.of(await services.states.put(scope, body.mode))


@state_router.delete("", summary="Delete the user's state", openapi_extra=_FOR_OPERATORS)
async def delete_state(scope: OperatorScope, services: UseCases) -> StateOut:
    """Forget the user's mode, which makes it `active`; for service keys and the local user."""
    await services.states.delete(scope)
    return StateOut.of(None)
