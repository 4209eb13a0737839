"""Everything of an owner, part by part and page by page, as far as the owner may see it."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import Visibility
from recollect.domain.conversation.session import Session
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.domain.transfer import writing
from recollect.domain.transfer.records import MessagePlace, MessageRecord, SessionRecord, place_of
from recollect.ports.accounts import ApiKeyStore, StateStore
from recollect.ports.privacy.transfer import ExportStore
from recollect.ports.profiles import ProfileStore
from recollect.services.access import Permissions
from recollect.services.facts.transfer import FactTransfer

Pages = AsyncGenerator[Sequence[JsonObject], None]
_PAGE: Final = 100
"""Messages, entries or lines that are in memory at once: read in about a millisecond."""
SESSIONS_AT_ONCE: Final = 100
"""Sessions whose messages are read together."""
_FACTS: Final = 100
_FIRST: Final = UUID(int=0)
_BEFORE_ALL: Final = MessagePlace(_FIRST, -1)
_LAST: Final = 2**128 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerPages:
    """Reads everything of one owner; no more than a page of it is in memory.

    What is written meanwhile may be in a page or not, but every message has its session.
    """

    store: ExportStore
    profiles: ProfileStore
    states: StateStore
    api_keys: ApiKeyStore
    facts: FactTransfer
    permissions: Permissions

    async def profile(self, scope: Scope) -> Pages:
        """The values of the profile."""
        yield [writing.profile_item(item) for item in await self.profiles.list(scope)]

    async def state(self, scope: Scope) -> Pages:
        """The mode of the user, if one was set."""
        state = await self.states.get(scope)
        yield [] if state is None else [writing.state(state)]

    async def keys(self, scope: Scope) -> Pages:
        """The user's own API keys, without anything that opens one."""
        keys = await self.api_keys.list(TenantScope(tenant=scope.tenant))
        yield [writing.api_key(key) for key in keys if key.user == scope.user]

    async def fact_records(self, scope: Scope) -> Pages:
        """Facts of any status with their histories."""
        page: list[JsonObject] = []
        async for item in self.facts.export(scope):
            page.append(item)
            if len(page) >= _FACTS:
                yield page
                page = []
        yield page

    async def sessions(self, scope: Scope) -> AsyncGenerator[Sequence[SessionRecord], None]:
        """Sessions in the order of their ids."""
        start: UUID | None = _FIRST
        while start is not None:
            page = await self.store.sessions(scope, start=start, limit=SESSIONS_AT_ONCE)
            if not page:
                return
            last = page[-1].session.session_id
            start = None if last.int == _LAST else UUID(int=last.int + 1)
            yield await self._visible_sessions(scope, page)

    async def messages(
        self, scope: Scope, session_ids: Sequence[UUID]
    ) -> AsyncGenerator[Sequence[MessageRecord], None]:
        """The messages of sessions in the order of their ids, of all branches, by their numbers."""
        left, after = session_ids, 0
        while page := await self.store.messages(scope, left, after=after, limit=_PAGE):
            last, after = place_of(page[-1].message)
            left = left[left.index(last) :]
            yield await self._visible_messages(scope, page)

    async def recall_entries(self, scope: Scope) -> Pages:
        """What recall finds, without vectors."""
        access = await self.permissions.allowed(scope)
        after = _BEFORE_ALL
        while page := await self.store.recall_entries(scope, after=after, limit=_PAGE):
            after = MessagePlace(page[-1].session_id, page[-1].sequence)
            seen = (one for one in page if access.visibility_of(one.tables) is Visibility.ALL)
            yield [writing.recall_entry(entry) for entry in seen]

    async def audit(self, scope: Scope) -> Pages:
        """The audit log about the user, oldest first."""
        after = 0
        while page := await self.store.audit(scope, after=after, limit=_PAGE):
            after = page[-1].number
            yield [writing.audit_entry(one.entry) for one in page]

    async def _visible_sessions(
        self, scope: Scope, records: Sequence[SessionRecord]
    ) -> Sequence[SessionRecord]:
        sessions = [record.session for record in records]
        shown = await self.permissions.sessions_for_owner(scope, sessions)
        pairs = zip(records, shown, strict=True)
        return [_visible_session(record, session_shown) for record, session_shown in pairs]

    async def _visible_messages(
        self, scope: Scope, records: Sequence[MessageRecord]
    ) -> Sequence[MessageRecord]:
        messages = [record.message for record in records]
        shown = await self.permissions.for_owner(scope, messages)
        pairs = zip(records, shown, strict=True)
        return [
            record if message is record.message else replace(record, message=message)
            for record, message in pairs
        ]


def _visible_session(record: SessionRecord, shown: Session) -> SessionRecord:
    """The session without a name or a summary that its owner may not see."""
    session, summary = record.session, record.summary
    if shown.name != session.name:
        session = replace(session, name=None, name_turn=None)
    if shown.summary != session.summary:
        summary = None
    return replace(record, session=session, summary=summary)
