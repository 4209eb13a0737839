"""What the services of every subject are built on."""

from dataclasses import replace

from recollect.domain.policy import Policies
from recollect.domain.summary.read_messages import ReadMessages
from recollect.domain.tenants.policy import ServerPolicy
from recollect.ports import Stores
from recollect.services.access import Permissions
from recollect.services.audit.trail import AuditTrail
from recollect.services.conversations.last_access import LastAccess
from recollect.services.leased_keys import LeasedKeys
from recollect.services.recall.outside_index import OutsideIndex
from recollect.services.redaction import Redaction
from recollect.services.services import ServiceDependencies
from recollect.services.tenants.policies import TenantPolicies


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
        self.stores = replace(stores, api_keys=LeasedKeys(stores.api_keys))
        if self.outside is not None:
            self.stores = replace(self.stores, recall=self.outside)
        self.needs = dependencies
        self.policies = policies
        self.clock = dependencies.clock
        self.tenants = TenantPolicies(
            server_policy(dependencies, policies), store=stores.tenant_settings, clock=self.clock
        )
        self.redaction = Redaction(tenants=self.tenants, names=dependencies.names)
        self.permissions = Permissions(
            sql=dependencies.sql, history=stores.history, source=dependencies.permissions
        )
        self.audit: AuditTrail | None = None
        if policies.audit.is_on:
            self.audit = AuditTrail(
                log=stores.audit,
                clock=self.clock,
                policy=policies.audit,
                telemetry=dependencies.telemetry,
            )
        self.read_messages = ReadMessages()
        self.last_access = LastAccess(store=stores.sessions, clock=self.clock, tenants=self.tenants)


def server_policy(needs: ServiceDependencies, policies: Policies) -> ServerPolicy:
    """The server's policies, with what it has that tenants may choose."""
    kinds = {*needs.fact_extractors}
    if needs.fact_extractor is not None:
        kinds.add(needs.fact_extractor_kind)
    return ServerPolicy(
        policies=policies,
        has_archive=needs.archive is not None,
        extractors=frozenset(kinds),
        extractor=needs.fact_extractor_kind,
    )
