"""Many messages at once over HTTP."""

import asyncio
from http import HTTPStatus

from fastapi import APIRouter, Response

from recollect.domain.conversation.session import parse_uuid
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import IdempotencyKey, UseCases
from recollect.interfaces.http.large_bodies import BatchRoute
from recollect.interfaces.http.schemas.common import CONFLICT, ERRORS, NOT_FOUND, SessionIdPath
from recollect.interfaces.http.schemas.messages import BatchIn, BatchOut

router = APIRouter(
    prefix="/api/v1/sessions/{session_id}",
    tags=["messages"],
    responses=ERRORS | NOT_FOUND,
    route_class=BatchRoute,
)


@router.post(
    "/messages:batch",
    summary="Add many messages",
    status_code=HTTPStatus.CREATED,
    response_model=BatchOut,
    responses={
        200: {"model": BatchOut, "description": "A retry: the messages were stored already"},
        **CONFLICT,
    },
)
async def add_messages(
    session_id: SessionIdPath,
    body: BatchIn,
    scope: CallerScope,
    services: UseCases,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Store up to 10,000 messages together, all or none; turns are formed as by single ones.

    The whole body must stay below `MEMORY_MAX_BODY_BYTES`, by default 8,000,000 bytes: 800 for
    each of 10,000 messages. It has at most 300,000 JSON values, 50,000 in one message. Where the
    preset creates sessions, a new id starts its session.
    """
    session = parse_uuid(session_id, "session_id")
    messages = await asyncio.to_thread(body.to_domain, session, idempotency_key, services.ids)
    appended = await services.messages.append(
        scope, session, messages, starts_session=services.messages.starts_unknown_sessions
    )
    stored = await asyncio.to_thread(lambda: BatchOut.of(appended.messages).model_dump_json())
    status = HTTPStatus.CREATED if appended.is_new else HTTPStatus.OK
    return Response(stored, status_code=status, media_type="application/json")
