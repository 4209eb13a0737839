"""`recollect users`: who has something stored."""

from typing import Annotated

import typer

from recollect.domain.conversation.paging import DEFAULT_LIMIT, MAX_LIMIT, Order, PageRequest
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    fields_of,
    show_table,
    tenant_scope,
    to_json,
    with_services,
)

app = typer.Typer(help="List the users of a tenant.", no_args_is_help=True)
_COLUMNS = ("user", "sessions", "messages", "facts", "last_active_at")


@app.callback()
def users() -> None:
    """List the users of a tenant."""


@app.command("list")
def list_users(
    tenant: Tenant = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MAX_LIMIT, help="How many at most.")
    ] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None,
        typer.Option(help="Where to go on: next_cursor of the answer before.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List who has something stored, with numbers and the last use of a session.

    Sessions and messages are those that have not expired, facts those that are active. Users who
    are being erased are left out. The order is that of pseudonyms.
    """
    page = with_services(
        lambda services, settings: services.users.list(
            tenant_scope(settings, tenant),
            PageRequest(limit=limit, order=Order.ASC, cursor=cursor),
        )
    )
    rows = [fields_of(one) for one in page.items]
    if as_json:
        typer.echo(to_json({"items": rows, "next_cursor": page.next_cursor}))
        return
    show_table(rows, _COLUMNS, empty="no users yet")
    if page.next_cursor is not None:
        typer.echo(f"there are more: --cursor {page.next_cursor}", err=True)
