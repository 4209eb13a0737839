"""What an answer says, read while it passes by."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from recollect.domain.completions.content import text_of
from recollect.domain.message import MAX_CONTENT_LENGTH
from recollect.domain.text import JsonValue

_DATA: Final = b"data:"
_DONE: Final = b"[DONE]"
_MAX_LINE: Final = 4_000_000
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
    has_failed: bool = False
    """Whether the endpoint reported an error in the middle of its stream."""
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _rest: bytearray = field(default_factory=bytearray)

    @property
    def content(self) -> str:
        """What was said so far."""
        return "".join(self._texts)

    def feed(self, received: bytes) -> None:
        """Read some bytes; what cannot be read is left out."""
        self._rest += received
        if not self.is_stream:
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self._read_line(line)
        if len(self._rest) > _MAX_LINE:
            self._rest.clear()

    def close(self) -> None:
        """Read what is left when nothing more comes."""
        rest, self._rest = self._rest, bytearray()
        if self.is_stream:
            self._read_line(rest)
        else:
            self._read_json(rest)

    def _read_line(self, line: bytes | bytearray) -> None:
        if not line.startswith(_DATA):
            return
        data = line[len(_DATA) :].strip()
        if data == _DONE:
            self.is_finished = self.is_over = True
        elif data:
            self._read_json(data)

    def _read_json(self, data: bytes | bytearray) -> None:
        try:
            completion = json.loads(data)
        except (ValueError, RecursionError):
            return
        if not isinstance(completion, Mapping):
            return
        self.has_failed |= completion.get("error") is not None
        self._read_facts(completion)
        choices = completion.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
                self._read_choice(choice)

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
