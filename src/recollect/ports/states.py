"""Where the modes of users are kept."""

from datetime import datetime
from typing import Protocol

from recollect.domain.scope import Scope
from recollect.domain.state import UserState


class StateStore(Protocol):
    """Keeps one mode for each owner; whatever a method has returned survives a crash."""

    async def get(self, scope: Scope) -> UserState | None:
        """The owner's state, or None where none was set."""
        ...

    async def put(self, scope: Scope, mode: str, *, now: datetime) -> UserState:
        """Set the owner's mode in the place of any before it. Audited, with the mode."""
        ...

    async def delete(self, scope: Scope, *, now: datetime) -> bool:
        """Forget the owner's state; whether there was one. Audited, with the mode it had."""
        ...
