"""One JSON document, written piece by piece: an item a line, messages within their sessions."""

import json
from collections.abc import Sequence
from uuid import UUID

from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer import writing
from recollect.domain.transfer.document import Part
from recollect.domain.transfer.records import MessageRecord, SessionRecord


def dumped(value: JsonValue) -> bytes:
    """A value as compact JSON on one line; integers of any size."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def opened(header: JsonObject) -> bytes:
    """The beginning of a document."""
    return dumped(header)[:-1]


def member(name: str, value: JsonValue) -> bytes:
    """A member that is no list."""
    return b',\n"%s":%s' % (name.encode(), dumped(value))


END_OF_DOCUMENT = b"}\n"


class JsonList:
    """A member that is a list, whose items come in pages."""

    def __init__(self, part: Part) -> None:
        self._before = b',\n"%s":[\n' % part.encode()

    def add(self, items: Sequence[JsonObject]) -> bytes:
        """Write some items."""
        return b"".join(self._next() + dumped(item) for item in items)

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

    def add_messages(self, records: Sequence[MessageRecord]) -> bytes:
        """Write messages of these sessions, in the same order."""
        written = bytearray()
        for record in records:
            while self._open != record.message.session_id:
                written += self._next_session()
            written += b",\n" if self._has_messages else b"\n"
            written += dumped(writing.message(record))
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
