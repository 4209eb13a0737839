"""What the OpenAPI document says of OpenAI's API."""

from typing import Annotated, Any, Final

from fastapi import Depends, Header
from pydantic import BaseModel, ConfigDict, Field

from recollect.domain.chat.requests import ChatRequest


class CompletionIn(BaseModel):
    """A request for a chat completion; fields that are not named here are passed on untouched."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "example": {
                "model": "qwen2.5:14b",
                "messages": [{"role": "user", "content": "What about 2023?"}],
            }
        },
    )

    messages: Annotated[list[dict[str, Any]], Field(min_length=1, fail_fast=True)]
    model: str | None = Field(default=None, description="Default: MEMORY_LLM_MODEL.")
    stream: bool | None = None

    def to_domain(self) -> ChatRequest:
        """The request this stands for, with all that was sent and nothing else."""
        return ChatRequest.of({name: getattr(self, name) for name in self.model_fields_set})


class OpenAIError(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class OpenAIErrorBody(BaseModel):
    """An error in OpenAI's form."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error": {
                    "message": "messages must be a list of at least one message",
                    "type": "invalid_request_error",
                    "param": "messages",
                    "code": None,
                }
            }
        }
    )

    error: OpenAIError


_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": OpenAIErrorBody, "description": description}
    for status, description in {
        400: "A body that cannot be read",
        401: "Credentials are missing or not valid",
        403: "The credentials do not reach this far",
        422: "A value that cannot be taken; nothing was changed",
        502: "The model sent something that is no answer, or more than 8 MB that is no stream",
        503: "The model does not answer now, or not in time; try again",
    }.items()
}
_JSON: Final = {"application/json": {"schema": {"type": "object"}}}
_EVENTS: Final[dict[str, Any]] = {"text/event-stream": {}}
MODELS: Final[dict[int | str, dict[str, Any]]] = {
    **_ERRORS,
    200: {"description": "As in OpenAI's API", "content": _JSON},
}
MODEL: Final[dict[int | str, dict[str, Any]]] = {
    **MODELS,
    404: {"model": OpenAIErrorBody, "description": "No model of that id"},
}
COMPLETIONS: Final[dict[int | str, dict[str, Any]]] = {
    **MODELS,
    200: {"description": "As in OpenAI's API; with `stream` as events", "content": _JSON | _EVENTS},
    404: {"model": OpenAIErrorBody, "description": "No such session, if those are refused"},
    409: {"model": OpenAIErrorBody, "description": "The Idempotency-Key is an earlier question's"},
    423: {"model": OpenAIErrorBody, "description": "The user is halted"},
}


def _header(alias: str, description: str) -> Any:  # noqa: ANN401  # FastAPI's own type is private
    return Header(alias=alias, description=description)


async def _described(
    _session: Annotated[
        str | None,
        _header("X-Session-ID", "The session, any text; without one nothing is remembered."),
    ] = None,
    _memory: Annotated[
        str | None, _header("X-Memory", "off, read (nothing is stored) or full; default: full.")
    ] = None,
    _task: Annotated[
        str | None,
        _header("X-Memory-Task", "Work of a front end's own, such as a title: never stored."),
    ] = None,
    _message: Annotated[
        str | None, _header("X-Memory-Message-ID", "A front end's own id of the reply.")
    ] = None,
    _question: Annotated[
        str | None, _header("X-Memory-User-Message-ID", "A front end's own id of the question.")
    ] = None,
    _parent: Annotated[
        str | None, _header("X-Memory-Parent-ID", "The front end's id of what that follows.")
    ] = None,
    _idempotency_key: Annotated[
        str | None,
        _header(
            "Idempotency-Key",
            "Any text of your own; a retry with the same one does not store its question twice.",
        ),
    ] = None,
) -> None:
    """Nothing to do: the headers are read all together, and stand here to be documented."""


DESCRIBED_HEADERS: Final = Depends(_described)
