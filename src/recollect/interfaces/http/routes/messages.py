"""The messages and turns of a session over HTTP, and a user's messages across sessions."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import BaseModel

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message, characters_to_write
from recollect.domain.conversation.paging import Page
from recollect.domain.conversation.session import parse_uuid, user_wide_session_id
from recollect.interfaces.http.callers import CallerScope
from recollect.interfaces.http.errors import CONFLICT, ERRORS, NOT_FOUND
from recollect.interfaces.http.large_json import (
    WRITTEN_AT_ONCE,
    BatchRoute,
    BodySize,
    LargeBodyRoute,
    written,
)
from recollect.interfaces.http.parameters import (
    IdempotencyKey,
    MessageIdPath,
    PageQuery,
    SessionIdPath,
    UseCases,
)
from recollect.interfaces.http.schemas.conversations import Count, Deleted, ListOf
from recollect.interfaces.http.schemas.messages import (
    BatchIn,
    BatchOut,
    ExchangeIn,
    ExchangeOut,
    MessageIn,
    MessageOut,
    NewMessageIn,
    TurnOut,
    TurnPatch,
)

_OF_SESSION: dict[str, Any] = {
    "prefix": "/api/v1/sessions/{session_id}",
    "tags": ["messages"],
    "responses": ERRORS | NOT_FOUND,
}
router = APIRouter(**_OF_SESSION, route_class=LargeBodyRoute)
batch_router = APIRouter(**_OF_SESSION, route_class=BatchRoute)
history_router = APIRouter(
    prefix="/api/v1/history", tags=["history"], responses=ERRORS, route_class=LargeBodyRoute
)
IncludeInactive = Annotated[
    bool,
    Query(description="Also the replies and questions that regenerating and editing left behind."),
]
TurnNumberPath = Annotated[int, Path(ge=1, le=2**63 - 1, description="The turn's number.")]
KeepLast = Annotated[
    int | None,
    Query(ge=0, le=2**31 - 1, description="Keep so many of the newest messages; default: none."),
]


def _storing(model: type[BaseModel], what: str) -> dict[str, Any]:
    """How routes that store something are declared: 201, or 200 for a retry."""
    retry = {"model": model, "description": f"A retry: the {what} stored already"}
    return {
        "status_code": HTTPStatus.CREATED,
        "response_model": model,
        "response_model_exclude_unset": True,
        "responses": {200: retry, **CONFLICT},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Storing:
    """Stores a request's messages, and writes what is made of the stored ones."""

    scope: CallerScope
    services: UseCases
    size: BodySize
    idempotency_key: IdempotencyKey = None

    async def store(
        self,
        body: NewMessageIn | ExchangeIn,
        make: Callable[..., BaseModel],
        session_id: UUID,
        *,
        starts_session: bool | None = None,
        reply_to: UUID | None = None,
    ) -> Response:
        messages = self.services.messages
        check = partial(body.to_domain, session_id, self.idempotency_key, self.services.ids)
        appended = await messages.append(
            self.scope,
            session_id,
            await off_loop(check, characters=self.size),
            reply_to=reply_to,
            starts_session=starts_session or messages.starts_unknown_sessions,
        )
        return await written(
            partial(make, *appended.messages),
            characters=characters_to_write(appended.messages, most=WRITTEN_AT_ONCE),
            status=HTTPStatus.CREATED if appended.is_new else HTTPStatus.OK,
        )


Storing = Annotated[_Storing, Depends()]


async def _written_page(page: Page[Message]) -> Response:
    """Write a page of messages, one by one where they are large."""
    characters = characters_to_write(page.items, most=WRITTEN_AT_ONCE)
    unwritten = [page]
    del page  # the thread that writes it frees it, too: a million values take 20 ms
    return await written(
        lambda: ListOf.members_of(unwritten.pop(), MessageOut.members_of),
        characters=characters,
        parts=["items"],
    )


