"""One JSON document, written piece by piece: an item a line, messages within their sessions."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from uuid import UUID

import orjson

from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer import writing
from recollect.domain.transfer.document import Part
from recollect.domain.transfer.records import MessageRecord, SessionRecord
from recollect.ports.admission import give_way

Item = TypeVar("Item")
_SLICE: Final = 50
"""Items that are written at once: about a millisecond."""
_LARGE: Final = 500_000
"""Characters of a page from which on it is written in a thread."""


async def lines_of(
    items: Sequence[Item], write: Callable[[Item], JsonValue], *, characters: int = 0
) -> list[bytes]:
    """Items as lines of JSON; other requests go first between some of them.

    Not in a thread, unless the items are large: one that works all the time takes the interpreter
    lock for 5 ms each time that the event loop has something to do.
    """
    if characters > _LARGE:
        return await asyncio.to_thread(lambda: [dumped(write(item)) for item in items])
    lines: list[bytes] = []
    for start in range(0, len(items), _SLICE):
        lines += [dumped(write(item)) for item in items[start : start + _SLICE]]
        await give_way()
    return lines


def dumped(value: JsonValue) -> bytes:
    """A value as compact JSON on one line; integers of any size."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # has an integer of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def opened(header: JsonObject) -> bytes:
    """The beginning of a document."""
    return dumped(header)[:-1]


def member(name: str, value: JsonValue) -> bytes:
    """A member that is no list."""
    return b',\n"%s":%s' % (name.encode(), dumped(value))


END_OF_DOCUMENT: Final = b"}\n"


class JsonList:
    """A member that is a list, whose items come in pages."""

    def __init__(self, part: Part) -> None:
        self._before = b',\n"%s":[\n' % part.encode()

    def add(self, lines: Sequence[bytes]) -> bytes:
        """Write some items, each given as its line."""
        return b"".join(self._next() + line for line in lines)

    def end(self) -> bytes:
        """End the list."""
        return (b"" if self._is_begun else self._before) + b"\n]"

    @property
    def _is_begun(self) -> bool:
        return self._before == b",\n"

    def _next(self) -> bytes:
        before, self._before = self._before, b",\n"
        return before


class SessionList(JsonList):
    """The list of sessions, each with the list of its messages, whose items come later."""

    def __init__(self) -> None:
        super().__init__(Part.SESSIONS)
        self._waiting: list[SessionRecord] = []
        self._open: UUID | None = None
        self._has_messages = False

    def begin(self, sessions: Sequence[SessionRecord]) -> None:
        """Have some sessions ready for their messages, after those before have ended."""
        self._waiting = list(reversed(sessions))

    def add_messages(self, records: Sequence[MessageRecord], lines: Sequence[bytes]) -> bytes:
        """Write messages of these sessions, in the same order, each with its line."""
        written = bytearray()
        for record, line in zip(records, lines, strict=True):
            while self._open != record.message.session_id:
                written += self._next_session()
            written += b",\n" if self._has_messages else b"\n"
            written += line
            self._has_messages = True
        return bytes(written)

    def finish(self) -> bytes:
        """Write the sessions that have no messages, and end the last one."""
        written = bytearray()
        while self._waiting:
            written += self._next_session()
        return bytes(written + self._end_session())

    def _next_session(self) -> bytes:
        end, record = self._end_session(), self._waiting.pop()
        self._open, self._has_messages = record.session.session_id, False
        return end + self._next() + dumped(writing.session(record))[:-1] + b',"messages":['

    def _end_session(self) -> bytes:
        is_open, self._open = self._open is not None, None
        return b"]}" if is_open else b""
