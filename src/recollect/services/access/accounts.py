"""API keys, whether memory is on for a user, and the deletion of expired sessions."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from recollect.domain.conversation.turns import LEAST_PATIENCE
from recollect.domain.identity.accounts import (
    OFFERED_SCOPES,
    SECRET_BYTES,
    ApiKey,
    KeyScope,
    KeyText,
    MemoryPolicy,
    UserState,
    check_mode,
    hash_secret,
)
from recollect.domain.identity.scope import Scope, TenantScope, check_identity, tenant_name
from recollect.errors import ApiKeyNotFound, InvalidInput, Unauthenticated, UserHalted
from recollect.ports.accounts import ApiKeyStore, StateStore
from recollect.ports.conversations import TurnStore
from recollect.ports.runtime import Clock, Ids
from recollect.ports.work import ExpiredSessions

_AT_ONCE: Final = 500
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeys:
    """What can be done with the keys of a tenant."""

    store: ApiKeyStore
    clock: Clock
    ids: Ids

    async def create(
        self,
        scope: TenantScope,
        *,
        name: str,
        scopes: Iterable[KeyScope],
        user: str | None = None,
        memory: MemoryPolicy = MemoryPolicy.FULL,
    ) -> tuple[ApiKey, str]:
        """Make a key and return it with its text, which nobody can find out afterwards."""
        tenant_name(scope.tenant)  # refuses keys of the system tenant
        chosen = frozenset(scopes)
        if not chosen <= {*OFFERED_SCOPES}:
            raise InvalidInput("scopes", f"must be of: {', '.join(OFFERED_SCOPES)}")
        secret = self.ids.new_secret(SECRET_BYTES)
        key = ApiKey(
            key_id=self.ids.new_id(),
            tenant=scope.tenant,
            user=None if user is None else check_identity(user, "user"),
            scopes=chosen,
            name=name,
            secret_hash=hash_secret(secret),
            created_at=self.clock.now(),
            memory=memory,
        )
        await self.store.add(scope, key)
        text = KeyText(owner_id=scope.owner_id, key_id=key.key_id, secret=secret)
        return key, str(text)

    async def recognise(self, text: str) -> ApiKey:
        """Find the key a caller presents, or refuse the caller."""
        parsed = KeyText.parse(text)
        key = await self.store.find(parsed.owner_id, parsed.key_id) if parsed else None
        if parsed is None or key is None or key.is_revoked or not key.accepts(parsed.secret):
            raise Unauthenticated("the API key is not valid")
        return key

    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """List a tenant's keys, oldest first."""
        return await self.store.list(scope)

    async def revoke(self, scope: TenantScope, key_id: UUID) -> None:
        """Revoke a key at once and for good."""
        if not await self.store.revoke(scope, key_id, now=self.clock.now()):
            raise ApiKeyNotFound(key_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """What can be done with a user's mode."""

    store: StateStore
    clock: Clock

    async def get(self, scope: Scope) -> UserState | None:
        """The user's state, or None where none was set, which means active."""
        return await self.store.get(scope)

    async def put(self, scope: Scope, mode: str) -> UserState:
        """Set the user's mode; `halted` keeps every question from being answered."""
        return await self.store.put(scope, check_mode(mode), now=self.clock.now())

    async def delete(self, scope: Scope) -> bool:
        """Forget the user's mode; whether there was one."""
        return await self.store.delete(scope, now=self.clock.now())

    async def check_not_halted(self, scope: Scope) -> None:
        """Refuse to go on for a user who is halted."""
        state = await self.store.get(scope)
        if state is not None and state.is_halted:
            raise UserHalted


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Cleans up after sessions that have expired; readers do not see them any more anyway."""

    expired: ExpiredSessions
    turns: TurnStore
    clock: Clock
    patience: timedelta = LEAST_PATIENCE
    """How long a question may wait for its answer before whoever had it is taken to be gone."""

    async def count(self) -> int:
        """How many sessions a clean-up would delete."""
        return await self.expired.count(now=self.clock.now())

    async def clean_up(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Delete all expired sessions, some at a time, and say how many went.

        While another replica is at it, nothing is left to do here. Questions that nobody will
        answer any more, because the server that had them was killed, are failed on the way.
        """
        await self.settle_abandoned()
        now, deleted = self.clock.now(), 0
        while some := await self.expired.delete(now=now, limit=_AT_ONCE):
            deleted += some
            progress(deleted)
        return deleted

    async def settle_abandoned(self) -> int:
        """Fail the turns of all owners that have waited for too long, and say how many.

        Those are questions of servers that were killed. An answer that comes all the same still
        completes its turn.
        """
        since = self.clock.now() - self.patience
        abandoned = await self.turns.fail_abandoned(started_by=since)
        if abandoned:
            logger.info("turns.abandoned", extra={"facts": {"turns": abandoned}})
        return abandoned