@router.post("/messages", summary="Add a message", **_storing(MessageOut, "message was"))
async def add_message(session_id: SessionIdPath, body: MessageIn, storing: Storing) -> Response:
    """Store a message; a user's opens a turn, an assistant's completes it.

    Where the preset creates sessions, a new id starts its session.
    """
    reply_to = parse_uuid(body.reply_to, "reply_to") if body.reply_to else None
    return await storing.store(body, MessageOut.of, session_id, reply_to=reply_to)


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
    return await _written_page(
        await services.messages.list(scope, session_id, page, include_inactive=include_inactive)
    )


@router.delete("/messages", summary="Clear a session")
async def clear_messages(
    session_id: SessionIdPath, scope: CallerScope, services: UseCases
) -> Deleted:
    """Delete all messages of a session; the session stays."""
    return Deleted(deleted=await services.messages.clear(scope, session_id))


@router.delete(
    "/messages/{message_id}", summary="Delete a message", status_code=HTTPStatus.NO_CONTENT
)
async def delete_message(
    session_id: SessionIdPath, message_id: MessageIdPath, scope: CallerScope, services: UseCases
) -> None:
    """Delete one message of a session."""
    await services.messages.delete(scope, session_id, message_id)


@router.post(
    "/exchanges", summary="Add a question and its answer", **_storing(ExchangeOut, "exchange was")
)
async def add_exchange(session_id: SessionIdPath, body: ExchangeIn, storing: Storing) -> Response:
    """Store a question and its answer together: both or none, as one complete turn.

    Where the preset creates sessions, a new id starts its session.
    """
    return await storing.store(body, ExchangeOut.of, session_id)


@router.get("/turns/{turn_number}", summary="Get a turn's status")
async def get_turn(
    session_id: SessionIdPath, turn_number: TurnNumberPath, scope: CallerScope, services: UseCases
) -> TurnOut:
    """Tell whether a question is pending, answered or failed."""
    status = await services.messages.turn_status(scope, session_id, turn_number)
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
    await services.messages.fail_turn(scope, session_id, turn_number)
    return await get_turn(session_id, turn_number, scope, services)


@batch_router.post(
    "/messages:batch", summary="Add many messages", **_storing(BatchOut, "messages were")
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
    messages = await asyncio.to_thread(body.to_domain, session_id, idempotency_key, services.ids)
    appended = await services.messages.append(
        scope, session_id, messages, starts_session=services.messages.starts_unknown_sessions
    )
    stored = await asyncio.to_thread(lambda: BatchOut.of(appended.messages).model_dump_json())
    status = HTTPStatus.CREATED if appended.is_new else HTTPStatus.OK
    return Response(stored, status_code=status, media_type="application/json")


@history_router.post(
    "", summary="Add a message without a session", **_storing(MessageOut, "message was")
)
async def add_to_history(body: NewMessageIn, storing: Storing) -> Response:
    """Store a message in the caller's user-wide session, which the first one starts."""
    session_id = user_wide_session_id(storing.scope.owner_id)
    return await storing.store(body, MessageOut.of, session_id, starts_session=True)


@history_router.get(
    "",
    summary="List all messages",
    response_model=ListOf[MessageOut],
    response_model_exclude_unset=True,
)
async def list_history(scope: CallerScope, services: UseCases, page: PageQuery) -> Response:
    """List the caller's messages across all sessions by time."""
    return await _written_page(await services.history.list(scope, page))


@history_router.get("/count", summary="Count all messages")
async def count_history(scope: CallerScope, services: UseCases) -> Count:
    """Count the caller's messages across all sessions."""
    return Count(count=await services.history.count(scope))


@history_router.delete("", summary="Clear or trim the history")
async def clear_history(
    scope: CallerScope, services: UseCases, keep_last: KeepLast = None
) -> Deleted:
    """Delete all the caller's messages, or all but the newest; the sessions stay."""
    if keep_last is None:
        return Deleted(deleted=await services.history.clear(scope))
    return Deleted(deleted=await services.history.trim(scope, keep_last=keep_last))


@history_router.delete(
    "/{message_id}",
    summary="Delete a message of any session",
    status_code=HTTPStatus.NO_CONTENT,
    responses=NOT_FOUND,
)
async def delete_from_history(
    message_id: MessageIdPath, scope: CallerScope, services: UseCases
) -> None:
    """Delete one of the caller's messages, in whichever session it is."""
    await services.history.delete(scope, message_id)
