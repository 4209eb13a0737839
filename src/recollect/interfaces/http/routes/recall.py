"""Recall over HTTP."""

from uuid import UUID

from fastapi import APIRouter

from recollect.domain.conversation.session import parse_uuid
from recollect.errors import InvalidInput
from recollect.interfaces.http.auth.callers import CallerScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import LargeBodyRoute
from recollect.interfaces.http.schemas.common import ERRORS, NOT_FOUND
from recollect.interfaces.http.schemas.recall import RecallIn, RecallOut

router = APIRouter(prefix="/api/v1", tags=["recall"], responses=ERRORS, route_class=LargeBodyRoute)


@router.post("/recall", summary="Find what was said before", responses=NOT_FOUND)
async def recall(body: RecallIn, scope: CallerScope, services: UseCases) -> RecallOut:
    """Return the caller's earlier exchanges that have most to do with a query, best first."""
    session_id = parse_uuid(body.session_id, "session_id") if body.session_id else None
    if body.scope == "session" and session_id is None:
        raise InvalidInput("session_id", "must be given to look within a session")
    if body.scope == "user" and session_id is not None:
        await services.sessions.get(scope, session_id)  # nobody names a session of somebody else
    within: UUID | None = None if body.scope == "user" else session_id
    found = await services.recall.search(scope, body.query, k=body.k, filters=body.filters(within))
    return RecallOut.of(found)
