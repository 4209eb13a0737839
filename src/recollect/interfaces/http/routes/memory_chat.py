"""Data questions over HTTP: /memoryChat, and /answerQuestion as it is without memory."""

import asyncio
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from recollect.answerers.denodo.answerer import DenodoAnswerer
from recollect.domain.chat.answers import Answered, Inquiry
from recollect.domain.conversation.session import MAX_LABELS, Session, SessionChanges, parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.recalled import RecallOverrides
from recollect.errors import ConfigurationError, ModelUnavailable, NotFound, Unavailable
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.errors import ANSWERING
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, BodySize, LargeBodyRoute, written
from recollect.interfaces.http.parameters import (
    ANY_QUERY,
    IdempotencyKey,
    OpenMemory,
    UseCases,
    headers_of,
    name_session,
)
from recollect.interfaces.http.schemas.chat import MemoryChatIn, MemoryChatOut, answer_characters
from recollect.offloading import off_loop
from recollect.services.chat.turn import too_slow
from recollect.services.services import Services

router = APIRouter(tags=["data questions"], responses=ANSWERING, route_class=LargeBodyRoute)

PASSED_ON: Final = "Fields that are unknown here were passed on as they are: {}."
IGNORED: Final = "Fields that are unknown here were ignored, for no AI SDK answers: {}."
SESSION_UNREADABLE: Final = "Memory did not answer; the conversation's metadata is missing."
_FORWARDED: Final = ("Content-Type", "Accept")
_FAILED: Final = 499  # and all above: its body is a traceback
_TRACEBACK: Final = b"Traceback (most recent call last)"


@router.post("/memoryChat", summary="Ask a data question with memory", response_model=MemoryChatOut)
async def memory_chat(
    request: Request,
    body: MemoryChatIn,
    scope: CallerScope,
    services: UseCases,
    size: BodySize,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer as /answerQuestion does, with the memory of the conversation, and remember it."""
    inquiry = await off_loop(partial(_inquiry, body, idempotency_key), characters=size)
    turn = await services.chat.begin(scope, inquiry)
    name_session(request, turn.session_id)
    answered = await turn.answer()
    warnings = _of_unknown(body.unknown(), services, answered)
    return await _told(services, scope, answered, inquiry, warnings)


def _inquiry(body: MemoryChatIn, idempotency_key: str | None) -> Inquiry:
    given = (body.session_id or "").strip()
    return Inquiry(
        text=body.question,
        session_id=parse_uuid(given, "session_id") if given else None,
        needs_session_id=True,
        session_name=body.session_name,
        session_metadata={"created_via": "memoryChat"},
        databases=body.databases(),
        tags=body.tags(),
        idempotency_key=idempotency_key or None,
        model=body.llm_model,
        options=body.options(),
        uses_memory=body.use_memory,
        window=body.max_history_messages,
        recall=RecallOverrides(k=body.semantic_search_k),
    )


def _of_unknown(names: Sequence[str], services: Services, answered: Answered) -> list[str]:
    """What became of fields that are unknown here; of a replay nothing, for nobody was asked."""
    if not names or answered.is_repeated:
        return []
    is_denodo = isinstance(services.chat.answering.answerer, DenodoAnswerer)
    return [(PASSED_ON if is_denodo else IGNORED).format(", ".join(names))]


async def _told(
    services: Services,
    scope: Scope,
    answered: Answered,
    inquiry: Inquiry,
    warnings: Sequence[str],
) -> Response:
    warnings = [*answered.warnings, *warnings]
    session: Session | None = None
    if answered.session_id is not None and answered.question_id is not None:
        try:
            session = await _noted(services, scope, answered.session_id, inquiry)
        except Unavailable:
            warnings.append(SESSION_UNREADABLE)
        except NotFound:
            pass  # deleted meanwhile, which the answer's warnings tell
    return await written(
        partial(MemoryChatOut.of, answered, session, warnings),
        characters=answer_characters(answered.answer, most=WRITTEN_AT_ONCE),
        headers=headers_of(answered),
        with_defaults=True,
    )


async def _noted(services: Services, scope: Scope, session_id: UUID, inquiry: Inquiry) -> Session:
    """The session, which keeps the databases and tags that its questions have named."""
    session = await services.sessions.get(scope, session_id)
    databases = tuple(dict.fromkeys((*session.databases, *inquiry.databases)))
    tags = tuple(dict.fromkeys((*session.tags, *inquiry.tags)))
    if (databases, tags) == (session.databases, session.tags):
        return session
    if max(len(databases), len(tags)) > MAX_LABELS:
        return session
    changes = SessionChanges(databases=databases, tags=tags)
    return await services.sessions.change(scope, session_id, changes)


# The AI SDK describes it, and its parameters are the SDK's.
@router.post("/answerQuestion", include_in_schema=False, dependencies=[ANY_QUERY])
async def answer_question(request: Request, scope: CallerScope, memory: OpenMemory) -> Response:
    """Send a request on to the AI SDK as it is, and its answer back as it came."""
    if memory.denodo is None:
        raise ConfigurationError("no Denodo AI SDK is set; MEMORY_DENODO_URL names one")
    await memory.services.chat.check_state(scope)
    headers = {name: value for name in _FORWARDED if (value := request.headers.get(name))}
    if scope.authorization:
        headers["Authorization"] = scope.authorization
    body, limit = await request.body(), memory.services.chat.answering.time_limit
    try:
        async with asyncio.timeout(limit):
            received = await memory.denodo.forward(
                "answerQuestion", query=request.url.query, body=body, headers=headers
            )
    except TimeoutError:
        raise too_slow(limit) from None
    is_refusal = received.status >= HTTPStatus.BAD_REQUEST
    if received.status >= _FAILED or (is_refusal and _TRACEBACK in received.body):
        raise ModelUnavailable(f"the Denodo AI SDK failed with status {received.status}")
    return Response(
        received.body, status_code=received.status, media_type=received.content_type or None
    )
