"""Callers without credentials: the session that stands for them."""

from typing import Final
from uuid import UUID, uuid4

import orjson
from fastapi import Request

from recollect.domain.conversation.session import parse_uuid
from recollect.errors import InvalidId, Unauthenticated
from recollect.interfaces.http.client_headers import SESSION_HEADER

_NAMED_IN_BODY: Final = "/memoryChat"
_ASKING: Final = frozenset({"/chat", _NAMED_IN_BODY, "/v1/chat/completions"})
"""Where a question starts a session."""
_MODELS: Final = "/v1/models"


async def anonymous_session_of(request: Request) -> UUID:
    """Return the session that a request names, or a new one where its question starts it.

    Raises:
        Unauthenticated: it names none by its UUID. A name that can be guessed would open the
            memory of whoever uses it, and a retry with an Idempotency-Key would start another.
    """
    named = await _named(request)
    path = request.url.path
    may_start = path in _ASKING and not request.headers.get("Idempotency-Key")
    if not named and (may_start or path.startswith(_MODELS)):
        return uuid4()
    try:
        return parse_uuid(named, "session_id")
    except InvalidId:
        raise Unauthenticated(
            f"send credentials, or the UUID of your session in {SESSION_HEADER}; a question "
            "without an Idempotency-Key starts one"
        ) from None


async def _named(request: Request) -> str:
    named = request.path_params.get("session_id") or request.headers.get(SESSION_HEADER, "").strip()
    if named or request.url.path != _NAMED_IN_BODY:
        return str(named)
    try:
        given = orjson.loads(await request.body())["session_id"]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return ""
    return given.strip() if isinstance(given, str) else ""
