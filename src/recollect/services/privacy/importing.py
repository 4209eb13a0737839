"""The document of an export, stored in this memory."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from recollect.domain.conversation.session import Session
from recollect.domain.facts.fact import MAX_CONTENT, MAX_QUOTE, FactChange, FactRecord
from recollect.domain.facts.transfer import restored
from recollect.domain.identity.accounts import UserState
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import RetentionPolicy
from recollect.domain.privacy.masking import Masker
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.transfer import reading
from recollect.domain.transfer.document import Outcome, Part, TransferReport, check_header
from recollect.domain.transfer.records import MessageRecord, SessionRecord
from recollect.errors import InvalidInput
from recollect.ports.metrics import OPERATIONS
from recollect.ports.privacy.transfer import ImportStore
from recollect.ports.runtime import Clock
from recollect.services.audit.operations import Audited
from recollect.services.conversations.sessions import MakeRoom, leave_room
from recollect.services.privacy.document.items import HeaderCheck, Item, items_of
from recollect.services.redaction import Redaction, masked_message, stored_session
from recollect.services.tenants.policies import TenantPolicies

_ITEMS: Final = 500
_CHARACTERS: Final = 4_000_000
"""A batch ends with the item that passes this."""
Progress = Callable[[TransferReport], None]
Watch = Callable[[Item], None]


def _unwatched(_: TransferReport) -> None:
    """Nobody looks."""


def _unseen(_: Item) -> None:
    """Nobody looks."""


def _watched(items: Iterator[Item], watch: Watch) -> Iterator[Item]:
    for item in items:
        watch(item)
        yield item


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerImport(Audited):
    """Stores a document batch by batch, with its ids, numbers and times.

    What is there already stays as it is: an import that was interrupted can be repeated.
    """

    store: ImportStore
    clock: Clock
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    redaction: Redaction = field(default_factory=Redaction)
    make_room: MakeRoom = leave_room

    async def take_in(
        self,
        scope: Scope,
        source: BinaryIO,
        *,
        check: HeaderCheck = check_header,
        renews_sessions: bool = False,
        progress: Progress = _unwatched,
        watch: Watch = _unseen,
    ) -> TransferReport:
        """Store what the source has; `progress` gets what has become of it so far.

        `watch` gets every item as the document has it, in the thread that reads it.

        Sessions end as the document or this memory's retention says, whichever is earlier; those
        that have come to their end are left out. With `renews_sessions` they end as if they were
        used now. `check` may refuse the document by its header. Keys, the audit log and what
        recall finds are not stored: turns are indexed here again.

        Raises:
            InvalidInput: the document is broken, at the place that its field names. What comes
                before it is stored.
        """
        batches = _Batches(
            _watched(items_of(source, check=check), watch),
            retention=(await self.tenants.of(scope)).retention,
            clock=self.clock,
            renews_sessions=renews_sessions,
            records=_StoredRecords(await self.redaction.masker(scope)),
        )
        self.check_audit()
        report, outcome = TransferReport(), "error"
        try:
            while (batch := await asyncio.to_thread(batches.next)) is not None:
                report = await self._store(scope, batch, batches, report)
                progress(report)
                if batch.error is not None:
                    raise batch.error
            outcome = "ok"
        finally:
            self.note(scope, AuditAction.MEMORY_IMPORTED, items=(), count=report.added)
            self.telemetry.count(OPERATIONS, AuditAction.MEMORY_IMPORTED, outcome)
        return report

    async def _store(
        self, scope: Scope, batch: "_Batch", batches: "_Batches", report: TransferReport
    ) -> TransferReport:
        store, messages = self.store, [*batch.messages]
        changes: dict[str, Outcome] = {}
        if batch.profile:
            changes["profile"] = await store.add_profile(scope, batch.profile, batch.texts)
        for state in batch.states:
            is_new = await store.add_state(scope, state)
            changes["state"] = Outcome(added=int(is_new), known=int(not is_new))
        if batch.facts:
            changes["facts"] = await store.add_facts(scope, batch.facts)
        if batch.sessions:
            session_ids = [record.session.session_id for record in batch.sessions]
            await self.make_room(scope, session_ids)
            changes["sessions"] = await store.add_sessions(scope, batch.sessions)
        if messages:
            stored = await store.add_messages(scope, messages)
            batches.diverged |= stored.diverged
            changes["messages"] = stored.outcome
        skipped = Outcome(conflicting=batch.diverging)
        changes["messages"] = changes.get("messages", Outcome()) + skipped
        outcomes = {name: getattr(report, name) + change for name, change in changes.items()}
        expired, withheld = report.expired + batch.expired, report.withheld + batch.withheld
        return replace(report, **outcomes, expired=expired, withheld=withheld)


@dataclass(slots=True)
class _Batch:
    """Items that are stored together."""

    profile: list[ProfileItem] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    states: list[UserState] = field(default_factory=list)
    facts: list[FactRecord] = field(default_factory=list)
    sessions: list[SessionRecord] = field(default_factory=list)
    messages: list[MessageRecord] = field(default_factory=list)
    expired: int = 0
    withheld: int = 0
    diverging: int = 0
    """Messages of sessions that have gone on in another way here."""
    error: InvalidInput | None = None
    """What is wrong with the item after the last one."""


class _Batches:
    """The items of a source in batches, read and checked in the thread that asks."""

    def __init__(
        self,
        items: Iterator[Item],
        *,
        retention: RetentionPolicy,
        clock: Clock,
        renews_sessions: bool,
        records: "_StoredRecords",
    ) -> None:
        self._items = items
        self._records = records
        self._retention = retention
        self._renews_sessions = renews_sessions
        self._clock = clock
        self._is_broken = False
        self._expired: set[UUID] = set()
        self.diverged: frozenset[UUID] = frozenset()

    def next(self) -> _Batch | None:
        """The next batch; None at the end."""
        if self._is_broken:
            return None
        batch, now = _Batch(), self._clock.now()
        count = characters = 0
        try:
            while count < _ITEMS and characters < _CHARACTERS:
                item = next(self._items, None)
                if item is None:
                    break
                self._add(batch, item, now)
                count, characters = count + 1, characters + item.characters
        except InvalidInput as error:
            batch.error, self._is_broken = error, True
        return batch if count or batch.error else None

    def _add(self, batch: _Batch, item: Item, now: datetime) -> None:
        try:
            match item.part:
                case Part.PROFILE:
                    value, text = reading.profile_item(item.value, now=now)
                    batch.profile.append(value)
                    batch.texts[value.key] = text
                case Part.STATE:
                    batch.states.append(reading.state(item.value, now=now))
                case Part.FACTS:
                    batch.facts.append(self._records.fact(restored(item.value, now=now)))
                case Part.SESSIONS:
                    self._add_session(batch, reading.session(item.value, now=now), now)
                case Part.MESSAGES:
                    self._add_message(batch, reading.message(item.value, now=now))
        except InvalidInput as error:
            raise error.inside(item.place) from None

    def _add_session(self, batch: _Batch, record: SessionRecord, now: datetime) -> None:
        end = self._end_of(record.session, now)
        if end is not None and end <= now:
            batch.expired += 1
            self._expired.add(record.session.session_id)
        else:
            session = replace(record.session, expires_at=end)
            batch.sessions.append(self._records.session(replace(record, session=session)))

    def _add_message(self, batch: _Batch, record: MessageRecord | None) -> None:
        if record is None:
            batch.withheld += 1
        elif record.message.session_id in self.diverged:
            batch.diverging += 1
        elif record.message.session_id not in self._expired:
            batch.messages.append(self._records.message(record))

    def _end_of(self, session: Session, now: datetime) -> datetime | None:
        """When a session ends: as it says itself or by the retention here, whichever is first."""
        if self._renews_sessions:
            return self._retention.end_of_restored(now)
        by_policy = self._retention.end_of_stored(
            created_at=session.created_at, used_at=session.last_accessed_at
        )
        ends = (session.expires_at, by_policy)
        return min((end for end in ends if end is not None), default=None)


@dataclass(frozen=True, slots=True)
class _StoredRecords:
    """Makes what is stored of what is read: masked as what is said here is."""

    masker: Masker | None

    def session(self, record: SessionRecord) -> SessionRecord:
        if self.masker is None:
            return record
        summary = record.summary and replace(
            record.summary, text=self.masker.text(record.summary.text)
        )
        return replace(record, session=stored_session(record.session, self.masker), summary=summary)

    def message(self, record: MessageRecord) -> MessageRecord:
        if self.masker is None:
            return record
        return replace(record, message=masked_message(record.message, self.masker))

    def fact(self, record: FactRecord) -> FactRecord:
        if self.masker is None:
            return record
        fact, mask = record.fact, self.masker.text
        evidence = fact.evidence and replace(
            fact.evidence, quote=mask(fact.evidence.quote)[:MAX_QUOTE]
        )
        masked = replace(fact, content=mask(fact.content)[:MAX_CONTENT], evidence=evidence)
        return replace(record, fact=masked, history=tuple(map(self._change, record.history)))

    def _change(self, change: FactChange) -> FactChange:
        assert self.masker is not None  # noqa: S101  # asked for facts that are masked alone
        statement = change.statement and self.masker.text(change.statement)
        content = self.masker.text(change.content)[:MAX_CONTENT]
        return replace(change, content=content, statement=statement)
