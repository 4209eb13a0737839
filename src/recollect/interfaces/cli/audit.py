"""`recollect audit`: who deleted what, and which keys were made."""

from typing import Annotated

import typer

from recollect.domain.identity.scope import Scope, TenantScope
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, Tenant, facts_of, not_blank, show_table
from recollect.settings import Settings

_COLUMNS = ("at", "action", "target", "count", "actor", "transaction_id")


def audit(
    user: Annotated[
        str | None,
        typer.Option(
            help="The user; default: the tenant itself.", show_default=False, callback=not_blank
        ),
    ] = None,
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Show what was done to a user's memory or a tenant's keys, the latest first."""
    entries = with_memory(
        lambda memory, settings: memory.services.audit.entries(
            _scope(settings, user, tenant), limit=limit
        )
    )
    show_table(map(facts_of, entries), _COLUMNS, as_json=as_json, empty="nothing yet")


def _scope(settings: Settings, user: str | None, tenant: str | None) -> Scope | TenantScope:
    name = tenant or settings.tenant
    return TenantScope(tenant=name) if user is None else Scope(tenant=name, user=user)
