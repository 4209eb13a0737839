"""Everything of an owner as one JSON document, or as an archive of JSON Lines."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import characters_to_write
from recollect.domain.conversation.session import session_characters
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.domain.transfer import writing
from recollect.domain.transfer.document import IMPORTED, Counts, ExportFormat, Part, header_of
from recollect.domain.transfer.records import MessageRecord
from recollect.errors import TooManyExports
from recollect.ports.metrics import OPERATIONS
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited
from recollect.services.privacy.document.json_lines import (
    END_OF_DOCUMENT,
    JsonList,
    SessionList,
    lines_of,
    member,
    opened,
)
from recollect.services.privacy.document.zip_archive import ZipArchive
from recollect.services.privacy.owner_pages import SESSIONS_AT_ONCE, OwnerPages, Pages

_ID_BYTES: Final = 16
_MOST_OPEN: Final = 20
"""Exports that a process writes at once: each has a page of messages in memory, for as long as its
reader takes."""
_MOST_OPEN_OF_ONE: Final = 2
"""Of one owner, who could otherwise take the places of all."""
_MOST_COUNTED: Final = 1_000_000
LinePages = AsyncGenerator[list[bytes], None]
Progress = Callable[[Counts], None]


def _unwatched(_: Counts) -> None:
    """Nobody looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerExport(Audited):
    """Writes everything of an owner in pieces, so that no more than a page is in memory."""

    pages: OwnerPages
    clock: Clock
    _open: Counter[UUID] = field(default_factory=Counter)
    """How many are open, by owner."""

    async def pieces(
        self, scope: Scope, form: ExportFormat, *, progress: Progress = _unwatched
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of a document in that format; `progress` gets how many items are written.

        The audit log has how many it was, also where nobody reads to the end.

        Raises:
            TooManyExports: others have not been read to their ends.
        """
        with self._place(scope.owner_id):
            async with aclosing(self._recorded_pieces(scope, form, progress)) as pieces:
                async for piece in pieces:
                    yield piece

    @contextmanager
    def _place(self, owner_id: UUID) -> Iterator[None]:
        if self._open[owner_id] >= _MOST_OPEN_OF_ONE or self._open.total() >= _MOST_OPEN:
            raise TooManyExports("other exports are not finished yet; try again later")
        self._open[owner_id] += 1
        try:
            yield
        finally:
            self._open[owner_id] -= 1
            if not self._open[owner_id]:
                del self._open[owner_id]

    async def _recorded_pieces(
        self, scope: Scope, form: ExportFormat, progress: Progress
    ) -> AsyncGenerator[bytes, None]:
        self.check_audit()
        if self.audit is not None:
            await self.audit.record(scope, AuditAction.MEMORY_EXPORT_STARTED)
        counter = _Counter(progress)
        write = self._json_document if form is ExportFormat.JSON else self._archive
        outcome = "error"
        try:
            async for piece in write(scope, counter):
                if piece:
                    yield piece
            outcome = "ok"
        finally:  # also where the client has gone: what it got was exported
            self.note(scope, AuditAction.MEMORY_EXPORTED, items=(), count=counter.total)
            self.telemetry.count(OPERATIONS, AuditAction.MEMORY_EXPORTED, outcome)

    async def importable(self, scope: Scope) -> AsyncGenerator[bytes, None]:
        """The bytes of a JSON document with those parts alone that an import stores."""
        self.check_audit()
        self.note(scope, AuditAction.MEMORY_EXPORTED, items=())
        async for piece in self._json_document(scope, _Counter(_unwatched), IMPORTED):
            if piece:
                yield piece

    async def _json_document(
        self, scope: Scope, counter: "_Counter", parts: Collection[Part] = tuple(Part)
    ) -> AsyncGenerator[bytes, None]:
        """The parts in their order; the messages are in their sessions."""
        yield opened(header_of(scope, at=self.clock.now()))
        for part, pages in self._small_parts(scope):
            if part not in parts:
                continue
            if part is Part.STATE:
                (items,) = [page async for page in pages]
                counter.add(part, len(items))
                yield member(part, next(iter(items), None))
                continue
            async for piece in _listed(part, pages, counter):
                yield piece
        async for piece in self._nested_sessions(scope, counter):
            yield piece
        for part, pages in self._last_parts(scope):
            if part in parts:
                async for piece in _listed(part, pages, counter):
                    yield piece
        yield END_OF_DOCUMENT

    async def _nested_sessions(
        self, scope: Scope, counter: "_Counter"
    ) -> AsyncGenerator[bytes, None]:
        listed = SessionList()
        async for sessions in self.pages.sessions(scope):
            listed.begin(sessions)
            session_ids = [record.session.session_id for record in sessions]
            async for messages in self.pages.messages(scope, session_ids):
                counter.add(Part.MESSAGES, len(messages))
                yield listed.add_messages(messages, await message_lines(messages))
            counter.add(Part.SESSIONS, len(sessions))
            yield await asyncio.to_thread(listed.finish)
        yield listed.end()

    async def _archive(self, scope: Scope, counter: "_Counter") -> AsyncGenerator[bytes, None]:
        """A file for each part, and at the end the manifest with their counts."""
        header = header_of(scope, at=self.clock.now())
        archive = ZipArchive()
        session_ids = bytearray()
        conversations = (
            (Part.SESSIONS, self._sessions(scope, session_ids)),
            (Part.MESSAGES, self._messages(scope, session_ids)),
        )
        small = [(part, _lines(pages)) for part, pages in self._small_parts(scope)]
        last = [(part, _lines(pages)) for part, pages in self._last_parts(scope)]
        for part, pages in (*small, *conversations, *last):
            yield archive.begin(part.file_name)
            async for lines in pages:
                counter.add(part, len(lines))
                yield await asyncio.to_thread(archive.add, lines)
        manifest = {**header, "counts": {str(part): counter.counts[part] for part in Part}}
        yield await asyncio.to_thread(archive.end, manifest)

    def _small_parts(self, scope: Scope) -> Sequence[tuple[Part, Pages]]:
        pages = self.pages
        return (
            (Part.PROFILE, pages.profile(scope)),
            (Part.STATE, pages.state(scope)),
            (Part.API_KEYS, pages.keys(scope)),
            (Part.FACTS, pages.fact_records(scope)),
        )

    def _last_parts(self, scope: Scope) -> Sequence[tuple[Part, Pages]]:
        return (
            (Part.RECALL_ENTRIES, self.pages.recall_entries(scope)),
            (Part.AUDIT, self.pages.audit(scope)),
        )

    async def _sessions(self, scope: Scope, session_ids: bytearray) -> LinePages:
        """The sessions; their ids are noted for their messages, 16 bytes each."""
        async for records in self.pages.sessions(scope):
            session_ids += b"".join(record.session.session_id.bytes for record in records)
            sessions = [record.session for record in records]
            characters = session_characters(sessions, most=_MOST_COUNTED)
            yield await lines_of(records, writing.session, characters=characters)

    async def _messages(self, scope: Scope, session_ids: bytearray) -> LinePages:
        """The messages of the sessions that were noted."""
        size = SESSIONS_AT_ONCE * _ID_BYTES
        for start in range(0, len(session_ids), size):
            some = bytes(session_ids[start : start + size])
            chosen = [
                UUID(bytes=some[at : at + _ID_BYTES]) for at in range(0, len(some), _ID_BYTES)
            ]
            async for records in self.pages.messages(scope, chosen):
                yield await message_lines(records)


@dataclass(slots=True)
class _Counter:
    """Counts what is written, and tells it."""

    progress: Progress
    counts: dict[Part, int] = field(default_factory=lambda: dict.fromkeys(Part, 0))

    @property
    def total(self) -> int:
        """How many items are written so far."""
        return sum(self.counts.values())

    def add(self, part: Part, number: int) -> None:
        self.counts[part] += number
        self.progress(self.counts)


async def _listed(part: Part, pages: Pages, counter: _Counter) -> AsyncGenerator[bytes, None]:
    """A part as a list of the document."""
    listed = JsonList(part)
    async for lines in _lines(pages):
        counter.add(part, len(lines))
        yield listed.add(lines)
    yield listed.end()


async def _lines(pages: Pages) -> LinePages:
    async for page in pages:
        yield await lines_of(page, _as_it_is)


def _as_it_is(item: JsonObject) -> JsonObject:
    return item


async def message_lines(records: Sequence[MessageRecord]) -> list[bytes]:
    """Messages as lines of JSON; other requests go on meanwhile."""
    messages = [record.message for record in records]
    characters = characters_to_write(messages, most=_MOST_COUNTED)
    return await lines_of(records, writing.message, characters=characters)
