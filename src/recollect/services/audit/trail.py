"""Recording operations in the audit log, beside the deletions that stores record themselves."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from recollect.concurrency import watch
from recollect.domain.identity.audit import AuditAction, AuditFailure, AuditPolicy, OwnedEntry
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.errors import AuditUnavailable, Unavailable
from recollect.ports.metrics import AUDIT_LOST
from recollect.ports.privacy.audit import AuditLog
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Telemetry

MOST_WAITING: Final = 10_000
"""The most entries that wait to be written: what a process that is killed can lose."""
BATCH: Final = 500
"""Entries that are written at once; so many that wait are written at once, too."""
_BATCH_SECONDS: Final = 1.0
"""How long entries wait for others at most, and how long before writing is tried again."""
logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class AuditTrail:
    """Queues what was done, and writes it in batches; nobody waits for that.

    While entries cannot be written they wait, and writing is tried again every second. What does
    not fit into the queue is lost, which is logged and counted; or, by the policy, operations are
    refused before it comes to that.
    """

    log: AuditLog
    clock: Clock
    policy: AuditPolicy
    telemetry: Telemetry = UNMEASURED
    batch_seconds: float = _BATCH_SECONDS
    _waiting: deque[OwnedEntry] = field(default_factory=deque)
    _writing: "asyncio.Task[None] | None" = None
    _hurry: asyncio.Event = field(default_factory=asyncio.Event)
    _is_settling: bool = False
    _failing_since: datetime | None = None
    _lost: int = 0
    """Entries that were lost since the last batch was written."""

    def check(self) -> None:
        """Refuse an operation that might not be recorded, if the policy says so.

        Raises:
            AuditUnavailable: the queue is full, or entries could not be written for a while.
        """
        if self.policy.failure is AuditFailure.FAIL and self._is_stuck:
            raise AuditUnavailable

    def note(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        target: object = "",
        *,
        items: Sequence[UUID] = (),
        count: int | None = None,
    ) -> None:
        """Note that something was done, which is written soon."""
        self._queue(self._entry(scope, action, target, items, count))

    async def record(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        *,
        items: Sequence[UUID] = (),
        count: int | None = None,
    ) -> None:
        """Write at once that something is about to be done.

        Raises:
            AuditUnavailable: it cannot be written, and the policy is to refuse it then.
        """
        entry = self._entry(scope, action, "", items, count)
        try:
            await self.log.append([entry])
        except Unavailable:
            if self.policy.failure is AuditFailure.FAIL:
                raise AuditUnavailable from None
            self._queue(entry)

    async def settle(self) -> None:
        """Write everything noted; what cannot be written now is given up."""
        self._is_settling = True
        self._hurry.set()
        try:
            while self._writing is not None and not self._writing.done():
                await asyncio.wait([self._writing])
        except asyncio.CancelledError:
            if self._writing is not None:
                self._writing.cancel()
            raise
        finally:
            self._lose(len(self._waiting))
            self._waiting.clear()
            self._is_settling = False

    @property
    def _is_stuck(self) -> bool:
        since = self._failing_since
        is_failing = since is not None and self.clock.now() - since >= self.policy.patience
        return is_failing or len(self._waiting) >= MOST_WAITING

    def _entry(
        self,
        scope: Scope | TenantScope,
        action: AuditAction,
        target: object,
        items: Sequence[UUID],
        count: int | None,
    ) -> OwnedEntry:
        number = len(items) if count is None else count
        return OwnedEntry.of(scope, action, target, items=items, count=number, at=self.clock.now())

    def _queue(self, entry: OwnedEntry) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self._lose(1)
            return
        self._waiting.append(entry)
        if len(self._waiting) == BATCH:
            self._hurry.set()
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
            watch(self._writing, "audit.write")

    async def _write(self) -> None:
        while self._waiting:
            if self._failing_since is not None or len(self._waiting) < BATCH:
                await self._pause()
            batch = [*islice(self._waiting, BATCH)]
            try:
                await self.log.append(batch)
            except Exception as error:  # noqa: BLE001  # whatever it is, operations go on
                self._fail(error, batch)
                if self._is_settling:
                    return
            else:
                self._recover()
                self._drop(batch)

    async def _pause(self) -> None:
        """Wait for a whole batch, a second at most."""
        if self._is_settling:
            return
        self._hurry.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.batch_seconds):
                await self._hurry.wait()

    def _fail(self, error: Exception, batch: Sequence[OwnedEntry]) -> None:
        facts = {"problem": type(error).__name__, "waiting": len(self._waiting)}
        logger.warning("audit.not_written", extra={"facts": facts})
        self._failing_since = self._failing_since or self.clock.now()
        is_hopeless = not isinstance(error, Unavailable)
        if is_hopeless and self.policy.failure is AuditFailure.WARN:
            self._lose(len(batch))  # trying it again would keep all others from being written
            self._drop(batch)

    def _drop(self, batch: Sequence[OwnedEntry]) -> None:
        for _ in batch:
            self._waiting.popleft()

    def _lose(self, count: int) -> None:
        """Count lost entries; the first ones are logged, and all of them once one is written."""
        if count and not self._lost:
            logger.error("audit.lost", extra={"facts": {"entries": count}})
        self._lost += count
        for _ in range(count):
            self.telemetry.count(AUDIT_LOST)

    def _recover(self) -> None:
        if self._lost:
            logger.error("audit.recovered", extra={"facts": {"lost": self._lost}})
        self._failing_since, self._lost = None, 0
