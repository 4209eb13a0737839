"""What an answer says, read while it passes by; and what of it may pass."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from recollect.domain.completions.content import text_of
from recollect.domain.completions.failures import failure_in_stream
from recollect.domain.json_values import count_values
from recollect.domain.message import MAX_CONTENT_LENGTH
from recollect.domain.text import JsonValue

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
