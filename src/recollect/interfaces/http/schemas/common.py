"""What several resources share."""

from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from fastapi import Depends, Path, Query
from pydantic import BaseModel, Field, JsonValue, SkipValidation

from recollect.domain.conversation.paging import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    MAX_OFFSET,
    Order,
    PageRequest,
)
from recollect.interfaces.http.errors import ErrorBody

Item = TypeVar("Item")
AnyJson: TypeAlias = SkipValidation[JsonValue]
"""JSON as it came: `to_domain` checks it, in a thread where it is large."""
AnyObject: TypeAlias = SkipValidation[dict[str, JsonValue]]
"""The same for what must be an object."""

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": description}
    for status, description in {
        400: "An id or a cursor that is not one",
        401: "Credentials are missing or not valid",
        403: "The credentials do not reach this far",
        422: "A value that cannot be taken; nothing was changed",
        503: "The database, or whoever answers, does not answer now; try again",
    }.items()
}
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "Nothing of that id belongs to the caller"}
}
CONFLICT: dict[int | str, dict[str, Any]] = {
    409: {"model": ErrorBody, "description": "The id or key was used for another message"}
}

ANSWERING: dict[int | str, dict[str, Any]] = {
    **ERRORS,
    **NOT_FOUND,
    **CONFLICT,
    423: {"model": ErrorBody, "description": "The user is halted; nobody was asked"},
    501: {"model": ErrorBody, "description": "What the request needs is not set on this server"},
    502: {
        "model": ErrorBody,
        "description": "What a model sent cannot be used: refused SQL, no answer, too much",
    },
}

SessionIdPath = Annotated[
    str,
    Path(
        alias="session_id",
        description="The session's UUID.",
        json_schema_extra={"format": "uuid"},
        examples=["550e8400-e29b-41d4-a716-446655440000"],
    ),
]
MessageIdPath = Annotated[
    str,
    Path(
        alias="message_id",
        description="The message's UUID.",
        json_schema_extra={"format": "uuid"},
        examples=["6fa459ea-ee8a-4ca4-894e-db77e160355e"],
    ),
]


class ListOf(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(
        description="Give it as `cursor` to get the next page; null on the last one."
    )


class Deleted(BaseModel):
    """How much was deleted."""

    deleted: int = Field(description="Number of messages.", examples=[12])


class Count(BaseModel):
    """How much there is."""

    count: int = Field(description="Number of messages.", examples=[128])


async def _page_request(  # else FastAPI sends it to a thread
    limit: Annotated[
        int, Query(ge=1, le=MAX_LIMIT, description="Items on a page.")
    ] = DEFAULT_LIMIT,
    order: Annotated[Order, Query(description="Newest or oldest first.")] = Order.DESC,
    cursor: Annotated[
        str | None, Query(description="Where the page starts: `next_cursor` of the one before.")
    ] = None,
    offset: Annotated[
        int, Query(ge=0, le=MAX_OFFSET, description="Items to leave out; not with `cursor`.")
    ] = 0,
) -> PageRequest:
    return PageRequest(limit=limit, order=order, cursor=cursor or None, offset=offset)


PageQuery = Annotated[PageRequest, Depends(_page_request)]
"""The paging parameters of every list."""
