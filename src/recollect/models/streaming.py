"""An answer that comes as server-sent events, put together piece by piece."""

from typing import Final

import orjson

from recollect.models.thoughts import ThoughtFilter, without_thoughts

_DATA: Final = "data:"
_END: Final = "[DONE]"


class StreamedAnswer:
    """What a model has said so far; `read` takes the lines as they come.

    Raises `ValueError` for what is no chat completion.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._filter = ThoughtFilter()
        self.is_complete = False
        """Whether the model has said that it has finished; a stream that just ends was cut."""
        self.model: str | None = None
        self.tokens: int | None = None

    @property
    def text(self) -> str:
        """The answer, without thoughts."""
        return without_thoughts("".join(self._pieces))

    def read(self, line: str) -> str:
        """What one line adds to the answer; nothing for comments, thoughts and the end."""
        if not line.startswith(_DATA):
            return ""
        data = line[len(_DATA) :].strip()
        if data == _END:
            self.is_complete = True
            return ""
        piece = self._piece(orjson.loads(data))
        self._pieces.append(piece)
        return self._filter.shown(piece)

    def _piece(self, chunk: object) -> str:
        match chunk:
            case {"error": _}:
                raise ValueError
            case {"choices": [{**choice}, *_]}:
                self.model = model_of(chunk) or self.model
                self.tokens = tokens_of(chunk) or self.tokens
                self.is_complete |= choice.get("finish_reason") is not None
                return _delta(choice)
            case {"choices": []}:
                self.tokens = tokens_of(chunk) or self.tokens
                return ""
        raise ValueError


def model_of(completion: object) -> str | None:
    """The model that an endpoint says has answered."""
    match completion:
        case {"model": str() as model} if model.strip():
            return model
    return None


def tokens_of(completion: object) -> int | None:
    """The tokens that an endpoint says were used."""
    match completion:
        case {"usage": {"total_tokens": int() as tokens}} if tokens >= 0:
            return tokens
    return None


def _delta(choice: dict[object, object]) -> str:
    match choice:
        case {"delta": {"content": str() as content}}:
            return content
    return ""
