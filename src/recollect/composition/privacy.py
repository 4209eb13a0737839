"""Builds what exports, imports, archives and erases an owner's memory."""

from functools import cached_property

from recollect.composition.shared import SharedParts
from recollect.domain.followup.rules.candidate import ReadQuestions
from recollect.ports.privacy.erasure import Erasable, OwnerCache
from recollect.services.conversations.sessions import MakeRoom, leave_room
from recollect.services.facts.transfer import FactTransfer
from recollect.services.privacy.archive_access import ArchiveAccess
from recollect.services.privacy.archive_erasure import ArchivePlace
from recollect.services.privacy.archiving import SessionArchive
from recollect.services.privacy.encrypting import Encryption
from recollect.services.privacy.erasing import Erasing
from recollect.services.privacy.exporting import OwnerExport
from recollect.services.privacy.importing import OwnerImport
from recollect.services.privacy.noted_archives import NotedArchives
from recollect.services.privacy.owner_pages import OwnerPages
from recollect.services.privacy.places import CacheEviction, OutsideVectors, ProcessCaches, UserKeys


class PrivacyServices:
    """Builds each service of privacy."""

    def __init__(self, shared: SharedParts) -> None:
        self.shared = shared

    @cached_property
    def archive(self) -> SessionArchive | None:
        """Where expired sessions go; None where they are deleted."""
        if self.shared.needs.archive is None:
            return None
        return SessionArchive(
            store=self.shared.needs.archive,
            expired=self.shared.stores.expired_records,
            notes=self.shared.stores.archive_notes,
            clock=self.shared.clock,
            tenants=self.shared.tenants,
            keeps_for=self.shared.needs.archive_retention,
        )

    @property
    def make_room(self) -> MakeRoom:
        """What is done with an expired session whose id is used again."""
        return leave_room if self.archive is None else self.archive.make_room

    @cached_property
    def owner_import(self) -> OwnerImport:
        """The import of everything of an owner."""
        return OwnerImport(
            store=self.shared.stores.imports,
            tenants=self.shared.tenants,
            clock=self.shared.clock,
            make_room=self.make_room,
            redaction=self.shared.redaction,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def archive_access(self) -> ArchiveAccess | None:
        """Reading and restoring what is archived; None without an archive."""
        store = self.shared.needs.archive
        if store is None:
            return None
        return ArchiveAccess(store=store, owner_import=self.owner_import, clock=self.shared.clock)

    def owner_export(self, facts: FactTransfer) -> OwnerExport:
        """The export of everything of an owner."""
        pages = OwnerPages(
            store=self.shared.stores.exports,
            profiles=self.shared.stores.profiles,
            states=self.shared.stores.states,
            api_keys=self.shared.stores.api_keys,
            facts=facts,
            permissions=self.shared.permissions,
        )
        return OwnerExport(
            pages=pages,
            clock=self.shared.clock,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def encryption(self) -> Encryption | None:
        """Encrypting what is stored plain, and rotating keys; None where nothing is encrypted."""
        stores = self.shared.stores
        if stores.encryption is None:
            return None
        return Encryption(
            store=stores.encryption,
            owners=stores.owners,
            log=stores.audit,
            clock=self.shared.clock,
        )

    def cache_eviction(self) -> CacheEviction:
        """Takes what another process has erased out of this one's caches."""
        erasures = self.shared.stores.erasure.erasures
        return CacheEviction(erasures=erasures, caches=self._caches, clock=self.shared.clock)

    @cached_property
    def _caches(self) -> tuple[OwnerCache, ...]:
        outside = self.shared.outside
        index = self.shared.stores.recall if outside is None else outside.inner
        needs, keys = self.shared.needs, self.shared.stores.encryption
        read = (ReadQuestions(), self.shared.read_messages)
        held = (index, keys, needs.embedder, needs.sql, *read)
        return tuple(one for one in held if isinstance(one, OwnerCache))

    def erasing(self) -> Erasing:
        """Erasures of an owner's memory, in every place that holds some of it."""
        stores, needs = self.shared.stores.erasure, self.shared.needs
        places: list[Erasable] = [stores.database]
        if self.shared.outside is not None and stores.removals is not None:
            places.append(
                OutsideVectors(
                    erasures=stores.erasures,
                    removals=stores.removals,
                    vectors=self.shared.outside.vectors,
                )
            )
        places.append(self._noted_archives())
        keys = self.shared.stores.api_keys
        places.append(UserKeys(erasures=stores.erasures, keys=keys, clock=self.shared.clock))
        if stores.data_keys is not None:
            places.append(stores.data_keys)
        places.append(ProcessCaches(caches=self._caches))
        return Erasing(
            stores=stores,
            places=places,
            archive_notes=self.shared.stores.archive_notes,
            archive=None if needs.archive is None else needs.archive.address,
            clock=self.shared.clock,
            ids=needs.ids,
            receipt_key=needs.receipt_key,
        )

    def _noted_archives(self) -> NotedArchives:
        """The archives that may have something of an owner."""
        archive, reached = self.shared.needs.archive, None
        count = self.shared.stores.erasure.erasures.count
        if archive is not None:
            reached = ArchivePlace(store=archive, clock=self.shared.clock, count=count)
        return NotedArchives(notes=self.shared.stores.archive_notes, reached=reached, count=count)
