"""The headers that name a conversation, and tell of a replay."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import Header, Request
from starlette.responses import Response

from recollect.domain.inquiry import Answered
from recollect.domain.session import parse_uuid
from recollect.errors import InvalidId

SESSION_HEADER: Final = "X-Session-ID"
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
