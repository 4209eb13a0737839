"""The messages and turns of a session over HTTP."""

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from recollect.domain.conversation.session import parse_uuid
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import IdempotencyKey, UseCases
from recollect.interfaces.http.large_bodies import BodySize, LargeBodyRoute
from recollect.interfaces.http.message_responses import written_append, written_page
from recollect.interfaces.http.schemas.common import (
    CONFLICT,
    ERRORS,
    NOT_FOUND,
    Deleted,
    ListOf,
    MessageIdPath,
    PageQuery,
    SessionIdPath,
)
from recollect.interfaces.http.schemas.messages import (
    ExchangeIn,
    ExchangeOut,
    MessageIn,
    MessageOut,
    TurnOut,
    TurnPatch,
)
from recollect.offloading import off_loop

router = APIRouter(
    prefix="/api/v1/sessions/{session_id}",
    tags=["messages"],
    responses=ERRORS | NOT_FOUND,
    route_class=LargeBodyRoute,
)

IncludeInactive = Annotated[
    bool,
    Query(description="Also the replies and questions that regenerating and editing left behind."),
]
TurnNumberPath = Annotated[int, Path(ge=1, le=2**63 - 1, description="The turn's number.")]


@router.post(
    "/messages",
    summary="Add a message",
    status_code=HTTPStatus.CREATED,
    response_model=MessageOut,
    response_model_exclude_unset=True,
    responses={
        200: {"model": MessageOut, "description": "A retry: the message was stored already"},
        **CONFLICT,
    },
)
async def add_message(
    session_id: SessionIdPath,
    body: MessageIn,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Store a message; a user's opens a turn, an assistant's completes it.

    Where the preset creates sessions, a new id starts its session.
    """
    session = parse_uuid(session_id, "session_id")
    check = partial(body.to_domain, session, idempotency_key, services.ids)
    message = await off_loop(check, characters=size)
    reply_to = parse_uuid(body.reply_to, "reply_to") if body.reply_to else None
    appended = await services.messages.append(
        scope,
        session,
        [message],
        reply_to=reply_to,
        starts_session=services.messages.starts_unknown_sessions,
    )
    return await written_append(appended, partial(MessageOut.of, appended.messages[0]))


@router.get(
    "/messages",
    summary="List messages",
    response_model=ListOf[MessageOut],
    response_model_exclude_unset=True,
)
async def list_messages(
    session_id: SessionIdPath,
    scope: CallerScope,
    services: UseCases,
    page: PageQuery,
    *,
    include_inactive: IncludeInactive = False,
) -> Response:
    """List a session's messages in the order of their sequence numbers."""
    return await written_page(
        await services.messages.list(
            scope, parse_uuid(session_id, "session_id"), page, include_inactive=include_inactive
        )
    )


@router.delete("/messages", summary="Clear a session")
async def clear_messages(
    session_id: SessionIdPath, scope: CallerScope, services: UseCases
) -> Deleted:
    """Delete all messages of a session; the session stays."""
    cleared = await services.messages.clear(scope, parse_uuid(session_id, "session_id"))
    return Deleted(deleted=cleared)


@router.delete(
    "/messages/{message_id}", summary="Delete a message", status_code=HTTPStatus.NO_CONTENT
)
async def delete_message(
    session_id: SessionIdPath, message_id: MessageIdPath, scope: CallerScope, services: UseCases
) -> None:
    """Delete one message of a session."""
    session = parse_uuid(session_id, "session_id")
    await services.messages.delete(scope, session, parse_uuid(message_id, "message_id"))


@router.post(
    "/exchanges",
    summary="Add a question and its answer",
    status_code=HTTPStatus.CREATED,
    response_model=ExchangeOut,
    response_model_exclude_unset=True,
    responses={
        200: {"model": ExchangeOut, "description": "A retry: the exchange was stored already"},
        **CONFLICT,
    },
)
async def add_exchange(
    session_id: SessionIdPath,
    body: ExchangeIn,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Store a question and its answer together: both or none, as one complete turn.

    Where the preset creates sessions, a new id starts its session.
    """
    session = parse_uuid(session_id, "session_id")
    check = partial(body.to_domain, session, idempotency_key, services.ids)
    messages = await off_loop(check, characters=size)
    appended = await services.messages.append(
        scope, session, messages, starts_session=services.messages.starts_unknown_sessions
    )
    return await written_append(appended, partial(ExchangeOut.of, *appended.messages))


@router.get("/turns/{turn_number}", summary="Get a turn's status")
async def get_turn(
    session_id: SessionIdPath, turn_number: TurnNumberPath, scope: CallerScope, services: UseCases
) -> TurnOut:
    """Tell whether a question is pending, answered or failed."""
    session = parse_uuid(session_id, "session_id")
    status = await services.messages.turn_status(scope, session, turn_number)
    return TurnOut(turn_number=turn_number, status=status)


@router.patch("/turns/{turn_number}", summary="Fail a turn")
async def fail_turn(
    session_id: SessionIdPath,
    turn_number: TurnNumberPath,
    body: TurnPatch,  # noqa: ARG001  # says nothing but that the turn failed
    scope: CallerScope,
    services: UseCases,
) -> TurnOut:
    """Say that a question will get no answer; an answered one stays answered."""
    session = parse_uuid(session_id, "session_id")
    await services.messages.fail_turn(scope, session, turn_number)
    status = await services.messages.turn_status(scope, session, turn_number)
    return TurnOut(turn_number=turn_number, status=status)
