"""`recollect copy`: everything of everybody from one memory into another."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from recollect.domain.identity.scope import Interface, Scope
from recollect.domain.transfer.document import Outcome
from recollect.errors import InvalidInput
from recollect.interfaces.cli.output import AsJson, fail, fields_of, named_tenant, not_blank, show
from recollect.interfaces.cli.privacy.transfer import report_fields, taken_in
from recollect.settings import Settings
from recollect.settings.addresses import settings_at

if TYPE_CHECKING:
    from recollect.services.privacy.copying import CopyReport, Progress


def copy(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="postgresql://…, dynamodb://table?region=…&endpoint=…, or embedded:/folder.",
        ),
    ],
    target: Annotated[str, typer.Option("--to", help="Where to; as --from.")],
    tenant: Annotated[
        str | None,
        typer.Option(
            help="Only this tenant; default: all tenants.",
            show_default=False,
            callback=named_tenant,
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            help="Only this user of the tenant, or of MEMORY_TENANT.",
            show_default=False,
            callback=not_blank,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy everything of all users into another memory, and compare it; it can be repeated.

    What is there already stays as it is: a copy that was interrupted goes on. The source is not
    changed. Keys and settings of tenants come along; the audit log does not.
    """
    places = settings_at(source, option="--from"), settings_at(target, option="--to")
    if _place_of(places[0]) == _place_of(places[1]):
        raise InvalidInput("--to", "must be another memory than --from")
    scope = None
    if user is not None:
        scope = Scope(tenant=tenant or places[0].tenant, user=user, interface=Interface.CLI)
    with Console(stderr=True).status("copying …") as status:

        def tell(report: "CopyReport") -> None:
            status.update(f"{_told(report)} …")

        report = asyncio.run(_copy(*places, tenant, scope, tell))
    if report.is_empty and (tenant or user):
        fail(f"--from has nothing of {'that user' if user else 'that tenant'}", as_json=as_json)
    show(_as_json(report), as_json=as_json, text=_told(report))
    _refuse_incomplete(report, as_json=as_json)


async def _copy(
    source: Settings,
    target: Settings,
    tenant: str | None,
    scope: Scope | None,
    progress: "Progress",
) -> "CopyReport":
    # What opens memories takes half a second to load, which other commands need not wait for.
    from recollect.composition.copying import build_copy  # noqa: PLC0415
    from recollect.models.tokens import token_counter_for  # noqa: PLC0415
    from recollect.ports.telemetry import UNMEASURED  # noqa: PLC0415
    from recollect.services.privacy.copying import CopyReport  # noqa: PLC0415
    from recollect.services.services import ServiceDependencies  # noqa: PLC0415
    from recollect.storage import check_has_memory, open_engine  # noqa: PLC0415
    from recollect.system import RandomIds, SystemClock  # noqa: PLC0415

    clock = SystemClock()
    needs = ServiceDependencies(clock=clock, ids=RandomIds(), counter_for=token_counter_for)
    await check_has_memory(source)
    async with open_engine(source, clock, UNMEASURED) as here:
        of_tenant = tenant if scope is None else scope.tenant
        # Before the target is opened, which would get a schema for nothing.
        if not await here.stores.owners.owners(after=None, limit=1, tenant=of_tenant):
            return CopyReport()
        async with open_engine(target, clock, UNMEASURED) as there:
            copying = build_copy(here.stores, there.stores, needs, source.audit_policy())
            try:
                if scope is not None:
                    return await copying.of_user(scope, progress=progress)
                return await copying.of_all(tenant=tenant, progress=progress)
            finally:
                await copying.settle()


def _place_of(settings: Settings) -> tuple[object, ...]:
    if settings.embedded_home is not None:
        return (settings.embedded_home.absolute(),)
    if settings.db_connection_string is not None:
        return (settings.db_connection_string.get_secret_value().partition("://")[2],)
    return settings.dynamodb_table, settings.dynamodb_region, settings.dynamodb_endpoint_url


def _told(report: "CopyReport") -> str:
    text = f"{report.users:,} users: {taken_in(report.memory)}"
    for name, outcome in (
        ("API keys", report.api_keys),
        ("settings of tenants", report.tenant_settings),
    ):
        if outcome.added:
            text += f", {outcome.added:,} {name}"
    return text


def _refuse_incomplete(report: "CopyReport", *, as_json: bool) -> None:
    """Leave with an error where the copy differs."""
    if not report.differing:
        return
    if not as_json:
        for one in report.differences:
            name = f"user {one.user} of tenant {one.tenant}" if one.user else f"tenant {one.tenant}"
            typer.echo(f"recollect: {name} differs: {'; '.join(one.parts)}", err=True)
        typer.echo(
            f"recollect: {report.differing:,} differ (there and here): what the target had already "
            "stays as it is",
            err=True,
        )
    raise typer.Exit(1)


def _as_json(report: "CopyReport") -> dict[str, object]:
    return {
        "users": report.users,
        "copied": report_fields(report.memory),
        "api_keys": _outcome(report.api_keys),
        "tenant_settings": _outcome(report.tenant_settings),
        "differing": report.differing,
        "differences": [fields_of(one) for one in report.differences],
    }


def _outcome(outcome: Outcome) -> dict[str, object]:
    return fields_of(outcome)
