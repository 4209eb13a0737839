"""The mode of a user: set, read, enforced."""

from dataclasses import dataclass

from recollect.domain.scope import Scope
from recollect.domain.state import UserState, check_mode
from recollect.errors import UserHalted
from recollect.ports.clock import Clock
from recollect.ports.states import StateStore


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
