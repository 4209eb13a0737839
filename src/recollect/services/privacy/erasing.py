"""Erasing what is stored of users: requested, carried on in pieces, verified and signed."""

import asyncio
import hmac
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recollect.domain.erasure.erasure import (
    DATABASE,
    WHOLE_TENANT,
    Erasure,
    ErasureKind,
    ErasureRequest,
    Verification,
)
from recollect.domain.erasure.receipt import KEY_BYTES, check_receipt, sign, write_receipt
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.errors import (
    ContentUnreadable,
    DatabaseUnavailable,
    ErasureNotFound,
    SessionNotFound,
    Unavailable,
)
from recollect.ports.privacy.archive import ArchiveNotes
from recollect.ports.privacy.erasure import Erasable, ErasureStores, TenantProgress
from recollect.ports.runtime import Clock, Ids

_AT_ONCE: Final = 250
"""Rows of one transaction, for which others may wait: 1,000 took some 0.1 s."""
_ERASURES: Final = 10
_USERS: Final = 50
_PHRASES: Final = 8
_MOST_SAMPLED: Final = 1_000
_SHORTEST_WAIT: Final = timedelta(seconds=1)
_LONGEST_WAIT: Final = timedelta(seconds=60)
_MEANWHILE_SECONDS: Final = 0.1
logger = logging.getLogger(__name__)

