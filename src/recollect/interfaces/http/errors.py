"""Errors as responses: `{"error", "detail"}`, and never a word of what was sent."""

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from recollect.errors import (
    Forbidden,
    IdAlreadyUsed,
    InvalidCursor,
    InvalidId,
    InvalidInput,
    NotFound,
    RecollectError,
    Unauthenticated,
    Unavailable,
)

logger = logging.getLogger(__name__)

_STATUS: Final[Mapping[type[RecollectError], HTTPStatus]] = {
    InvalidId: HTTPStatus.BAD_REQUEST,
    InvalidCursor: HTTPStatus.BAD_REQUEST,
    InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    IdAlreadyUsed: HTTPStatus.CONFLICT,
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}
_HEADERS: Final[Mapping[HTTPStatus, Mapping[str, str]]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": "Bearer"},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "1"},
}

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


def error_response(status: HTTPStatus, error: str, detail: str) -> JSONResponse:
    """The one form of all errors."""
    return JSONResponse(
        {"error": error, "detail": detail}, status_code=status, headers=_HEADERS.get(status)
    )


def add_error_handlers(app: FastAPI) -> None:
    """Map every error to a response."""
    app.add_exception_handler(RecollectError, _on_recollect_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(Exception, _on_unexpected)


async def _on_recollect_error(_request: Request, error: Exception) -> JSONResponse:
    kinds = (kind for kind in type(error).__mro__ if kind in _STATUS)
    status = _STATUS[next(kinds)]
    return error_response(status, _title(error, status), str(error))


def _title(error: Exception, status: HTTPStatus) -> str:
    match error:
        case InvalidId():
            return f"Invalid {error.field} format"
        case InvalidInput():
            return f"Invalid {error.field}"
        case NotFound():
            return f"{error.kind[0].upper()}{error.kind[1:]} not found"
        case _:
            return status.phrase


async def _on_validation_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101  # registered for nothing else
    problems = "; ".join(
        f"{_place(problem['loc'])}: {problem['msg']}" for problem in error.errors()[:10]
    )
    return error_response(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid request", problems)


def _place(location: tuple[int | str, ...]) -> str:
    """Name where the problem is, as far as the name is ours: the rest is the sender's words."""
    return ".".join(str(part) for part in location[:2] if _OUR_NAME.fullmatch(str(part)))


async def _on_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101  # registered for nothing else
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    if detail == status.phrase:  # the framework's own: no such path, or not with that method
        detail = f"no route takes {request.method} here; /openapi.json lists them all"
    response = error_response(status, status.phrase, detail)
    response.headers.update(error.headers or {})
    return response


async def _on_unexpected(_request: Request, error: Exception) -> JSONResponse:
    logger.error("http.failed", exc_info=error)
    return error_response(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Internal Server Error",
        "an unexpected error; the server's log has it under this transaction id",
    )
