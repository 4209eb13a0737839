"""When sessions were last accessed: noted in memory, written in the background."""

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.concurrency import finish_writing, watch
from recollect.domain.identity.scope import Scope
from recollect.errors import Unavailable
from recollect.ports.conversations import SessionStore
from recollect.ports.runtime import Clock
from recollect.services.tenants.policies import TenantPolicies

_REMEMBERED: Final = 10_000  # sessions whose last note is known here
_MOST_WAITING: Final = 1_000
logger = logging.getLogger(__name__)


Key = tuple[UUID, UUID]
"""An owner, and a session."""


@dataclass(slots=True, kw_only=True)
class LastAccess:
    """Notes that sessions were read, which moves their end under sliding retention.

    Nobody waits for a note: they are written one after the other, by one connection, and for each
    session at most once in `RetentionPolicy.touch_interval`. What is lost in a crash, or while the
    database is away, the next access notes.
    """

    store: SessionStore
    clock: Clock
    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    _noted: OrderedDict[Key, datetime] = field(default_factory=OrderedDict)
    _waiting: dict[Key, tuple[Scope, datetime]] = field(default_factory=dict)
    _writing: "asyncio.Task[None] | None" = None

    def note(self, scope: Scope, session_id: UUID, *, last: datetime | None = None) -> None:
        """Note that a session is read now; `last` is when it was used last, where that is known."""
        now, key = self.clock.now(), (scope.owner_id, session_id)
        times = [time for time in (last, self._noted.get(key)) if time is not None]
        every = self.tenants.usual(scope.tenant).retention.touch_interval
        if (times and now - max(times) < every) or len(self._waiting) >= _MOST_WAITING:
            return
        self._remember(key, now)
        self._waiting[key] = scope, now
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
            watch(self._writing, "sessions.note_use")

    def written(self, scope: Scope, session_id: UUID) -> None:
        """Take into account that a session is being written to, which notes the use itself."""
        self._remember((scope.owner_id, session_id), self.clock.now())

    async def settle(self) -> None:
        """Wait until everything noted is written; cancelled, give up what is not."""
        while self._writing is not None and not self._writing.done():
            await finish_writing(self._writing, self._waiting.clear)

    def _remember(self, key: Key, time: datetime) -> None:
        self._noted[key] = time
        self._noted.move_to_end(key)
        while len(self._noted) > _REMEMBERED:
            self._noted.popitem(last=False)

    async def _write(self) -> None:
        while self._waiting:
            key = next(iter(self._waiting))
            scope, time = self._waiting.pop(key)
            try:
                end = (await self.tenants.of(scope)).retention.end_of_used(time)
                await self.store.touch(scope, key[1], now=time, expires_at=end)
            except Unavailable:
                self._noted.pop(key, None)
                logger.warning("session.use_not_noted")
