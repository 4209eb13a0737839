"""All use cases, built on one engine."""

from dataclasses import dataclass
from typing import Self

from recollect.ports.audit import AuditLog
from recollect.ports.clock import Clock, Ids
from recollect.ports.stores import Stores
from recollect.services.api_keys import ApiKeys
from recollect.services.history import History
from recollect.services.messages import Messages
from recollect.services.sessions import Sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What interfaces call."""

    sessions: Sessions
    messages: Messages
    history: History
    api_keys: ApiKeys
    audit: AuditLog
    ids: Ids

    @classmethod
    def on(cls, stores: Stores, *, clock: Clock, ids: Ids) -> Self:
        """Build the use cases on an engine's stores."""
        return cls(
            sessions=Sessions(store=stores.sessions, clock=clock),
            messages=Messages(store=stores.messages, clock=clock),
            history=History(store=stores.history, clock=clock),
            api_keys=ApiKeys(store=stores.api_keys, clock=clock, ids=ids),
            audit=stores.audit,
            ids=ids,
        )
