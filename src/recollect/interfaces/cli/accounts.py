"""`recollect keys` and `recollect audit`."""

from enum import StrEnum
from typing import Annotated

import typer

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.accounts import ApiKey, KeyScope
from recollect.domain.identity.scope import MemoryPolicy, Scope, TenantScope
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    fields_of,
    not_blank,
    show,
    show_table,
    with_services,
)
from recollect.settings import Settings

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)
_KEY_COLUMNS = ("key_id", "name", "scopes", "user", "memory", "created_at", "revoked_at")
_AUDIT_COLUMNS = ("at", "action", "target", "count", "actor", "transaction_id")


class OfferedScope(StrEnum):
    """How far a new key may reach: what `recollect.domain.identity.accounts.OFFERED_SCOPES` has."""

    USER = KeyScope.USER.value
    SERVICE = KeyScope.SERVICE.value


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[OfferedScope], typer.Option(help="How far it reaches; may be given several times.")
    ],
    user: Annotated[
        str | None,
        typer.Option(
            help="The user of a key of scope user.", show_default=False, callback=not_blank
        ),
    ] = None,
    most_memory: Annotated[
        MemoryPolicy, typer.Option("--memory", help="The most memory that chats with it may use.")
    ] = MemoryPolicy.FULL,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once."""
    key, text = with_services(
        lambda services, settings: services.api_keys.create(
            _scope(settings, tenant),
            name=name,
            scopes=map(KeyScope, scope),
            user=user,
            memory=most_memory,
        )
    )
    show(
        {**_facts(key), "key": text},
        as_json=as_json,
        text=f"{text}\n\nKeep it now: only its hash is stored. Its id is {key.key_id}.",
    )


@app.command("list")
def list_keys(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """List a tenant's keys, without their secrets."""
    keys = with_services(
        lambda services, settings: services.api_keys.list(_scope(settings, tenant))
    )
    show_table(map(_facts, keys), _KEY_COLUMNS, as_json=as_json, empty="no keys yet")


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as 'list' shows it.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key, at once and for good."""
    identifier = parse_uuid(key_id, "key_id")
    with_services(
        lambda services, settings: services.api_keys.revoke(_scope(settings, tenant), identifier)
    )
    show({"revoked": identifier}, as_json=as_json, text=f"key {identifier} is revoked")


def _scope(settings: Settings, tenant: str | None) -> TenantScope:
    return TenantScope(tenant=tenant or settings.tenant, actor="cli")


def _facts(key: ApiKey) -> dict[str, object]:
    return {name: value for name, value in fields_of(key).items() if name != "secret_hash"}


def audit(
    user: Annotated[
        str | None,
        typer.Option(
            help="The user; default: the tenant itself.", show_default=False, callback=not_blank
        ),
    ] = None,
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show what was done to a user's memory or a tenant's keys, the latest first."""
    entries = with_services(
        lambda services, settings: services.audit.entries(
            _audited_scope(settings, user, tenant), limit=limit
        )
    )
    show_table(map(fields_of, entries), _AUDIT_COLUMNS, as_json=as_json, empty="nothing yet")


def _audited_scope(settings: Settings, user: str | None, tenant: str | None) -> Scope | TenantScope:
    name = tenant or settings.tenant
    return TenantScope(tenant=name) if user is None else Scope(tenant=name, user=user)
