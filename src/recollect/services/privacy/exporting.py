"""Everything of an owner as one JSON document, or as an archive of JSON Lines."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer import writing
from recollect.domain.transfer.document import Counts, ExportFormat, Part, header_of
from recollect.ports.runtime import Clock
from recollect.services.privacy.json_document import (
    END_OF_DOCUMENT,
    JsonList,
    SessionList,
    member,
    opened,
)
from recollect.services.privacy.owner_pages import SESSIONS_AT_ONCE, OwnerPages, Pages
from recollect.services.privacy.zip_archive import ZipArchive

_ID_BYTES: Final = 16
Progress = Callable[[Counts], None]


def _unwatched(_: Counts) -> None:
    """Nobody looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerExport:
    """Writes everything of an owner in pieces, so that no more than a page is in memory."""

    pages: OwnerPages
    clock: Clock

    async def pieces(
        self, scope: Scope, form: ExportFormat, *, progress: Progress = _unwatched
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of a document in that format; `progress` gets how many items are written."""
        counter = _Counter(progress)
        write = self._json_document if form is ExportFormat.JSON else self._archive
        async for piece in write(scope, counter):
            if piece:
                yield piece

    async def _json_document(
        self, scope: Scope, counter: "_Counter"
    ) -> AsyncGenerator[bytes, None]:
        """The parts in their order; the messages are in their sessions."""
        yield opened(header_of(scope, at=self.clock.now()))
        for part, pages in self._small_parts(scope):
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
                yield await asyncio.to_thread(listed.add_messages, messages)
                counter.add(Part.MESSAGES, len(messages))
            yield await asyncio.to_thread(listed.finish)
            counter.add(Part.SESSIONS, len(sessions))
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
        for part, pages in (
            *self._small_parts(scope),
            *conversations,
            *self._last_parts(scope),
        ):
            yield await asyncio.to_thread(archive.begin, part.file_name)
            async for page in pages:
                yield await asyncio.to_thread(archive.add, page)
                counter.add(part, len(page))
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

    async def _sessions(self, scope: Scope, session_ids: bytearray) -> Pages:
        """The sessions; their ids are noted for their messages, 16 bytes each."""
        async for records in self.pages.sessions(scope):
            session_ids += b"".join(record.session.session_id.bytes for record in records)
            yield await asyncio.to_thread(list, map(writing.session, records))

    async def _messages(self, scope: Scope, session_ids: bytearray) -> Pages:
        """The messages of the sessions that were noted."""
        size = SESSIONS_AT_ONCE * _ID_BYTES
        for start in range(0, len(session_ids), size):
            some = bytes(session_ids[start : start + size])
            chosen = [
                UUID(bytes=some[at : at + _ID_BYTES]) for at in range(0, len(some), _ID_BYTES)
            ]
            async for records in self.pages.messages(scope, chosen):
                yield await asyncio.to_thread(list, map(writing.message, records))


@dataclass(slots=True)
class _Counter:
    """Counts what is written, and tells it."""

    progress: Progress
    counts: dict[Part, int] = field(default_factory=lambda: dict.fromkeys(Part, 0))

    def add(self, part: Part, number: int) -> None:
        self.counts[part] += number
        self.progress(self.counts)


async def _listed(part: Part, pages: Pages, counter: _Counter) -> AsyncGenerator[bytes, None]:
    """A part as a list of the document."""
    listed = JsonList(part)
    async for page in pages:
        yield await asyncio.to_thread(partial(listed.add, page))
        counter.add(part, len(page))
    yield listed.end()
