"""Where the audit log is kept."""

from typing import Protocol

from recollect.domain.audit import AuditEntry
from recollect.domain.scope import Scope, TenantScope


class AuditLog(Protocol):
    """Remembers what was done to an owner's memory.

    Entries are written by the stores, together with what they tell of: neither is ever there
    without the other.
    """

    async def entries(self, scope: Scope | TenantScope, *, limit: int) -> tuple[AuditEntry, ...]:
        """The owner's latest entries, newest first."""
        ...
