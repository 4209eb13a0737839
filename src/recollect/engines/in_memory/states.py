"""The modes of users in plain fields."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.audit import AuditAction
from recollect.domain.scope import Scope
from recollect.domain.state import UserState
from recollect.engines.in_memory.state import State


@dataclass(frozen=True, slots=True)
class InMemoryStates:
    """Implements `recollect.ports.states.StateStore`."""

    state: State

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        return self.state.of(scope.owner_id).user_state

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        state = UserState(mode=mode, updated_at=now)
        self.state.of(scope.owner_id).user_state = state
        self.state.audit(scope, AuditAction.STATE_CHANGED, target=mode, count=1, now=now)
        return state

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        owner = self.state.of(scope.owner_id)
        forgotten, owner.user_state = owner.user_state, None
        if forgotten is None:
            return False
        self.state.audit(scope, AuditAction.STATE_DELETED, target=forgotten.mode, count=1, now=now)
        return True
