"""A user's messages across sessions over HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.domain.conversation.session import parse_uuid, user_wide_session_id
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import IdempotencyKey, UseCases
from recollect.interfaces.http.large_bodies import BodySize, LargeBodyRoute
from recollect.interfaces.http.message_responses import written_append, written_page
from recollect.interfaces.http.schemas.common import (
    CONFLICT,
    ERRORS,
    NOT_FOUND,
    Count,
    Deleted,
    ListOf,
    MessageIdPath,
    PageQuery,
)
from recollect.interfaces.http.schemas.messages import MessageOut, NewMessageIn
from recollect.offloading import off_loop

router = APIRouter(
    prefix="/api/v1/history", tags=["history"], responses=ERRORS, route_class=LargeBodyRoute
)

KeepLast = Annotated[
    int | None,
    Query(ge=0, le=2**31 - 1, description="Keep so many of the newest messages; default: none."),
]


@router.post(
    "",
    summary="Add a message without a session",
    status_code=HTTPStatus.CREATED,
    response_model=MessageOut,
    response_model_exclude_unset=True,
    responses={
        200: {"model": MessageOut, "description": "A retry: the message was stored already"},
        **CONFLICT,
    },
)
async def add_to_history(
    body: NewMessageIn,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Store a message in the caller's user-wide session, which the first one starts."""
    session = user_wide_session_id(scope.owner_id)
    check = partial(body.to_domain, session, idempotency_key, services.ids)
    message = await off_loop(check, characters=size)
    appended = await services.messages.append(scope, session, [message], starts_session=True)
    return await written_append(appended, partial(MessageOut.of, appended.messages[0]))


@router.get(
    "",
    summary="List all messages",
    response_model=ListOf[MessageOut],
    response_model_exclude_unset=True,
)
async def list_history(scope: CallerScope, services: UseCases, page: PageQuery) -> Response:
    """List the caller's messages across all sessions by time."""
    return await written_page(await services.history.list(scope, page))


@router.get("/count", summary="Count all messages")
async def count_history(scope: CallerScope, services: UseCases) -> Count:
    """Count the caller's messages across all sessions."""
    return Count(count=await services.history.count(scope))


@router.delete("", summary="Clear or trim the history")
async def clear_history(
    scope: CallerScope, services: UseCases, keep_last: KeepLast = None
) -> Deleted:
    """Delete all the caller's messages, or all but the newest; the sessions stay."""
    if keep_last is None:
        return Deleted(deleted=await services.history.clear(scope))
    return Deleted(deleted=await services.history.trim(scope, keep_last=keep_last))


@router.delete(
    "/{message_id}",
    summary="Delete a message of any session",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND,
)
async def delete_from_history(
    message_id: MessageIdPath, scope: CallerScope, services: UseCases
) -> None:
    """Delete one of the caller's messages, in whichever session it is."""
    await services.history.delete(scope, parse_uuid(message_id, "message_id"))
