"""Errors as responses: `{"error", "detail"}`, and never a word of what was sent."""

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from recollect import errors
from recollect.errors import RecollectError
from recollect.interfaces.http.parameters import echo_session
from recollect.interfaces.http.route_index import methods_at

logger = logging.getLogger(__name__)

_STATUS: Final[Mapping[type[RecollectError], HTTPStatus]] = {
    errors.InvalidId: HTTPStatus.BAD_REQUEST,
    errors.InvalidCursor: HTTPStatus.BAD_REQUEST,
    errors.NotConfirmed: HTTPStatus.BAD_REQUEST,
    errors.MissingSessionId: HTTPStatus.BAD_REQUEST,
    errors.InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.IdAlreadyUsed: HTTPStatus.CONFLICT,
    errors.VersionConflict: HTTPStatus.PRECONDITION_FAILED,
    errors.FactConflict: HTTPStatus.CONFLICT,
    errors.ErasureUnderWay: HTTPStatus.CONFLICT,
    errors.StatementRefused: HTTPStatus.BAD_GATEWAY,
    errors.ReplyUnusable: HTTPStatus.BAD_GATEWAY,
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.ConfigurationError: HTTPStatus.NOT_IMPLEMENTED,
    errors.UserHalted: HTTPStatus.LOCKED,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
_HEADERS: Final[Mapping[HTTPStatus, Mapping[str, str]]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "1"},
}

_OPENAI_KINDS: Final = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
}
_NO_OBJECT: Final = {
    "model_attributes_type": "must be a JSON object, sent with 'Content-Type: application/json'"
}
"""The message for a body that is no object, in place of pydantic's own."""
_OUR_NAME: Final = re.compile(r"[A-Za-z_-]{1,40}")


class ErrorBody(BaseModel):
    """What went wrong, in short and in full."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error": "Invalid session_id format",
                "detail": "session_id must be a valid UUID",
            }
        }
    )

    error: str
    detail: str


Responses: TypeAlias = dict[int | str, dict[str, Any]]
"""The responses of a route as FastAPI takes them."""


def documented(model: type[BaseModel], meanings: Mapping[int, str]) -> Responses:
    """Describe responses: what each status means, all with the same form of body."""
    return {status: {"model": model, "description": text} for status, text in meanings.items()}


ERRORS: Final = documented(
    ErrorBody,
    {
        400: "An id or a cursor that is not one, or a missing confirmation",
        401: "Credentials are missing or not valid",
        403: "The credentials do not reach this far",
        422: "A value that cannot be taken; nothing was changed",
        503: "The database, or the answerer, does not answer now; try again",
    },
)
NOT_FOUND: Final = documented(ErrorBody, {404: "Nothing of that id belongs to the caller"})
CONFLICT: Final = documented(
    ErrorBody, {409: "The id or key was used for another message, or this memory is being erased"}
)
ERASED: Final = documented(ErrorBody, {409: "This memory is being erased; nothing was stored"})
FACT_CONFLICT: Final = documented(
    ErrorBody,
    {409: "Another active fact says or is about the same, or all is being erased"},
)
PRECONDITION: Final = documented(ErrorBody, {412: "It has another version; nothing was changed"})
ANSWERING: Final = {
    **(ERRORS | NOT_FOUND | CONFLICT),
    **documented(
        ErrorBody,
        {
            423: "The user is halted; nobody was asked",
            501: "What the request needs is not set on this server",
            502: "What a model sent cannot be used: refused SQL, no answer, too much",
        },
    ),
}


def error_response(
    status: HTTPStatus,
    error: str,
    detail: str,
    *,
    path: str = "",
    field: str | None = None,
    code: str | None = None,
) -> JSONResponse:
    """The one form of all errors; below `/v1`, whose clients know no other, OpenAI's."""
    body: dict[str, object] = {"error": error, "detail": detail}
    if path.startswith("/v1/"):
        is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        usual = "server_error" if is_ours else "invalid_request_error"
        kind = _OPENAI_KINDS.get(status, usual)
        body = {"error": {"message": detail, "type": kind, "param": field, "code": code}}
    return JSONResponse(body, status_code=status, headers=_HEADERS.get(status))


def add_error_handlers(app: FastAPI) -> None:
    """Map every error to a response."""
    app.add_exception_handler(RecollectError, _on_recollect_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_unexpected)


def described(error: RecollectError) -> tuple[HTTPStatus, str, str]:
    """The status, the short and the full form of an error."""
    kinds = (kind for kind in type(error).__mro__ if kind in _STATUS)
    status = _STATUS[next(kinds)]
    return status, _title(error, status), str(error)


def log_unavailable(error: errors.Unavailable) -> None:
    """Log what does not answer and why: the response does not say it in the driver's words."""
    if isinstance(error, errors.DatabaseUnavailable | errors.ArchiveUnavailable):
        reason = error.reason
    else:
        reason = str(error)
    facts = {"error": type(error).__name__, "reason": reason}
    logger.warning("http.unavailable", extra={"facts": facts})


async def _on_recollect_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RecollectError)  # noqa: S101  # registered for nothing else
    if isinstance(error, errors.Unavailable):
        log_unavailable(error)
    field, code = None, None
    match error:
        case errors.InvalidInput():
            field = error.field
        case errors.ModelNotFound():
            field, code = "model", "model_not_found"
    return _respond(request, *described(error), field=field, code=code)


def _respond(
    request: Request, status: HTTPStatus, error: str, detail: str, **more: str | None
) -> Response:
    response = error_response(status, error, detail, path=request.url.path, **more)
    return echo_session(request, response)


def _title(error: Exception, status: HTTPStatus) -> str:
    match error:
        case errors.MissingSessionId():
            return "Missing session_id"
        case errors.InvalidId():
            return f"Invalid {error.field} format"
        case errors.InvalidInput():
            return f"Invalid {error.field}"
        case errors.NotFound():
            return f"{error.kind[0].upper()}{error.kind[1:]} not found"
        case _:
            return status.phrase


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  # registered for nothing else
    problems = []
    for problem in error.errors()[:10]:
        # Where it is, as far as the names are ours: the rest is the sender's words.
        ours = (str(part) for part in problem["loc"][:2] if _OUR_NAME.fullmatch(str(part)))
        text = _NO_OBJECT.get(problem["type"], problem["msg"])
        problems.append(f"{'.'.join(ours)}: {text}")
    return _respond(
        request, HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid request", "; ".join(problems)
    )


async def _on_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for nothing else
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    if detail == status.phrase:  # the framework's own: no such path, or not with that method
        detail = f"no route takes {request.method} here; /docs lists them all"
    response = error_response(status, status.phrase, detail, path=request.url.path)
    response.headers.update(error.headers or {})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        # The framework names those of the first route alone.
        response.headers["Allow"] = ", ".join(methods_at(request.app, request.scope))
    return response


async def _on_unexpected(request: Request, error: Exception) -> Response:
    logger.error("http.failed", exc_info=error)
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    detail = "an unexpected error; the server's log has it under this transaction id"
    return _respond(request, status, status.phrase, detail)
