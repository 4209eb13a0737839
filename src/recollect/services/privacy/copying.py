"""Everything of owners copied from one memory into another, and compared there."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final

from recollect.domain.identity.scope import Interface, Scope, TenantScope
from recollect.domain.transfer.checksums import Checksums
from recollect.domain.transfer.document import Outcome, TransferReport
from recollect.errors import ErasureUnderWay
from recollect.ports.accounts import ApiKeyStore
from recollect.ports.privacy.archive import ArchiveNotes
from recollect.ports.privacy.transfer import OwnerDirectory
from recollect.ports.runtime import Clock
from recollect.ports.tenants import TenantSettingsStore
from recollect.services.privacy.document.items import Item, items_of
from recollect.services.privacy.document.pipe import read_by_a_thread
from recollect.services.privacy.exporting import OwnerExport
from recollect.services.privacy.importing import OwnerImport

_OWNERS: Final = 100
_ATTEMPTS: Final = 2
"""A session may end while it is copied: then the second attempt agrees."""
_NAMED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An owner who has something else in the target than in the source."""

    tenant: str
    user: str
    parts: tuple[str, ...]
    """What differs: the numbers of items here and there, or that their content does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What became of everything so far."""

    users: int = 0
    """Users who have something, which is copied and compared."""
    memory: TransferReport = field(default_factory=TransferReport)
    api_keys: Outcome = field(default_factory=Outcome)
    tenant_settings: Outcome = field(default_factory=Outcome)
    differing: int = 0
    """Users and tenants whose copies differ."""
    differences: tuple[Difference, ...] = ()
    """The first of them."""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to copy."""
        return self == CopyReport()

    def with_difference(self, one: Difference) -> "CopyReport":
        """The same with one more that differs."""
        named = (*self.differences, one)[:_NAMED]
        return replace(self, differing=self.differing + 1, differences=named)


Progress = Callable[[CopyReport], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCopy:
    """Copies owner by owner: an export of the source that an import of the target reads.

    What the target has already stays as it is, so that a copy that was interrupted can be
    repeated, and goes on. No more than a page of one owner is in memory.
    """

    owners: OwnerDirectory
    source: OwnerExport
    target: OwnerImport
    copied: OwnerExport
    """Reads the target, to compare it."""
    tenants: "TenantCopy"
    notes: ArchiveNotes
    copied_notes: ArchiveNotes
    clock: Clock

    async def of_user(self, scope: Scope, *, progress: Progress) -> CopyReport:
        """Copy everything of one user."""
        report = await self._add_user(CopyReport(), scope, progress)
        progress(report)
        return report

    async def of_all(self, *, tenant: str | None, progress: Progress) -> CopyReport:
        """Copy everything of all users of a tenant, or of all tenants, with keys and settings."""
        report, last_tenant = CopyReport(), None
        async for owner in self._owners(tenant):
            if owner.tenant != last_tenant:
                last_tenant = owner.tenant
                report = await self.tenants.copy(report, owner.tenant)
            if isinstance(owner, Scope):
                report = await self._add_user(report, owner, progress)
            progress(report)
        return report

    async def settle(self) -> None:
        """Write what is still to be recorded of it, in both memories."""
        for trail in (self.source.audit, self.target.audit):
            if trail is not None:
                await trail.settle()

    async def _owners(self, tenant: str | None) -> AsyncGenerator[Scope | TenantScope, None]:
        after: Scope | TenantScope | None = None
        while page := await self.owners.owners(after=after, limit=_OWNERS, tenant=tenant):
            for owner in page:
                yield owner
            after = page[-1]

    async def _add_user(self, report: CopyReport, owner: Scope, progress: Progress) -> CopyReport:
        scope = replace(owner, actor="copy", interface=Interface.CLI)
        before = report.memory
        await self._copy_notes(scope)

        def tell(sofar: TransferReport) -> None:
            progress(replace(report, memory=before + sofar))

        for _ in range(_ATTEMPTS):
            done, sent = await self._transfer(scope, tell)
            report = replace(report, memory=report.memory + done)
            differences = sent.differences(await self._checksums(scope))
            if not differences:
                return replace(report, users=report.users + (not sent.is_empty))
        different = Difference(tenant=scope.tenant, user=scope.user, parts=differences)
        return replace(report.with_difference(different), users=report.users + 1)

    async def _copy_notes(self, scope: Scope) -> None:
        """Let the target know which archives have sessions of the user: erasures need them."""
        for archive in await self.notes.of_owner(scope.owner_id):
            now = self.clock.now()
            if not await self.copied_notes.add(scope, archive, now=now, claims_owner=True):
                raise ErasureUnderWay

    async def _transfer(
        self, scope: Scope, tell: Callable[[TransferReport], None]
    ) -> tuple[TransferReport, Checksums]:
        sent = Checksums()

        def watch(item: Item) -> None:
            sent.add(item.part, item.value)

        async with read_by_a_thread(self.source.importable(scope)) as document:
            done = await self.target.take_in(scope, document, progress=tell, watch=watch)
        return done, sent

    async def _checksums(self, scope: Scope) -> Checksums:
        async with read_by_a_thread(self.copied.importable(scope)) as document:
            return await asyncio.to_thread(_checksums_of, document)


def _checksums_of(document: BinaryIO) -> Checksums:
    checksums = Checksums()
    for item in items_of(document):
        checksums.add(item.part, item.value)
    return checksums


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantCopy:
    """Copies what belongs to a tenant itself: API keys, which go on to open it, and settings."""

    keys: ApiKeyStore
    copied_keys: ApiKeyStore
    settings: TenantSettingsStore
    copied_settings: TenantSettingsStore
    clock: Clock

    async def copy(self, report: CopyReport, tenant: str) -> CopyReport:
        """Copy keys and settings that are not there yet, and compare them."""
        scope = TenantScope(tenant=tenant, actor="copy", interface=Interface.CLI, is_stored=True)
        keys = report.api_keys + await self._copy_keys(scope)
        settings = report.tenant_settings + await self._copy_settings(scope)
        report = replace(report, api_keys=keys, tenant_settings=settings)
        different = await self._differences(scope)
        if not different:
            return report
        return report.with_difference(Difference(tenant=tenant, user="", parts=different))

    async def _copy_keys(self, scope: TenantScope) -> Outcome:
        there = {key.key_id for key in await self.copied_keys.list(scope)}
        added = known = 0
        for key in await self.keys.list(scope):
            if key.key_id in there:
                known += 1
            else:
                await self.copied_keys.add(scope, key)
                added += 1
            if key.revoked_at is not None:
                await self.copied_keys.revoke(scope, key.key_id, now=key.revoked_at)
        return Outcome(added=added, known=known)

    async def _copy_settings(self, scope: TenantScope) -> Outcome:
        stored = await self.settings.get(scope)
        if not stored.settings.given():
            return Outcome()
        there = await self.copied_settings.get(scope)
        if there.version:
            return Outcome(known=1)
        await self.copied_settings.put(scope, stored.settings, version=0, now=self.clock.now())
        return Outcome(added=1)

    async def _differences(self, scope: TenantScope) -> tuple[str, ...]:
        different: list[str] = []
        keys, copies = await self.keys.list(scope), await self.copied_keys.list(scope)
        if keys != copies:
            different.append(f"api_keys: {len(keys):,} and {len(copies):,}, or other content")
        stored = await self.settings.get(scope)
        if stored.settings != (await self.copied_settings.get(scope)).settings:
            different.append("tenant_settings: other content")
        return tuple(different)
