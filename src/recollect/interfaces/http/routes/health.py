"""Whether the server lives, and whether it can work."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from recollect.interfaces.http.dependencies import OpenMemory
from recollect.interfaces.http.errors import ErrorBody
from recollect.interfaces.http.query_parameters import ANY_QUERY

router = APIRouter(tags=["health"], dependencies=[ANY_QUERY])


class Health(BaseModel):
    """All is well."""

    status: Literal["ok", "ready"]


@router.get("/healthz", summary="Is the process alive?")
async def healthz() -> Health:
    """Answer as long as the process lives, whatever the database does."""
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Can requests be served?",
    responses={503: {"model": ErrorBody, "description": "The database does not answer"}},
)
async def readyz(memory: OpenMemory) -> Health:
    """Answer when the database does."""
    await memory.is_ready()
    return Health(status="ready")
