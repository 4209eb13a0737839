"""Chat completion replies: those of an endpoint, read whole or streamed, and our own, written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Final

from recollect.domain.chat.requests import texts_in, to_bytes
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH, Role
from recollect.domain.text import JsonObject, JsonValue, count_values

OUR_MODEL: Final = "recollect-memory"
"""The model that stands for the answerer where there is no endpoint."""
_NO_USAGE: Final[JsonObject] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_ENDS: Final = (b"data: [DONE]", b"data:[DONE]")
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
_DATA: Final = b"data:"
_DONE: Final = b"[DONE]"
_FIELDS: Final = (_DATA, b"event:", b"id:", b"retry:", b":")
_MAX_LINE: Final = 4_000_000
MAX_REPLY_VALUES: Final = 200_000
"""Values in one answer or event: a JSON reader lets no other thread work, for 30 ms here.

The probabilities of a thousand tokens with twenty alternatives each are about as many.
"""
_MAX_FAILURE: Final = 4_000
_MAX_MODEL_NAME: Final = 255


def passed_status(status: int) -> int:
    """The status for a client: the endpoint's own, where it says that something failed."""
    return status if status in _OF_FAILURE else HTTPStatus.BAD_GATEWAY


def envelope(status: int, received: bytes) -> JsonObject:
    """OpenAI's form of an error, for what an endpoint sent with a status.

    What it says of the request itself (4xx, in OpenAI's form) helps the client and is passed on.
    Anything else may be a traceback or a page of a proxy, and is replaced.
    """
    is_of_request = status in _OF_REQUEST
    error = _error_in(received) if is_of_request else None
    if error is not None:
        return {"error": error}
    usual = "invalid_request_error" if is_of_request else "server_error"
    message = f"the endpoint of the model answered with status {status}"
    return _error(message, _TYPES.get(status, usual))


def _error(message: str, kind: str = "server_error") -> JsonObject:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def failure_in_stream(event: Mapping[str, JsonValue]) -> JsonObject:
    """The same for an event in the middle of a stream, whose status is its code, if any."""
    match event:
        case {"error": {"code": int() as code}} if code in _OF_REQUEST:
            return envelope(code, to_bytes(event))
    return _error("the endpoint of the model failed in the middle of its answer")


def _error_in(received: bytes) -> JsonObject | None:
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


@dataclass(slots=True)
class AnswerReader:
    """Gathers the first choice of a completion, given whole or as a stream of events."""

    is_stream: bool
    model: str | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    has_tool_calls: bool = False
    is_finished: bool = False
    """Whether the answer has come to its end, by what the endpoint says."""
    is_over: bool = False
    """Whether the endpoint has said that nothing more comes."""
    has_events: bool = False
    """Whether anything has come that belongs into a stream of events."""
    has_failed: bool = False
    """Whether the endpoint reported an error, or sent something that is no answer."""
    ends_with_line: bool = False
    """Whether what was passed on last ended a line."""
    failures: list[bytes] = field(default_factory=list)
    """What the endpoint wrote in place of an answer: for the log, not for the client."""
    texts: list[str] = field(default_factory=list)
    """The text so far, in the pieces that came."""
    _length: int = 0
    _rest: bytearray = field(default_factory=bytearray)
    _is_in_long_line: bool = False

    @property
    def waiting(self) -> int:
        """How many bytes of a line wait for its end."""
        return len(self._rest)

    @property
    def content(self) -> str:
        """The text so far."""
        return "".join(self.texts)

    def feed(self, received: bytes) -> bytes:
        """Read some bytes, and return what may be passed on now: of a stream, whole lines.

        A line that is longer than any event of text is not read, and so not passed on: an error
        event takes its place.
        """
        self._rest += received
        if not self.is_stream or (b"\n" not in received and len(self._rest) <= _MAX_LINE):
            return b""
        end = self._rest.rfind(b"\n") + 1
        lines, self._rest = bytes(self._rest[:end]), self._rest[end:]
        passed = self._pass_lines(lines)
        if len(self._rest) > _MAX_LINE or (self._is_in_long_line and self._rest):
            if not self._is_in_long_line:
                start = bytes(self._rest[:_MAX_FAILURE])
                self.failures.append(start)
                self.has_failed = self._is_in_long_line = True
                self.has_events |= start.startswith(_FIELDS)
                passed += _DATA + b" " + _failure(b"")
            self._rest = bytearray()
        self.ends_with_line = passed.endswith(b"\n")
        return passed

    def close(self) -> bytes:
        """Read what is left when nothing more comes, and return what of it may be passed on."""
        rest, self._rest = bytes(self._rest), bytearray()
        if self.is_stream:
            return self._pass_lines(rest) if rest else b""
        self.has_failed |= not self._read_json(rest)
        return rest

    def _pass_lines(self, lines: bytes) -> bytes:
        if self._is_in_long_line and lines:
            self._is_in_long_line = False
            _, end, lines = lines.partition(b"\n")
            return end + self._pass_lines(lines)
        passed = [self._pass_line(line) for line in lines.split(b"\n")]
        return b"\n".join(line for line in passed if line is not None)

    def _pass_line(self, line: bytes) -> bytes | None:
        """The line for the client; None where no client would read it."""
        if not line.startswith(_FIELDS):
            is_blank = not line.strip()
            if not is_blank:
                self.failures.append(line[:_MAX_FAILURE])
            return line if is_blank else None
        self.has_events = True
        data = line[len(_DATA) :].strip() if line.startswith(_DATA) else b""
        if data == _DONE:
            self.is_finished = self.is_over = True
        elif data and not self._read_json(data):
            self.has_failed = True
            self.failures.append(data[:_MAX_FAILURE])
            return _DATA + b" " + _failure(data)
        return line

    def _read_json(self, data: bytes) -> bool:
        """Read a completion, or a part of one; False if it is none, but an error or no JSON."""
        if count_values(data, most=MAX_REPLY_VALUES) > MAX_REPLY_VALUES:
            return False
        try:
            completion = json.loads(data.decode())
        except (ValueError, RecursionError):
            return False
        if not isinstance(completion, Mapping) or completion.get("error") is not None:
            return False
        choices = completion.get("choices") or []
        if not isinstance(choices, list):
            return False
        self._read_facts(completion)
        for choice in choices:
            if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
                self._read_choice(choice)
        return True

    def _read_facts(self, completion: Mapping[str, JsonValue]) -> None:
        model, usage = completion.get("model"), completion.get("usage")
        if isinstance(model, str) and 0 < len(model) <= _MAX_MODEL_NAME:
            self.model = model
        if isinstance(usage, Mapping):
            self.tokens = _number(usage.get("total_tokens"), self.tokens)
            self.input_tokens = _number(usage.get("prompt_tokens"), self.input_tokens)
            self.output_tokens = _number(usage.get("completion_tokens"), self.output_tokens)

    def _read_choice(self, choice: Mapping[str, JsonValue]) -> None:
        message = choice.get("delta") or choice.get("message")
        if isinstance(message, Mapping):
            text = "".join(texts_in(message.get("content")))[: MAX_CONTENT_LENGTH - self._length]
            self.texts.append(text)
            self._length += len(text)
            self.has_tool_calls |= bool(message.get("tool_calls") or message.get("function_call"))
        self.is_finished |= choice.get("finish_reason") is not None or not self.is_stream


