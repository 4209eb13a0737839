"""`recollect dynamodb`: the table of MEMORY_ENGINE=dynamodb, created, inspected and deleted."""

import asyncio
from typing import Annotated

import typer

from recollect.errors import ConfigurationError
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    confirm,
    fields_of,
    owner_scope,
    show,
)
from recollect.settings import Settings, load_settings
from recollect.storage import dynamodb_client

app = typer.Typer(
    help="Create, inspect and delete the table (MEMORY_DYNAMODB_TABLE).", no_args_is_help=True
)


@app.command()
def create(
    unprotected: Annotated[
        bool, typer.Option("--unprotected", help="Do not protect the table from deletion.")
    ] = False,
    recovery: Annotated[
        bool, typer.Option("--recovery", help="Point-in-time recovery of 35 days; has a price.")
    ] = False,
    kms: Annotated[
        bool, typer.Option("--kms", help="Encrypt with the account's KMS key; has a price.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create the table and that of encryption keys, paid per request; again, set what is missing.

    The table of keys is called like the other with -keys behind it, and has no recovery.
    """
    from recollect.engines.dynamodb.table.provisioning import create_tables  # noqa: PLC0415

    settings = load_settings()

    async def run() -> bool:
        async with dynamodb_client(settings) as client:
            return await create_tables(
                client,
                settings.dynamodb_table,
                is_protected=not unprotected,
                has_point_in_time_recovery=recovery,
                is_encrypted_by_kms=kms,
            )

    is_new, name = asyncio.run(run()), settings.dynamodb_table
    text = f"the table {name} is created" if is_new else f"the table {name} is there already"
    show({"table": name, "created": is_new}, as_json=as_json, text=text)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Tell the state of the table."""
    settings = load_settings()
    facts = asyncio.run(_state(settings))
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in facts.items()]
    show(facts, as_json=as_json, text="\n".join(lines))


async def _state(settings: Settings) -> dict[str, object]:
    from recollect.engines.dynamodb.table.provisioning import table_state  # noqa: PLC0415

    async with dynamodb_client(settings) as client:
        state = await table_state(client, settings.dynamodb_table)
        if state is None:
            raise ConfigurationError(
                f"there is no table {settings.dynamodb_table} in {client.region}: create it with "
                "'recollect dynamodb create'"
            )
        return {"table": settings.dynamodb_table, "region": client.region, **fields_of(state)}


@app.command()
def owner(user: User = None, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Print the partition key of a user's items, for policies with dynamodb:LeadingKeys."""
    scope = owner_scope(load_settings(), user, tenant)
    show({"owner_id": scope.owner_id}, as_json=as_json, text=str(scope.owner_id))


@app.command()
def delete(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the table with everything that is stored of everybody."""
    from recollect.engines.dynamodb.table.provisioning import delete_tables  # noqa: PLC0415

    settings = load_settings()
    name = settings.dynamodb_table
    if not yes:
        question = f"Delete the table {name} with everything in it"
        confirm(question, refused="nothing was deleted", as_json=as_json)

    async def run() -> bool:
        async with dynamodb_client(settings) as client:
            return await delete_tables(client, name)

    was_there = asyncio.run(run())
    text = f"the table {name} is deleted" if was_there else f"there is no table {name}"
    show({"table": name, "deleted": was_there}, as_json=as_json, text=text)
