"""`recollect audit`: what was done to whose memory, and whether the log of it is whole."""

from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console

from recollect.domain.conversation.paging import DEFAULT_LIMIT, MAX_LIMIT, Order, PageRequest
from recollect.domain.identity.audit import AuditAction, AuditFilter
from recollect.domain.identity.scope import Scope
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    fields_of,
    not_blank,
    parse_moment,
    show,
    show_page,
    show_table,
    tenant_scope,
    with_services,
)
from recollect.settings import Settings

app = typer.Typer(
    help="Read what was done to whose memory, and check that nothing is missing of it.",
    no_args_is_help=True,
)
_COLUMNS = (*("at", "user", "action", "target", "count", "actor", "interface", "transaction_id"),)
AuditedUser = Annotated[
    str | None,
    typer.Option(
        help="The user whose memory it is; default: all of the tenant, and its keys.",
        show_default=False,
        callback=not_blank,
    ),
]


@app.command("list")
def list_entries(  # noqa: PLR0913  # the options of the command line
    *,
    user: AuditedUser = None,
    action: Annotated[
        AuditAction | None,
        typer.Option(help="What was done.", show_default=False, metavar="ACTION"),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="At this time or later, as 2026-05-01 or with hours.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Before this time.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MAX_LIMIT, help="How many at most.")
    ] = DEFAULT_LIMIT,
    order: Annotated[Order, typer.Option(help="Newest or oldest first.")] = Order.DESC,
    cursor: Annotated[
        str | None, typer.Option(help="Where to go on: next_cursor of the answer before, in JSON.")
    ] = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show what was done to memories and keys, the latest first; never what was said."""
    page = PageRequest(limit=limit, order=order, cursor=cursor)
    times = {
        "since": parse_moment(since, "--since"),
        "until": parse_moment(until, "--until"),
    }
    listed = with_services(
        lambda services, settings: services.audit.list(
            tenant_scope(settings, tenant),
            page,
            filters=AuditFilter(owner_id=_owner_of(settings, user, tenant), action=action, **times),
        )
    )
    if as_json:
        from recollect.interfaces.http.schemas.admin import AuditEntryOut  # noqa: PLC0415

        show_page(map(AuditEntryOut.of, listed.items), listed.next_cursor)
        return
    rows = (
        {**fields_of(link.entry), "user": link.user or str(link.owner_id)} for link in listed.items
    )
    show_table(rows, _COLUMNS, empty="nothing yet")


@app.command()
def verify(user: AuditedUser = None, tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Check that no entry was changed, removed or added; exit code 1 where one was."""
    with Console(stderr=True).status("checking the audit log …") as status:
        report = with_services(
            lambda services, settings: services.audit.verify(
                tenant_scope(settings, tenant),
                owner_id=_owner_of(settings, user, tenant),
                progress=lambda count: status.update(f"{count} entries checked …"),
            )
        )
    broken = report.broken
    counts = {"chains": report.chains, "entries": report.entries}
    text = f"{report.entries} entries in {report.chains} chains are as they were written"
    if broken is not None:
        text = f"entry {broken.number} of owner {broken.owner_id} is {broken.fault}"
    show(
        {**counts, "broken": None if broken is None else broken._asdict()},
        as_json=as_json,
        text=text,
    )
    if broken is not None:
        raise typer.Exit(1)


def _owner_of(settings: Settings, user: str | None, tenant: str | None) -> UUID | None:
    if user is None:
        return None
    return Scope(tenant=tenant or settings.tenant, user=user).owner_id
