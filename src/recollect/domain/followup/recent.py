"""What was found lately, bounded by the length of what it was found in."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Generic, TypeVar

_LEAST: Final = 50  # characters that anything counts for, however short it is

Asked = TypeVar("Asked", bound=tuple[str | bool | None, ...])
Found = TypeVar("Found")


class _Unknown(Enum):
    """What stands for nothing remembered; None may be what was found."""

    UNKNOWN = auto()


class Recent(Generic[Asked, Found]):
    """The last results of something that takes long; the oldest make room.

    There is room for so many characters rather than for so many results, because what is found in
    a text takes the more memory the longer the text is.
    """

    def __init__(self, characters: int) -> None:
        self._room = characters
        self._found: dict[Asked, Found] = {}

    def get(self, asked: Asked, find: Callable[[], Found]) -> Found:
        """What is remembered, or what is found now."""
        found = self._found.pop(asked, _Unknown.UNKNOWN)
        if found is _Unknown.UNKNOWN:
            found = find()
            self._room -= _length(asked)
            self._make_room()
        self._found[asked] = found
        return found

    def _make_room(self) -> None:
        while self._room < 0 and self._found:
            oldest = next(iter(self._found))
            del self._found[oldest]
            self._room += _length(oldest)


def _length(asked: tuple[str | bool | None, ...]) -> int:
    return _LEAST + sum(len(part) for part in asked if isinstance(part, str))
