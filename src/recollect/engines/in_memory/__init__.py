"""An engine that keeps everything in this process, for users' tests; gone when it ends."""

from recollect.engines.in_memory.api_keys import InMemoryApiKeys
from recollect.engines.in_memory.audit import InMemoryAuditLog
from recollect.engines.in_memory.history import InMemoryHistory
from recollect.engines.in_memory.messages import InMemoryMessages
from recollect.engines.in_memory.sessions import InMemorySessions
from recollect.engines.in_memory.state import State
from recollect.ports.stores import Stores

__all__ = ["in_memory_stores"]


def in_memory_stores() -> Stores:
    """Make empty stores that share nothing with those of any other call.

    They belong to one event loop: an operation never awaits halfway, so none sees another's
    half-done work.
    """
    state = State()
    return Stores(
        sessions=InMemorySessions(state),
        messages=InMemoryMessages(state),
        history=InMemoryHistory(state),
        api_keys=InMemoryApiKeys(state),
        audit=InMemoryAuditLog(state),
    )
