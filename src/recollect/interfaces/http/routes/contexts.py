"""Contexts over HTTP."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recollect.domain.conversation.reading_effort import characters_to_write
from recollect.domain.conversation.session import parse_uuid
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import LargeBodyRoute
from recollect.interfaces.http.large_responses import WRITTEN_AT_ONCE, written
from recollect.interfaces.http.schemas.common import ERRORS, NOT_FOUND, SessionIdPath
from recollect.interfaces.http.schemas.contexts import (
    AnyContextOut,
    ContextFormat,
    ContextIn,
    in_form,
)

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
        parse_uuid(session_id, "session_id"),
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