Progress = Callable[[Erasure], None]
Phrases = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """Erases everything of a user, a part of it, or a whole tenant.

    What is requested is durable: whoever carries it on may be killed at any moment, and another
    goes on. It is done when every place was reached, and a verification has found nothing.
    """

    stores: ErasureStores
    places: Sequence[Erasable]
    """In the order in which they are emptied: the database first, which notes what has to go from
    the others."""
    clock: Clock
    ids: Ids
    archive_notes: ArchiveNotes
    archive: str | None = None
    """The address of the archive that is set."""
    receipt_key: bytes | None = None
    """None: one that is stored in the database."""
    _phrases: dict[UUID, Phrases] = field(default_factory=dict)
    """Sampled before they are erased; nowhere but in this process."""

    async def begin(
        self, scope: Scope, *, session_id: UUID | None = None, before: datetime | None = None
    ) -> Erasure:
        """Begin to erase everything of a user, one session, or what is older than a time.

        While everything is erased, nothing new is stored: `ErasureUnderWay`. The same request
        again returns the erasure that is under way.
        """
        now = self.clock.now()
        request = ErasureRequest.of(session_id=session_id, before=before, now=now)
        begun = await self._begin(scope, request)
        if begun is None:
            raise SessionNotFound(session_id)
        _log("erasure.begun", begun)
        return begun

    async def begin_tenant(self, scope: TenantScope) -> Erasure:
        """Begin to erase everything of all users that a tenant has now."""
        begun = await self._begin(scope, WHOLE_TENANT)
        assert begun is not None  # noqa: S101  # only a session may be missing
        _log("erasure.begun", begun)
        return begun

    async def get(self, scope: Scope | TenantScope, erasure_id: UUID) -> Erasure:
        """Find an erasure of the owner, with what is erased so far."""
        erasure = await self.stores.erasures.get(scope.owner_id, erasure_id)
        if erasure is None:
            raise ErasureNotFound(erasure_id)
        return await self._with_parts(erasure)

    async def do_some(self) -> bool:
        """Carry on the erasures of all owners, some of each; whether any has come further.

        One that waits for a place which does not answer is tried again later.
        """
        return (await self._do(await self._due())).has_come_further

    async def _due(
        self, *, limit: int = _ERASURES, part_of: UUID | None = None, tenant: str | None = None
    ) -> Sequence[Erasure]:
        return await self.stores.erasures.due(
            now=self.clock.now(), limit=limit, part_of=part_of, tenant=tenant
        )

    async def _do_parts(self, erasure: Erasure) -> "_Pass":
        """Carry on the erasures of a tenant's users, and then those that had begun before.

        Nobody else may be there to do so.
        """
        done = await self._do(await self._due(part_of=erasure.erasure_id))
        if done.has_come_further or done.problem is not None:
            return done
        others = await self._due(limit=_USERS, tenant=erasure.tenant)
        return await self._do([one for one in others if one.request.kind is not ErasureKind.TENANT])

    async def _do(self, due: Sequence[Erasure]) -> "_Pass":
        done = _Pass()
        for erasure in due:
            try:
                done.has_come_further |= await self._try(erasure)
            except DatabaseUnavailable:
                raise
            except Unavailable as error:
                if erasure.waits_for is not None:  # those that nobody has tried come first
                    done.problem = error
        return done

    async def _try(self, erasure: Erasure) -> bool:
        """Do a piece of the work; before a place that does not answer is told, it is stored."""
        try:
            return await self._carry_on(erasure)
        except DatabaseUnavailable:
            raise
        except Unavailable as error:
            await self._wait(erasure, str(error), reason=error.explanation)
            raise

    async def complete(
        self, erasure: Erasure, *, progress: Progress = lambda _: None
    ) -> JsonObject:
        """Carry an erasure on until it is done, and return its receipt.

        Raises:
            Unavailable: a place does not answer. The erasure stays under way: a worker goes on
                with it, or whoever requests the same again.
        """
        while not erasure.is_done:
            has_come_further = await self._try(erasure)
            if erasure.request.kind is ErasureKind.TENANT:
                parts = await self._do_parts(erasure)
                has_come_further |= parts.has_come_further
                if parts.problem is not None and not has_come_further:
                    raise parts.problem
            if not has_come_further:
                await asyncio.sleep(_MEANWHILE_SECONDS)  # another worker is at it
            known = await self.stores.erasures.get(erasure.owner_id, erasure.erasure_id)
            if known is None:
                raise ErasureNotFound(erasure.erasure_id)
            erasure = await self._with_parts(known)
            progress(erasure)
        return erasure.receipt or {}

    async def forget_store(self, kept_in: str) -> int:
        """Let no erasure wait for a vector store that was deleted; how many vectors it had left.

        It is for operators, who know that the store is gone with all that was in it.
        """
        return await self.stores.erasures.forget_store(kept_in)

    async def forget_archive(self, address: str) -> int:
        """Let no erasure wait for an archive that was deleted or moved; how many owners it had.

        It is for operators. Where an archive is set, it is noted in the place of the other one:
        whoever has moved an archive has set the new place.
        """
        return await self.archive_notes.replace(address, by=self.archive)

    async def check(self, receipt: object) -> JsonObject:
        """Return a receipt that is whole and signed by this memory.

        Raises:
            InvalidReceipt: says what is wrong with it.
        """
        return check_receipt(receipt, await self._key())

    async def key_for(self, purpose: str) -> bytes:
        """Derive a secret for another purpose from the key of receipts: 32 bytes.

        All processes on one database derive the same one, and none tells the key it comes from.
        """
        return hmac.digest(await self._key(), purpose.encode(), "sha256")

    async def _carry_on(self, erasure: Erasure) -> bool:
        """Do a piece of the work; whether the erasure has come further."""
        if erasure.request.kind is ErasureKind.TENANT:
            return await self._carry_on_tenant(erasure)
        await self._sample(erasure)
        for place in self.places:
            if await place.erase_some(erasure, limit=_AT_ONCE):
                return True
        return await self._finish(erasure)

    async def _finish(self, erasure: Erasure) -> bool:
        """Verify, and store the signed receipt; False if something is left.

        What another process has erased until nothing is left is counted by then: the counts are
        read last.
        """
        phrases = self._phrases.get(erasure.erasure_id, ())
        verification = Verification(
            remaining={place.name: await place.remaining(erasure) for place in self.places},
            sampled_phrases=len(phrases),
            found_phrases=await self.stores.phrases.found(erasure, phrases),
        )
        current = await self.stores.erasures.get(erasure.owner_id, erasure.erasure_id)
        if current is None or current.is_done:
            return True
        return await self._sign(current, verification)

    async def _sign(self, erasure: Erasure, verification: Verification) -> bool:
        now = self.clock.now()
        if verification.is_clean:
            receipt = sign(write_receipt(erasure, verification, now=now), await self._key())
            if await self.stores.erasures.finish(erasure, receipt, now=now):
                self._phrases.pop(erasure.erasure_id, None)
                _log("erasure.done", erasure)
                return True
        await self._wait(erasure, f"there is something left: {verification.remains()}")
        return False

    async def _carry_on_tenant(self, erasure: Erasure) -> bool:
        """Begin the erasures of users who have none yet; finish when all of theirs are done."""
        tenants = self.stores.tenants
        users = await tenants.users(erasure, after=None, limit=_USERS)
        for user in users:
            await self._begin_part(erasure, user)
        if users:
            return True
        progress = await tenants.progress(erasure)
        if progress.left:
            await self._wait(erasure, None)
            return False
        verification = Verification(
            remaining={DATABASE: {"users": progress.left}}, sampled_phrases=progress.sampled
        )
        return await self._sign(_summed(erasure, progress), verification)

    async def _begin_part(self, erasure: Erasure, user: Scope) -> None:
        scope = replace(user, actor=erasure.requested_by, transaction_id=erasure.transaction_id)
        await self._begin(scope, ErasureRequest(), part_of=erasure.erasure_id)

    async def _begin(
        self,
        scope: Scope | TenantScope,
        request: ErasureRequest,
        *,
        part_of: UUID | None = None,
    ) -> Erasure | None:
        new_id, now = self.ids.new_id(), self.clock.now()
        erasure = Erasure.requested(scope, request, erasure_id=new_id, at=now, part_of=part_of)
        return await self.stores.erasures.begin(scope, erasure)

    async def _with_parts(self, erasure: Erasure) -> Erasure:
        if erasure.request.kind is not ErasureKind.TENANT:
            return erasure
        return _summed(erasure, await self.stores.tenants.progress(erasure))

    async def _sample(self, erasure: Erasure) -> None:
        if erasure.erasure_id in self._phrases or len(self._phrases) >= _MOST_SAMPLED:
            return
        try:
            phrases = await self.stores.phrases.sample(erasure, limit=_PHRASES)
        except ContentUnreadable:  # what nobody can read is erased all the same, and counted
            phrases = ()
        self._phrases[erasure.erasure_id] = phrases

    async def _wait(
        self, erasure: Erasure, waits_for: str | None, *, reason: str | None = None
    ) -> None:
        """Try again after a tenth of the time that it has taken, but within a minute.

        Not at the same beat each time: a worker that reaches less would always be the first.
        """
        now = self.clock.now()
        pause = min(max((now - erasure.requested_at) / 10, _SHORTEST_WAIT), _LONGEST_WAIT)
        pause *= random.uniform(0.8, 1)  # noqa: S311  # no secret
        await self.stores.erasures.postpone(erasure, until=now + pause, waits_for=waits_for)
        if waits_for is not None:
            _log("erasure.waits", erasure, waits_for=reason or waits_for)

    async def _key(self) -> bytes:
        if self.receipt_key is not None:
            return self.receipt_key
        new = self.ids.new_secret(KEY_BYTES)
        return await self.stores.receipt_keys.key(new, now=self.clock.now())


@dataclass(slots=True, kw_only=True)
class _Pass:
    """What came of a look at the erasures that are due."""

    has_come_further: bool = False
    problem: Unavailable | None = None
    """What has kept one of them waiting for the second time."""


def _summed(erasure: Erasure, progress: TenantProgress) -> Erasure:
    """The erasure of a tenant with what those of its users have erased."""
    counts = {**progress.counts, "tenant": {"users": progress.done}}
    return replace(erasure, counts=counts, expected=progress.expected)


def _log(event: str, erasure: Erasure, **more: object) -> None:
    facts = {"erasure_id": str(erasure.erasure_id), "kind": str(erasure.request.kind), **more}
    logger.info(event, extra={"facts": facts})
