"""Builds what copies one memory into another."""

from dataclasses import replace

from recollect.composition.facts import FactServices
from recollect.composition.privacy import PrivacyServices
from recollect.composition.shared import SharedParts
from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.policy import Policies
from recollect.ports import Stores
from recollect.services.privacy.copying import MemoryCopy, TenantCopy
from recollect.services.privacy.exporting import OwnerExport
from recollect.services.redaction import Redaction
from recollect.services.services import ServiceDependencies
from recollect.services.tenants.policies import TenantPolicies


def build_copy(
    source: Stores, target: Stores, dependencies: ServiceDependencies, audit: AuditPolicy
) -> MemoryCopy:
    """Build the copy of everything as it is: no retention ends it, and no mask changes it."""
    policies = Policies(audit=audit)
    here, there = (SharedParts(one, dependencies, policies) for one in (source, target))
    taken_in = replace(
        PrivacyServices(there).owner_import, tenants=TenantPolicies(), redaction=Redaction()
    )
    return MemoryCopy(
        owners=source.owners,
        source=_export(here),
        target=taken_in,
        copied=_export(there),
        tenants=TenantCopy(
            keys=source.api_keys,
            copied_keys=there.stores.api_keys,
            settings=source.tenant_settings,
            copied_settings=target.tenant_settings,
            clock=dependencies.clock,
        ),
        notes=source.archive_notes,
        copied_notes=target.archive_notes,
        clock=dependencies.clock,
    )


def _export(shared: SharedParts) -> OwnerExport:
    return PrivacyServices(shared).owner_export(FactServices(shared).transfer)
