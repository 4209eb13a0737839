"""What clients are told when an endpoint fails: never its own words, unless they are for them."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from recollect.domain.text import JsonObject, JsonValue

_MAX_MESSAGE: Final = 2_000
_MAX_NAME: Final = 200
_OF_REQUEST: Final = range(400, 500)
_OF_FAILURE: Final = range(400, 600)
_TRACEBACK: Final = "Traceback (most recent call last)"
_TYPES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


def passed_status(status: int) -> int:
    """The status for a client: the endpoint's own, where it says that something failed."""
    return status if status in _OF_FAILURE else HTTPStatus.BAD_GATEWAY


def envelope(status: int, received: bytes) -> JsonObject:
    """OpenAI's form of an error, for what an endpoint sent with a status.

    What it says of the request itself (4xx, in OpenAI's form) helps the client and is passed on.
    Anything else may be a traceback or a page of a proxy, and is replaced.
    """
    is_of_request = status in _OF_REQUEST
    told = _told(received) if is_of_request else None
    if told is not None:
        return {"error": told}
    usual = "invalid_request_error" if is_of_request else "server_error"
    return {
        "error": {
            "message": f"the endpoint of the model answered with status {status}",
            "type": _TYPES.get(status, usual),
            "param": None,
            "code": None,
        }
    }


def failure_in_stream(event: Mapping[str, JsonValue]) -> JsonObject:
    """The same for an event in the middle of a stream, whose status is its code, if any."""
    match event:
        case {"error": {"code": int() as code}} if code in _OF_REQUEST:
            return envelope(code, json.dumps(event).encode())
    message = "the endpoint of the model failed in the middle of its answer"
    return {"error": {"message": message, "type": "server_error", "param": None, "code": None}}


def _told(received: bytes) -> JsonObject | None:
    """The fields of an error in OpenAI's form, and no others; None for any other form."""
    try:
        body = json.loads(received)
    except (ValueError, RecursionError):
        return None
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return None
    message, code = error.get("message"), error.get("code")
    if not isinstance(message, str) or not message.strip() or _TRACEBACK in message:
        return None
    is_number = isinstance(code, int) and not isinstance(code, bool)
    return {
        "message": message[:_MAX_MESSAGE],
        "type": _name(error.get("type")) or "invalid_request_error",
        "param": _name(error.get("param")),
        "code": code if is_number else _name(code),
    }


def _name(value: JsonValue) -> str | None:
    return value[:_MAX_NAME] if isinstance(value, str) else None
