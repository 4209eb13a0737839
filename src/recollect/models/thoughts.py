"""Leaving out what a reasoning model thinks aloud before it answers."""

import re
from collections.abc import Callable
from typing import Final

_THOUGHTS: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_END_OF_THOUGHTS: Final = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
_OPENING: Final = ("<think>", "<thinking>")
_CLOSING: Final = re.compile(r"</think(?:ing)?>")
_LONGEST_CLOSING: Final = len("</thinking>")


def without_thoughts(content: str) -> str:
    """What a reasoning model says after thinking; some leave out the opening tag."""
    return _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", content)).strip()


class ThoughtFilter:
    """Does the same to an answer that comes in pieces: thoughts at its start are not shown."""

    def __init__(self) -> None:
        self._held = ""
        self._handle: Callable[[], str] = self._before

    def shown(self, piece: str) -> str:
        """What can be shown now that this piece is there; the start of a tag waits for its end."""
        self._held += piece
        return self._handle()

    def _before(self) -> str:
        start = self._held.lstrip()
        if not start or any(tag.startswith(start) for tag in _OPENING if tag != start):
            return ""
        self._handle = self._thinking if start.startswith(_OPENING) else self._after
        return self._handle()

    def _thinking(self) -> str:
        end = _CLOSING.search(self._held)
        if end is None:
            self._held = self._held[-_LONGEST_CLOSING:]
            return ""
        self._held = self._held[end.end() :]
        self._handle = self._after
        return self._after()

    def _after(self) -> str:
        text, self._held = self._held.lstrip(), ""
        if text:
            self._handle = self._showing
        return text

    def _showing(self) -> str:
        text, self._held = self._held, ""
        return text
