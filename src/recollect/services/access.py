"""Who may use memory, and what a user may see of it: API keys, user states, permissions."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import NO_DETAILS, Message, Visibility
from recollect.domain.conversation.session import Session
from recollect.domain.identity.accounts import (
    SECRET_BYTES,
    ApiKey,
    KeyScope,
    KeyText,
    UserState,
    check_mode,
    hash_secret,
)
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.permissions import (
    EVERYTHING,
    NOTHING,
    WITHHELD,
    Access,
    TurnKey,
    Withholding,
    tables_of_answer,
)
from recollect.domain.identity.scope import (
    MemoryPolicy,
    Scope,
    TenantScope,
    check_identity,
    tenant_name,
)
from recollect.errors import (
    ApiKeyNotFound,
    PermissionsUnavailable,
    Unauthenticated,
    UserHalted,
)
from recollect.ports.accounts import ApiKeyStore, PermissionSource, StateStore
from recollect.ports.conversations import HistoryStore
from recollect.ports.models import SqlReader
from recollect.ports.runtime import Clock, Ids
from recollect.services.audit.operations import Audited, audited, measured

UNAVAILABLE: Final = (
    "permissions could not be checked now: nothing that draws on tables was taken from memory"
)
"""The warning of a result that lacks what could not be checked."""

UNKNOWN_KEY: Final = "the API key is not valid"
"""The same for all that is no key, or one no more."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeys(Audited):
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
        secret = self.ids.new_secret(SECRET_BYTES)
        key = ApiKey(
            key_id=self.ids.new_id(),
            tenant=scope.tenant,
            user=None if user is None else check_identity(user, "user"),
            scopes=frozenset(scopes),
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
            raise Unauthenticated(UNKNOWN_KEY)
        return key

    @audited(AuditAction.API_KEY_READ)
    async def list(self, scope: TenantScope) -> tuple[ApiKey, ...]:
        """List a tenant's keys, oldest first."""
        return await self.store.list(scope)

    @measured(AuditAction.API_KEY_REVOKED)
    async def revoke(self, scope: TenantScope, key_id: UUID) -> None:
        """Revoke a key for good; once this returns, no process takes it any more."""
        if not await self.store.revoke(scope, key_id, now=self.clock.now()):
            raise ApiKeyNotFound(key_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class States(Audited):
    """What can be done with a user's mode."""

    store: StateStore
    clock: Clock

    @audited(AuditAction.STATE_READ)
    async def get(self, scope: Scope) -> UserState | None:
        """The user's state, or None where none was set, which means active."""
        return await self.store.get(scope)

    async def put(self, scope: Scope, mode: str) -> UserState:
        """Set the user's mode; `halted` keeps every question from being answered."""
        return await self.store.put(scope, check_mode(mode), now=self.clock.now())

    @measured(AuditAction.STATE_DELETED)
    async def delete(self, scope: Scope) -> bool:
        """Forget the user's mode; whether there was one."""
        return await self.store.delete(scope, now=self.clock.now())

    async def check_not_halted(self, scope: Scope) -> None:
        """Refuse to go on for a user who is halted."""
        state = await self.store.get(scope)
        if state is not None and state.is_halted:
            raise UserHalted


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Asks the permission source, and takes from memory what it does not allow.

    Ask once per request (`allowed`) and use the answer for everything in it. Without a source
    everything is allowed, at no cost.
    """

    sql: SqlReader
    history: HistoryStore
    source: PermissionSource | None = None

    async def allowed(self, scope: Scope, *, databases: Iterable[str] | None = None) -> Access:
        """What the owner may see now, in these databases; with a warning if nobody can tell."""
        if self.source is None:
            return EVERYTHING.within(databases)
        try:
            access = await self.source.access_of(scope)
        except PermissionsUnavailable as error:
            logger.warning("permissions.unavailable", extra={"facts": {"reason": str(error)}})
            access = replace(NOTHING, warnings=(UNAVAILABLE,))
        return access.within(databases)

    def tables_of(self, message: Message) -> tuple[str, ...]:
        """The tables that a message draws on, as `database.view`."""
        if message.details is NO_DETAILS:
            return ()
        return tables_of_answer(message.details, self.sql.tables_in)

    def unread_sql(self, messages: Iterable[Message]) -> int:
        """How many characters of SQL `tables_of` would read for the first time."""
        queries = {message.details.sql_query or "" for message in messages}
        return sum(len(sql) for sql in queries if not self.sql.has_read(sql))

    async def for_model(self, access: Access, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as a model may be given them; turns it may not see are left out whole."""
        if access.is_everything or not messages:
            return tuple(messages)
        return await asyncio.to_thread(self._withholding(access).for_model, messages)

    async def for_owner(self, scope: Scope, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as their owner may list them: what is kept back leaves a placeholder."""
        access = await self.allowed(scope)
        if access.is_everything or not messages:
            return tuple(messages)
        # The answers of their turns may lie outside of a page.
        turns = {(m.session_id, m.turn_number) for m in messages if m.turn_number is not None}
        beside = await self.history.of_turns(scope, turns)
        return await asyncio.to_thread(self._withholding(access).for_owner, messages, beside)

    async def sessions_for_owner(
        self, scope: Scope, sessions: Sequence[Session]
    ) -> tuple[Session, ...]:
        """The sessions as their owner may list them, named by no question that is kept back."""
        access = await self.allowed(scope)
        if access.is_everything or not sessions:
            return tuple(sessions)
        turns = [(s.session_id, s.name_turn) for s in sessions if s.name_turn is not None]
        named_after = await self.history.of_turns(scope, turns) if turns else ()
        hidden = await asyncio.to_thread(self._hidden_turns, access, named_after)
        return tuple(_shown_session(session, access, hidden) for session in sessions)

    def _withholding(self, access: Access) -> Withholding:
        return Withholding(access=access, tables_of=self.tables_of, shape_of=self.sql.shape_of)

    def _hidden_turns(self, access: Access, messages: Sequence[Message]) -> set[TurnKey]:
        """The turns whose questions are not to be seen, nor names made from them."""
        seen = self._withholding(access).visibilities(messages)
        return {turn for turn, visibility in seen.items() if visibility is Visibility.NOTHING}


def _shown_session(session: Session, access: Access, hidden_turns: set[TurnKey]) -> Session:
    if session.summary and access.visibility_of(session.summary_tables) is not Visibility.ALL:
        session = replace(session, summary=WITHHELD, summary_tables=())
    turn = session.name_turn
    if turn is not None and (session.session_id, turn) in hidden_turns:
        session = replace(session, name=WITHHELD)
    return session
