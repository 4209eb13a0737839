"""Contexts over HTTP."""

from fastapi import APIRouter

from recollect.domain.session import parse_uuid
from recollect.interfaces.http.auth import CallerScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.schemas.common import ERRORS, NOT_FOUND, SessionIdPath
from recollect.interfaces.http.schemas.contexts import ContextIn, ContextOut

router = APIRouter(
    prefix="/api/v1/sessions/{session_id}", tags=["context"], responses=ERRORS | NOT_FOUND
)


@router.post(
    "/context", summary="Put a question into its context", response_model_exclude_unset=True
)
async def build_context(
    session_id: SessionIdPath, body: ContextIn, scope: CallerScope, services: UseCases
) -> ContextOut:
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
    return ContextOut.of(context)
