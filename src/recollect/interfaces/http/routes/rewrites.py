"""Follow-ups understood over HTTP."""

from fastapi import APIRouter

from recollect.domain.conversation.session import parse_uuid
from recollect.errors import InvalidInput
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import LargeBodyRoute
from recollect.interfaces.http.schemas.common import ERRORS, NOT_FOUND
from recollect.interfaces.http.schemas.recall import RewriteIn, RewriteOut

router = APIRouter(
    prefix="/api/v1", tags=["follow-ups"], responses=ERRORS, route_class=LargeBodyRoute
)


@router.post("/rewrite", summary="Make a question stand by itself", responses=NOT_FOUND)
async def rewrite_question(body: RewriteIn, scope: CallerScope, services: UseCases) -> RewriteOut:
    """Return a follow-up as it reads without its history; a standalone question unchanged."""
    if (body.session_id is None) == (body.history is None):
        raise InvalidInput("session_id", "or history must be given, and not both")
    if body.session_id is not None:
        found = await services.rewriting.in_session(
            scope,
            parse_uuid(body.session_id, "session_id"),
            body.question,
            model=body.model,
            language=body.language,
        )
    else:
        history = [said.to_domain() for said in body.history or ()]
        found = await services.rewriting.after(
            history, body.question, model=body.model, language=body.language
        )
    return RewriteOut.of(found)
