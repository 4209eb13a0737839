"""`recollect keys`."""

from typing import Annotated

import typer

from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.accounts import ApiKey, KeyScope
from recollect.domain.identity.scope import MemoryPolicy
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    fields_of,
    not_blank,
    show,
    show_table,
    tenant_scope,
    with_services,
)

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)
_KEY_COLUMNS = ("key_id", "name", "scopes", "user", "memory", "created_at", "revoked_at")


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[KeyScope], typer.Option(help="How far it reaches; may be given several times.")
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
            tenant_scope(settings, tenant),
            name=name,
            scopes=scope,
            user=user,
            memory=most_memory,
        ),
        starts_memory=True,
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
        lambda services, settings: services.api_keys.list(tenant_scope(settings, tenant))
    )
    show_table(map(_facts, keys), _KEY_COLUMNS, as_json=as_json, empty="no keys yet")


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as 'list' shows it.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key for good: once this is done, it opens nothing any more."""
    identifier = parse_uuid(key_id, "key_id")
    with_services(
        lambda services, settings: services.api_keys.revoke(
            tenant_scope(settings, tenant), identifier
        )
    )
    show({"revoked": identifier}, as_json=as_json, text=f"key {identifier} is revoked")


def _facts(key: ApiKey) -> dict[str, object]:
    return {name: value for name, value in fields_of(key).items() if name != "secret_hash"}
