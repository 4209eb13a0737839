"""Erasing what the archive has of an owner."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import BinaryIO, Final, Generic, Protocol, TypeVar
from uuid import UUID

from recollect.domain.text import JsonObject
from recollect.domain.transfer import reading
from recollect.domain.transfer.archive import prefix_of
from recollect.domain.transfer.document import Part, check_header
from recollect.domain.transfer.records import MessageRecord, SessionRecord
from recollect.errors import ArchivedSessionBroken, ArchivedSessionNotFound, InvalidInput
from recollect.ports.privacy.archive import ArchiveStore, StoredObject
from recollect.ports.runtime import Clock
from recollect.services.privacy.document.items import items_of
from recollect.services.privacy.document.json_lines import END_OF_DOCUMENT, SessionList, opened
from recollect.services.privacy.exporting import message_lines

ARCHIVE: Final = "archive"
Counts = Mapping[str, int]
_PAGE: Final = 200
_NO_TIME: Final = datetime.max.replace(tzinfo=UTC)


class ErasureRequest(Protocol):
    """How much is to be erased of an owner: everything if neither is given."""

    @property
    def session_id(self) -> UUID | None:
        """One session alone."""

    @property
    def before(self) -> datetime | None:
        """What was said before that time alone."""


class OwnerErasure(Protocol):
    """An erasure of one owner, or of a part."""

    @property
    def owner_id(self) -> UUID:
        """Whose."""

    @property
    def request(self) -> ErasureRequest:
        """How much."""


Erasure = TypeVar("Erasure", bound=OwnerErasure)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePlace(Generic[Erasure]):
    """The archive as a place that erasures reach; everything may be called again.

    It comes after the database: a session that is being archived when an erasure begins has its
    object soon after, or never. A session of which only a part is to be erased is written again
    without it, under its name.
    """

    store: ArchiveStore
    clock: Clock
    count: Callable[[Erasure, str, Counts], Awaitable[None]]
    """Records what was erased in a place."""

    @property
    def name(self) -> str:
        """What receipts call the place."""
        return ARCHIVE

    async def erase_some(self, erasure: Erasure, *, limit: int) -> bool:
        """Erase from so many objects at most, record it, and say whether there may be more.

        Raises:
            ArchiveUnavailable: the archive cannot be reached; what is recorded is erased.
        """
        prefix = _prefix(erasure)
        await self.store.discard_unfinished(prefix, before=_NO_TIME)
        sessions = messages = 0
        try:
            async for stored in self.store.list(prefix):
                if sessions + messages >= limit:
                    return True
                part = await self._part_to_erase(erasure, stored)
                if part is None:
                    continue
                messages += await self._erase(stored.name, part)
                sessions += part.is_whole
        finally:
            if sessions or messages:
                counts = {"sessions": sessions, "messages": messages}
                await self.count(erasure, self.name, counts)
        return False

    async def remaining(self, erasure: Erasure) -> Counts:
        """How many sessions there still are to be erased whole, and messages of others."""
        sessions = messages = 0
        async for stored in self.store.list(_prefix(erasure)):
            part = await self._part_to_erase(erasure, stored)
            if part is not None:
                sessions, messages = sessions + part.is_whole, messages + part.messages
        return {"sessions": sessions, "messages": messages}

    async def _part_to_erase(self, erasure: Erasure, stored: StoredObject) -> "_Part | None":
        """What is to be erased of an object; None for nothing."""
        before = erasure.request.before
        # Nothing in an object is newer than the object.
        if before is None or stored.stored_at < before:
            return _WHOLE
        try:
            async with self.store.fetch(stored.name) as document:
                return await asyncio.to_thread(_part_before, document, before, self.clock.now())
        except ArchivedSessionNotFound:
            return None
        except (ArchivedSessionBroken, InvalidInput):  # nobody can tell what is in it
            return _WHOLE

    async def _erase(self, name: str, part: "_Part") -> int:
        if part.is_whole:
            await self.store.delete(name)
        else:
            async with self.store.fetch(name) as document:
                rest = _Rest(document, part, now=self.clock.now())
                await self.store.put(name, rest.pieces())
        return part.messages


def _prefix(erasure: OwnerErasure) -> str:
    return prefix_of(erasure.owner_id, erasure.request.session_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What is to be erased of one archived session."""

    is_whole: bool
    messages: int = 0
    """Those before the time, of a session of which others stay."""
    before: datetime = _NO_TIME
    has_name: bool = False
    """Whether the question that the session is named after is among them."""


_WHOLE: Final = _Part(is_whole=True)


def _part_before(document: BinaryIO, before: datetime, now: datetime) -> _Part | None:
    """What is to be erased of a document; None for nothing."""
    erased = kept = 0
    has_name = False
    session: SessionRecord | None = None
    for item in _records(document, now):
        if isinstance(item, SessionRecord):
            session = item
        elif item.message.created_at >= before:
            kept += 1
        else:
            erased += 1
            name_turn = session and session.session.name_turn
            has_name |= name_turn is not None and item.message.turn_number == name_turn
    is_older = session is None or session.session.created_at < before
    if not kept and (erased or is_older):
        return _WHOLE
    if not erased:
        return None
    return _Part(is_whole=False, messages=erased, before=before, has_name=has_name)


def _records(
    document: BinaryIO, now: datetime, check: Callable[[JsonObject], None] = check_header
) -> Iterator[SessionRecord | MessageRecord]:
    for item in items_of(document, check=check):
        if item.part is Part.SESSIONS:
            yield reading.session(item.value, now=now)
        elif item.part is Part.MESSAGES and (one := reading.message(item.value, now=now)):
            yield one


class _Rest:
    """The document of a session without the part that is erased."""

    def __init__(self, document: BinaryIO, part: _Part, *, now: datetime) -> None:
        self._part = part
        self._header: JsonObject = {}
        self._records = _records(document, now, self._keep_header)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The document in pieces; its summary is left out, which tells of what is erased."""
        listed = SessionList()
        is_begun = False
        while page := await asyncio.to_thread(lambda: [*islice(self._records, _PAGE)]):
            if not is_begun:
                yield opened(self._header)
                is_begun = True
            for record in page:
                if isinstance(record, SessionRecord):
                    listed.begin([self._without_traces(record)])
            kept = self._kept(page)
            yield listed.add_messages(kept, await message_lines(kept))
        yield await asyncio.to_thread(listed.finish)
        yield listed.end() + END_OF_DOCUMENT

    def _keep_header(self, header: JsonObject) -> None:
        check_header(header)
        self._header = {**header}

    def _kept(self, page: Sequence[SessionRecord | MessageRecord]) -> list[MessageRecord]:
        return [
            record
            for record in page
            if isinstance(record, MessageRecord) and record.message.created_at >= self._part.before
        ]

    def _without_traces(self, record: SessionRecord) -> SessionRecord:
        session = replace(record.session, summary=None, summary_tables=())
        if self._part.has_name:
            session = replace(session, name=None, name_turn=None)
        return replace(record, session=session, summary=None)