def _failure(data: bytes) -> bytes:
    try:
        event = json.loads(data[:_MAX_FAILURE].decode())
    except (ValueError, RecursionError):
        event = None
    return to_bytes(failure_in_stream(event if isinstance(event, Mapping) else {}))


@dataclass(frozen=True, slots=True, kw_only=True)
class OurCompletion:
    """An answer in the form of a completion."""

    completion_id: str
    created: datetime
    content: str
    model: str = OUR_MODEL

    def whole(self) -> bytes:
        """The completion at once."""
        message = {"role": str(Role.ASSISTANT), "content": self.content}
        choice: dict[str, JsonValue] = {"index": 0, "message": message, "finish_reason": "stop"}
        return to_bytes({**self._head("chat.completion"), "choices": [choice], "usage": _NO_USAGE})

    def chunks(self) -> Iterator[bytes]:
        """The completion as events, paragraph by paragraph."""
        yield self._chunk({"role": str(Role.ASSISTANT), "content": ""})
        for number, paragraph in enumerate(self.content.split("\n\n")):
            yield self._chunk({"content": paragraph if number == 0 else f"\n\n{paragraph}"})
        yield self._chunk({}, finish_reason="stop") + b"data: [DONE]\n\n"

    def _chunk(self, delta: Mapping[str, JsonValue], finish_reason: str | None = None) -> bytes:
        choice: dict[str, JsonValue] = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _head(self, kind: str) -> dict[str, JsonValue]:
        return {
            "id": self.completion_id,
            "object": kind,
            "created": int(self.created.timestamp()),
            "model": self.model,
        }


def our_models(created: datetime) -> bytes:
    """The list of models where there is no endpoint."""
    model: dict[str, JsonValue] = {
        "id": OUR_MODEL,
        "object": "model",
        "created": int(created.timestamp()),
        "owned_by": "recollect",
    }
    return to_bytes({"object": "list", "data": [model]})


def error_event(message: str) -> bytes:
    """The event that tells a client in the middle of a stream that there is no more to come."""
    return _event(_error(message))


def _event(data: JsonObject) -> bytes:
    return b"data: " + to_bytes(data) + b"\n\n"


def warning_comment(warnings: Sequence[str]) -> bytes:
    """A line of a stream of events that tells people something, and that clients pass over."""
    return f": x-memory-warning: {' '.join(warnings)}\n\n".encode()


def before_the_end(piece: bytes, comment: bytes) -> bytes:
    """The piece in which a stream ends, with a comment before the event that ends it.

    If that event had begun before the piece, the comment comes after it, where fewer clients look;
    if the piece ends within a line, nowhere: what clients read is never broken.
    """
    place = max(piece.rfind(b"\n" + end) + 1 for end in _ENDS)
    if place or piece.startswith(_ENDS):
        return piece[:place] + comment + piece[place:]
    return piece + comment if piece.endswith(b"\n") else piece


def _number(reported: JsonValue, known: int | None) -> int | None:
    """A number of tokens as an endpoint reports it; what was known before, where it is none."""
    if isinstance(reported, int) and not isinstance(reported, bool) and reported >= 0:
        return reported
    return known
