"""An engine that keeps everything in this process, for users' tests; gone when it ends."""

from datetime import UTC, datetime

from recollect.engines.in_memory.accounts import (
    InMemoryApiKeys,
    InMemoryEndedVisits,
    InMemoryStates,
)
from recollect.engines.in_memory.activity import InMemoryActivity
from recollect.engines.in_memory.conversations import (
    InMemoryBranches,
    InMemoryExpired,
    InMemorySessions,
    InMemoryTurns,
)
from recollect.engines.in_memory.data import InMemoryData
from recollect.engines.in_memory.facts import InMemoryFacts
from recollect.engines.in_memory.jobs import (
    InMemoryIndexing,
    InMemoryJobs,
    InMemoryLearning,
    InMemorySummaries,
)
from recollect.engines.in_memory.messages import InMemoryHistory, InMemoryMessages
from recollect.engines.in_memory.privacy.archive import InMemoryArchiveNotes, InMemoryExpiredRecords
from recollect.engines.in_memory.privacy.audit import InMemoryAuditLog
from recollect.engines.in_memory.privacy.erasure import in_memory_erasure_stores
from recollect.engines.in_memory.privacy.transfer import (
    InMemoryExports,
    InMemoryImports,
    InMemoryOwners,
)
from recollect.engines.in_memory.profiles import InMemoryProfiles
from recollect.engines.in_memory.recall import InMemoryRecallIndex
from recollect.engines.in_memory.tenants import InMemoryTenantSettings
from recollect.ports import Stores
from recollect.ports.runtime import Clock

__all__ = ["in_memory_stores"]


def in_memory_stores(clock: Clock | None = None) -> Stores:
    """Make empty stores that share nothing with those of any other call.

    They hide the sessions that have expired by the clock, or by the machine's time without
    one. They belong to one event loop: an operation never awaits halfway, so none sees
    another's half-done work.
    """
    data = InMemoryData(clock or _MachineClock())
    audit = InMemoryAuditLog(data)
    return Stores(
        sessions=InMemorySessions(data),
        messages=InMemoryMessages(data),
        branches=InMemoryBranches(data),
        turns=InMemoryTurns(data),
        history=InMemoryHistory(data),
        summaries=InMemorySummaries(data),
        states=InMemoryStates(data),
        profiles=InMemoryProfiles(data),
        jobs=InMemoryJobs(data),
        expired=InMemoryExpired(data),
        expired_records=InMemoryExpiredRecords(data),
        archive_notes=InMemoryArchiveNotes(data),
        api_keys=InMemoryApiKeys(data),
        ended_visits=InMemoryEndedVisits(data),
        tenant_settings=InMemoryTenantSettings(data),
        audit=audit,
        audit_chains=audit,
        facts=InMemoryFacts(data),
        owners=InMemoryOwners(data),
        exports=InMemoryExports(data),
        imports=InMemoryImports(data),
        erasure=in_memory_erasure_stores(data),
        recall=InMemoryRecallIndex(data),
        indexing=InMemoryIndexing(data),
        learning=InMemoryLearning(data),
        activity=InMemoryActivity(data),
    )


class _MachineClock:
    """As `recollect.system.SystemClock`, which stands beside the engines: they cannot see it."""

    def now(self) -> datetime:
        return datetime.now(UTC)
