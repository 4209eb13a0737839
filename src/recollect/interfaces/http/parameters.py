"""What routes are given: the services, the parameters of paths and queries, and headers."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BeforeValidator
from starlette.datastructures import Headers
from starlette.responses import Response

from recollect.domain.chat.answers import Answered
from recollect.domain.conversation.paging import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    MAX_OFFSET,
    Order,
    PageRequest,
)
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.text import JsonObject, storable
from recollect.errors import InvalidId, InvalidInput, NotConfirmed
from recollect.memory import Memory
from recollect.services.services import Services

OPENWEBUI_USER_HEADER: Final = "X-OpenWebUI-User-Id"
OPENWEBUI_TOKEN_HEADER: Final = "X-OpenWebUI-User-Jwt"  # noqa: S105  # a header's name
_BLANKS: Final = " \t"  # not str.strip()'s: its others are bytes of letters in UTF-8
SESSION_HEADER: Final = "X-Session-ID"
EXPERIMENT_HEADER: Final = "X-Memory-Experiment"
"""The arm of an experiment (MEMORY_AB_SHARE) that the session is in: memory or control."""
REPLAY_HEADER: Final = "Idempotency-Replayed"
SessionIdHeader = Annotated[
    str | None,
    Header(
        alias=SESSION_HEADER,
        description="The conversation's UUID, new or known; missing or blank: by "
        "X-OpenWebUI-Chat-Id, else by the preset.",
        json_schema_extra={"format": "uuid"},
    ),
]
OPENWEBUI_CHAT_HEADER: Final = "X-OpenWebUI-Chat-Id"
OPENWEBUI_MESSAGE_HEADER: Final = "X-OpenWebUI-Message-Id"
OPENWEBUI: Final = "openwebui"
_OPENWEBUI_HEADERS: Final = (OPENWEBUI_CHAT_HEADER, OPENWEBUI_USER_HEADER, OPENWEBUI_TOKEN_HEADER)
_MAX_LENGTH: Final = 255


# Async, though it awaits nothing: FastAPI would send a plain function to a thread.
async def _services(request: Request) -> Services:
    memory: Memory = request.app.state.memory
    return memory.services


UseCases = Annotated[Services, Depends(_services)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=255,
        description="Any text of your own; a retry with the same one stores nothing twice.",
    ),
]


def _uuid(name: str) -> BeforeValidator:
    """Read a UUID, or refuse it with 400 as ids in bodies are; pydantic's own error is a 422."""
    return BeforeValidator(lambda text: parse_uuid(text, name))


SessionIdPath = Annotated[
    UUID,
    _uuid("session_id"),
    Path(description="The session's UUID.", examples=["550e8400-e29b-41d4-a716-446655440000"]),
]
MessageIdPath = Annotated[
    UUID,
    _uuid("message_id"),
    Path(description="The message's UUID.", examples=["6fa459ea-ee8a-4ca4-894e-db77e160355e"]),
]

FactIdPath = Annotated[
    UUID,
    _uuid("fact_id"),
    Path(description="The fact's UUID.", examples=["7fa459ea-ee8a-4ca4-894e-db77e160355e"]),
]

ErasureIdPath = Annotated[
    UUID,
    _uuid("erasure_id"),
    Path(description="The erasure's UUID.", examples=["8fa459ea-ee8a-4ca4-894e-db77e160355e"]),
]


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


async def _confirmed(  # as above
    *,
    confirm: Annotated[
        bool, Query(description="Must be true; without it nothing is deleted.")
    ] = False,
) -> None:
    if not confirm:
        raise NotConfirmed


Confirmed = Annotated[None, Depends(_confirmed)]
"""That the caller means it, for routes that delete everything."""


async def _any_query() -> None:
    """Do nothing: that a route depends on it says that it takes any query parameter."""


ANY_QUERY = Depends(_any_query)
"""For routes whose callers may send parameters of their own: probes, clients of other APIs."""


def header_text(headers: Headers, name: str) -> str:
    """A header's value as its sender meant it: headers travel as bytes, names are UTF-8.

    One that says two things is refused: a proxy may have added its own behind a client's.
    """
    values = headers.getlist(name)
    if len(values) > 1 and len(set(values)) > 1:
        raise InvalidInput(name, "must not come twice")
    value = values[0].strip(_BLANKS) if values else ""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise InvalidInput(name, "must be UTF-8") from None


def name_session(request: Request, session_id: UUID | None) -> None:
    """Remember which conversation a request turned out to belong to, for its response."""
    request.state.session_id = session_id


def headers_of(answered: Answered) -> dict[str, str]:
    """The headers of an answer: its conversation, and whether it was stored before."""
    headers = {}
    if answered.session_id is not None:
        headers[SESSION_HEADER] = str(answered.session_id)
    if answered.is_repeated:
        headers[REPLAY_HEADER] = "true"
    if answered.experiment is not None:
        headers[EXPERIMENT_HEADER] = str(answered.experiment)
    return headers


def echo_session(request: Request, response: Response) -> Response:
    """Name the conversation in a response, as far as it is known."""
    session_id = getattr(request.state, "session_id", None) or _given(request)
    if session_id is not None:
        response.headers[SESSION_HEADER] = str(session_id)
    return response


def _given(request: Request) -> UUID | None:
    try:
        return parse_uuid(request.headers.get(SESSION_HEADER, ""), "session_id")
    except InvalidId:
        return None


def is_openwebui(headers: Headers) -> bool:
    """Whether OpenWebUI calls, by its own headers or its name."""
    agent = headers.get("User-Agent", "").lower().replace("-", "").replace(" ", "")
    return OPENWEBUI in agent or any(headers.get(name, "").strip() for name in _OPENWEBUI_HEADERS)


def session_metadata(headers: Headers, *, created_via: str) -> JsonObject:
    """The metadata of a session that a request starts: the program, and its id of the chat."""
    values = {
        "created_via": OPENWEBUI if is_openwebui(headers) else created_via,
        "openwebui_conversation_id": header_text(headers, OPENWEBUI_CHAT_HEADER),
        "user_agent": headers.get("User-Agent", ""),
    }
    return {name: storable(text)[:_MAX_LENGTH] for name, text in values.items() if text}
