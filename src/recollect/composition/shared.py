"""What the services of every subject are built on."""

from dataclasses import replace

from recollect.domain.policy import Policies
from recollect.ports import Stores
from recollect.services.access import Permissions
from recollect.services.audit.trail import AuditTrail
from recollect.services.conversations.sessions import LastAccess
from recollect.services.recall.outside_index import OutsideIndex
from recollect.services.redaction import Redaction
from recollect.services.services import ServiceDependencies


class SharedParts:
    """The stores, policies and services that many others need."""

    def __init__(
        self, stores: Stores, dependencies: ServiceDependencies, policies: Policies
    ) -> None:
        self.outside: OutsideIndex | None = None
        if stores.recall and stores.outside and dependencies.vectors:
            self.outside = OutsideIndex(
                inner=stores.recall,
                entries=stores.outside,
                vectors=dependencies.vectors,
                clock=dependencies.clock,
            )
        self.stores = stores if self.outside is None else replace(stores, recall=self.outside)
        self.needs = dependencies
        self.policies = policies
        self.redaction = Redaction(policies=policies)
        self.clock = dependencies.clock
        self.permissions = Permissions(
            sql=dependencies.sql, history=stores.history, source=dependencies.permissions
        )
        self.audit: AuditTrail | None = None
        if policies.audit.is_on:
            self.audit = AuditTrail(
                log=stores.audit,
                clock=self.clock,
                policy=policies.audit,
                counters=dependencies.counters,
            )
        self.last_access = LastAccess(
            store=stores.sessions, clock=self.clock, retention=policies.retention
        )
