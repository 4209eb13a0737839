"""A user's state over HTTP."""

from fastapi import APIRouter

from recollect.interfaces.http.auth.callers import CallerScope, OperatorScope
from recollect.interfaces.http.dependencies import UseCases
from recollect.interfaces.http.large_bodies import LargeBodyRoute
from recollect.interfaces.http.schemas.common import ERRORS
from recollect.interfaces.http.schemas.sessions import StateIn, StateOut

_FOR_OPERATORS = {"x-operator": True}  # says in the document that users cannot call it

router = APIRouter(
    prefix="/api/v1/state", tags=["state"], responses=ERRORS, route_class=LargeBodyRoute
)


@router.get("", summary="Get the user's state")
async def get_state(scope: CallerScope, services: UseCases) -> StateOut:
    """Return the mode the user is in; `active` where none was set."""
    return StateOut.of(await services.states.get(scope))


@router.put("", summary="Set the user's state", openapi_extra=_FOR_OPERATORS)
async def put_state(body: StateIn, scope: OperatorScope, services: UseCases) -> StateOut:
    """Set the user's mode; for service keys and the local user: nobody lifts their own halt."""
    return StateOut.of(await services.states.put(scope, body.mode))


@router.delete("", summary="Delete the user's state", openapi_extra=_FOR_OPERATORS)
async def delete_state(scope: OperatorScope, services: UseCases) -> StateOut:
    """Forget the user's mode, which makes it `active`; for service keys and the local user."""
    await services.states.delete(scope)
    return StateOut.of(None)
