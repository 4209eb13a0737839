"""The audit log in plain lists."""

from dataclasses import dataclass

from recollect.domain.audit import AuditEntry
from recollect.domain.scope import Scope, TenantScope
from recollect.engines.in_memory.state import State


@dataclass(frozen=True, slots=True)
class InMemoryAuditLog:
    """Implements `recollect.ports.audit.AuditLog`."""

    state: State

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        written = self.state.of(scope.owner_id).audit_entries
        return tuple(reversed(written))[:limit]
