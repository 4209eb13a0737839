"""`recollect tenants`: settings of single tenants."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.domain.tenants.settings import SETTING_NAMES, TenantReport
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from recollect.interfaces.cli.output import (
    AsJson,
    Yes,
    confirm,
    fields_of,
    named_tenant,
    show,
    show_table,
    tenant_scope,
    to_json,
    with_services,
)

if TYPE_CHECKING:
    from recollect.services.services import Services

app = typer.Typer(
    help="Set how long, and what, is stored for single tenants.", no_args_is_help=True
)
_NAMES = ", ".join(SETTING_NAMES)
Tenant = Annotated[str, typer.Argument(help="The tenant.", callback=named_tenant)]
Names = Annotated[list[str] | None, typer.Argument(help=f"Settings: {_NAMES}.", show_default=False)]
Assignments = Annotated[
    list[str],
    typer.Argument(
        help=f"NAME=VALUE, such as mask_pii=mask, spelled as MEMORY_* settings are: {_NAMES}.",
        metavar="NAME=VALUE…",
    ),
]


@app.command("list")
def list_tenants(as_json: AsJson = False) -> None:
    """List the tenants that have settings of their own; all others are as the server is set."""
    reports = with_services(lambda services, _: _all(services))
    if as_json:
        typer.echo(to_json({"items": [*map(_fields, reports)]}))
        return
    rows = [{**fields_of(one), "settings": _spelled(one)} for one in reports]
    columns = ("tenant", "version", "updated_at", "settings")
    show_table(rows, columns, empty="no tenant has settings of its own")


@app.command("show")
def show_settings(tenant: Tenant, as_json: AsJson = False) -> None:
    """Show what a tenant has set, and what counts for its users."""
    _show(
        with_services(
            lambda services, settings: services.tenant_settings.get(tenant_scope(settings, tenant))
        ),
        as_json=as_json,
    )


@app.command("set")
def set_settings(tenant: Tenant, assignments: Assignments, as_json: AsJson = False) -> None:
    """Set some settings of a tenant; servers follow within five seconds."""
    _change(tenant, dict(map(_assignment, assignments)), as_json=as_json)


@app.command()
def unset(tenant: Tenant, names: Names = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Unset some settings of a tenant, or all: the server's own count again."""
    if not names and not yes:
        confirm(f"Unset all settings of {tenant}?", refused="nothing was changed", as_json=as_json)
    _change(tenant, dict.fromkeys(names or SETTING_NAMES), as_json=as_json)


def _change(tenant: str, values: dict[str, JsonValue], *, as_json: bool) -> None:
    report = with_services(
        lambda services, settings: services.tenant_settings.change(
            tenant_scope(settings, tenant), values
        ),
        starts_memory=any(value is not None for value in values.values()),
    )
    _show(report, as_json=as_json)


async def _all(services: "Services") -> list[TenantReport]:
    return [report async for report in services.tenant_settings.list()]


def _assignment(text: str) -> tuple[str, JsonValue]:
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidInput(name, "must have a value: NAME=VALUE")
    return name.strip().removeprefix("MEMORY_").lower(), value


def _show(report: TenantReport, *, as_json: bool) -> None:
    if as_json:
        show(_fields(report), as_json=True, text="")
        return
    effective = report.effective.to_json()
    rows = [
        {"setting": name, "set": _cell(value), "effective": _cell(effective[name])}
        for name, value in report.settings.to_json().items()
    ]
    show_table(rows, ("setting", "set", "effective"), empty="")


def _fields(report: TenantReport) -> dict[str, object]:
    settings = {"settings": report.settings.to_json(), "effective": report.effective.to_json()}
    return {**fields_of(report), **settings}


def _spelled(report: TenantReport) -> str:
    given = report.settings.given()
    return " ".join(f"{name}={_cell(value)}" for name, value in given.items())


def _cell(value: JsonValue) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "on" if value else "off"
        case _:
            return str(value)
