"""Contexts, rewritten questions and recall over HTTP."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.domain.conversation.message import characters_to_write
from recollect.domain.conversation.session import parse_uuid
from recollect.errors import InvalidInput
from recollect.interfaces.http.callers import CallerScope
from recollect.interfaces.http.errors import ERRORS, NOT_FOUND
from recollect.interfaces.http.large_json import WRITTEN_AT_ONCE, LargeBodyRoute, written
from recollect.interfaces.http.parameters import SessionIdPath, UseCases
from recollect.interfaces.http.schemas.context_forms import AnyContextOut, ContextFormat, in_form
from recollect.interfaces.http.schemas.contexts import ContextIn
from recollect.interfaces.http.schemas.recall import RecallIn, RecallOut, RewriteIn, RewriteOut

router = APIRouter(
    prefix="/api/v1/sessions/{session_id}",
    tags=["context"],
    responses=ERRORS | NOT_FOUND,
    route_class=LargeBodyRoute,
)
Form = Annotated[
    ContextFormat,
    Query(
        alias="format",
        description="All of it (object), or ready to use: the variables of a prompt template, the "
        "messages of a chat completion, instructions for a data question, or a block of a "
        "system prompt.",
    ),
]
owner_router = APIRouter(prefix="/api/v1", responses=ERRORS | NOT_FOUND, route_class=LargeBodyRoute)


@router.post(
    "/context",
    summary="Put a question into its context",
    response_model=AnyContextOut,
    response_model_exclude_unset=True,
)
async def build_context(
    session_id: SessionIdPath,
    body: ContextIn,
    scope: CallerScope,
    services: UseCases,
    form: Form = ContextFormat.OBJECT,
) -> Response:
    """Return what a model needs to understand a question: the conversation, within its limits."""
    context = await services.contexts.build(
        scope,
        session_id,
        body.question,
        model=body.model,
        max_tokens=body.max_tokens,
        window=body.window,
        databases=body.databases,
        recall=body.recall(),
    )
    characters = context.characters
    if form is ContextFormat.OBJECT:
        characters += characters_to_write(context.window, most=WRITTEN_AT_ONCE)
    return await written(partial(in_form, context, form), characters=characters, parts=["window"])


@owner_router.post("/rewrite", summary="Make a question stand by itself", tags=["follow-ups"])
async def rewrite_question(body: RewriteIn, scope: CallerScope, services: UseCases) -> RewriteOut:
    """Return a follow-up as it reads without its history; unchanged where that is not sure."""
    if (body.session_id is None) == (body.history is None):
        raise InvalidInput("session_id", "or history must be given, and not both")
    if body.session_id is not None:
        session_id = parse_uuid(body.session_id, "session_id")
        rewrite = await services.rewriting.in_session(
            scope, session_id, body.question, language=body.language
        )
    else:
        history = [message.to_domain() for message in body.history or ()]
        rewrite = await services.rewriting.after(history, body.question, language=body.language)
    return RewriteOut.of(rewrite)


@owner_router.post("/recall", summary="Find what was said before", tags=["recall"])
async def recall(body: RecallIn, scope: CallerScope, services: UseCases) -> RecallOut:
    """Return the caller's earlier exchanges that have most to do with a query, best first."""
    session_id = parse_uuid(body.session_id, "session_id") if body.session_id else None
    if body.scope == "session" and session_id is None:
        raise InvalidInput("session_id", "must be given to look within a session")
    if body.scope == "user" and session_id is not None:
        await services.sessions.get(scope, session_id)  # refuses the session of somebody else
    filters = body.filters(None if body.scope == "user" else session_id)
    return RecallOut.of(await services.recall.search(scope, body.query, k=body.k, filters=filters))
