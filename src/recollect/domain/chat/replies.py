"""Chat completion replies, read: whole, streamed and failed; without a model's thoughts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from recollect.domain.chat.requests import text_of
from recollect.domain.conversation.message import MAX_CONTENT_LENGTH
from recollect.domain.text import JsonObject, JsonValue, count_values

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


@dataclass(slots=True)
class AnswerReader:
    """Gathers the first choice of a completion, given whole or as a stream of events."""

    is_stream: bool
    model: str | None = None
    tokens: int | None = None
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
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _rest: bytearray = field(default_factory=bytearray)
    _is_in_long_line: bool = False

    @property
    def waiting(self) -> int:
        """How many bytes of a line wait for its end."""
        return len(self._rest)

    @property
    def content(self) -> str:
        """What was said so far."""
        return "".join(self._texts)

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
                passed += self._long_line(bytes(self._rest[:_MAX_FAILURE]))
            self._is_in_long_line = True
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

    def _long_line(self, start: bytes) -> bytes:
        """What stands for a line of which only the start is kept."""
        self.has_failed = True
        self.failures.append(start)
        self.has_events |= start.startswith(_FIELDS)
        return _DATA + b" " + _failure(b"")

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
        self._read_facts(completion)
        choices = completion.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
                self._read_choice(choice)
        return True

    def _read_facts(self, completion: Mapping[str, JsonValue]) -> None:
        model, usage = completion.get("model"), completion.get("usage")
        if isinstance(model, str) and 0 < len(model) <= _MAX_MODEL_NAME:
            self.model = model
        tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
        if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0:
            self.tokens = tokens

    def _read_choice(self, choice: Mapping[str, JsonValue]) -> None:
        said = choice.get("delta") or choice.get("message")
        if isinstance(said, Mapping):
            self._add(text_of(said.get("content")))
            self.has_tool_calls |= bool(said.get("tool_calls") or said.get("function_call"))
        self.is_finished |= choice.get("finish_reason") is not None or not self.is_stream

    def _add(self, text: str) -> None:
        kept = text[: MAX_CONTENT_LENGTH - self._length]
        if kept:
            self._texts.append(kept)
            self._length += len(kept)


def _failure(data: bytes) -> bytes:
    try:
        event = json.loads(data[:_MAX_FAILURE].decode())
    except (ValueError, RecursionError):
        event = None
    told = failure_in_stream(event if isinstance(event, Mapping) else {})
    return json.dumps(told).encode()
