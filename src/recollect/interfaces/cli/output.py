"""Answers for people as tables and for programs as JSON, and how commands reach the memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from recollect.domain.identity.scope import Interface, Scope, TenantScope, tenant_name
from recollect.errors import ConfigurationError, InvalidInput
from recollect.settings import EngineKind, Settings, load_settings

if TYPE_CHECKING:
    from pydantic import BaseModel

    from recollect.services.services import Services
Result = TypeVar("Result")


def not_blank(parameter: typer.CallbackParam, value: str | None) -> str | None:
    """An option that names somebody: one that names nobody is no default."""
    if value is not None and not value.strip():
        raise InvalidInput(parameter.opts[0], "must not be blank; leave it out for the default")
    return value


def named_tenant(parameter: typer.CallbackParam, tenant: str | None) -> str | None:
    """A tenant's name as an option or an argument; the system tenant has none."""
    return None if not_blank(parameter, tenant) is None else tenant_name(str(tenant))


AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]
Tenant = Annotated[
    str | None,
    typer.Option(
        help="The tenant; default: MEMORY_TENANT.", show_default=False, callback=named_tenant
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        help="The user; default: MEMORY_LOCAL_USER.", show_default=False, callback=not_blank
    ),
]
_HEADINGS = {"message_count": "messages"}
"""What columns are called where their own name takes the room that free text needs."""
_PLACE_PARAMETERS = frozenset({"host", "port", "dbname", "database"})
_NARROWEST = 10
_WIDEST = 1000
_FREE_TEXT = frozenset({"name", "content", "text", "value", "found", "advice", "user", "settings"})


def show(value: object, *, as_json: bool, text: str) -> None:
    """Print one answer."""
    typer.echo(to_json(value) if as_json else text)


def show_table(
    rows: Iterable[Mapping[str, object]],
    columns: Sequence[str],
    *,
    empty: str,
    as_json: bool = False,
) -> None:
    """Print many alike: all they have as JSON, the named columns as a table."""
    items = list(rows)
    if as_json:
        typer.echo(to_json({"items": items}))
        return
    if not items:
        typer.echo(empty)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        heading, cells = _HEADINGS.get(column, column), [_cell(row[column]) for row in items]
        is_free = column in _FREE_TEXT
        # Free text may take several lines; an id or a time broken over lines cannot be copied.
        least = _NARROWEST if is_free else max(map(cell_len, (heading, *cells)))
        table.add_column(heading, no_wrap=not is_free, min_width=least, overflow="fold")
    for row in items:
        # Escaped: brackets in names and messages are no markup.
        table.add_row(*(escape(_cell(row[column])) for column in columns))
    # Whole: the terminal breaks lines that are too long, and no id is cut off.
    console = Console()
    needed = console.measure(table, options=console.options.update_width(_WIDEST)).minimum
    console.width = max(console.width, needed)
    console.print(table)


def show_page(items: Iterable["BaseModel"], next_cursor: str | None = None) -> None:
    """Print a list in JSON, as the HTTP interface has it."""
    dumped = [item.model_dump(mode="json", exclude_unset=True) for item in items]
    typer.echo(to_json({"items": dumped, "next_cursor": next_cursor}))


def to_json(value: object) -> str:
    """JSON with times in UTC and ids as text."""
    return json.dumps(value, default=_plain, indent=2, ensure_ascii=False)


def fail(message: str, *, as_json: bool, code: int = 1) -> NoReturn:
    """Say what is wrong and leave with an error."""
    typer.echo(to_json({"error": message}) if as_json else f"recollect: {message}", err=True)
    raise SystemExit(code)


def confirm(question: str, *, refused: str, as_json: bool) -> None:
    """Ask before something is lost; without a yes, leave with an error."""
    if not typer.confirm(question, err=True):
        fail(refused, as_json=as_json)


def confirm_deletion(question: str, *, yes: bool, as_json: bool) -> None:
    """Ask before something is deleted, unless the command says yes."""
    if not yes:
        confirm(question, refused="nothing was deleted", as_json=as_json)


def owner_name(scope: Scope) -> str:
    """A user with the tenant, as questions and errors name them."""
    return f"the user '{scope.user}' of the tenant '{scope.tenant}'"


def named_owner(user: str | None, tenant: str | None) -> str:
    """The owner that a command works for, as questions name them."""
    return owner_name(owner_scope(load_settings(), user, tenant))


def memory_place(settings: Settings) -> str:
    """Where the settings have the memory, without a password: a folder, a database or a table."""
    from recollect.engines.postgres.connection.addresses import (  # noqa: PLC0415
        display,
        normalise,
    )

    if settings.embedded_home is not None:
        return f"the folder {settings.embedded_home.absolute()}"
    if settings.db_connection_string is None:
        return f"the DynamoDB table {settings.dynamodb_table}"
    dsn = urlsplit(normalise(settings.db_connection_string.get_secret_value()))
    # Among the other parameters may be a password.
    named = [(name, value) for name, value in parse_qsl(dsn.query) if name in _PLACE_PARAMETERS]
    return f"the database {display(urlunsplit(dsn._replace(query=urlencode(named, safe='/'))))}"


def nothing_stored(scope: Scope, settings: Settings, what: str) -> InvalidInput:
    """The error of an export that has nothing to write."""
    return InvalidInput(
        "user",
        f"'{scope.user}' of the tenant '{scope.tenant}' has {what} stored in "
        f"{memory_place(settings)}: nothing was written",
    )


def given_options(**options: object) -> dict[str, object]:
    """The options that were given: those that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def owner_scope(settings: Settings, user: str | None, tenant: str | None) -> Scope:
    """The owner that a command works for: the one named, or else the local user."""
    return Scope(
        tenant=tenant or settings.tenant,
        user=user or settings.local_user,
        actor="cli",
        interface=Interface.CLI,
    )


def parse_moment(text: str | None, option: str) -> datetime | None:
    """Read a time, in UTC unless it says otherwise."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(option, "must be a time such as 2026-05-01T12:00:00Z") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def tenant_scope(settings: Settings, tenant: str | None) -> TenantScope:
    """The tenant that a command works for."""
    return TenantScope(tenant=tenant or settings.tenant, actor="cli", interface=Interface.CLI)


def fields_of(value: object) -> dict[str, object]:
    """The fields of a domain value by name."""
    assert is_dataclass(value)  # noqa: S101  # all domain values are
    return {part.name: getattr(value, part.name) for part in fields(value)}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}Z"
        case frozenset() | tuple() | list():
            return ", ".join(sorted(map(str, value))) or "-"
        case _:
            return str(value)


def with_services(
    work: Callable[["Services", Settings], Awaitable[Result]], *, starts_memory: bool = False
) -> Result:
    """Open the memory that the settings name, do one thing with its services, and close it.

    Where no memory is yet, only work that stores something starts one.

    Raises:
        ConfigurationError: there is no memory.
    """
    # Loading these takes half a second, in which no help need be waited for.
    from recollect.memory import Memory  # noqa: PLC0415
    from recollect.storage import check_has_memory  # noqa: PLC0415

    settings = load_settings()

    async def run() -> Result:
        if not starts_memory:
            await check_has_memory(settings)
        async with Memory.open(settings, names_on_demand=True) as memory:
            return await work(memory.services, settings)

    return asyncio.run(run())


def without_memory(work: Callable[["Services"], Awaitable[Result]]) -> Result:
    """Do one thing with the services that needs nothing stored, and opens no database."""
    from recollect.adapters import open_adapters  # noqa: PLC0415  # as `Memory.open` does
    from recollect.composition import build_services  # noqa: PLC0415
    from recollect.engines.in_memory import in_memory_stores  # noqa: PLC0415

    settings = load_settings()

    async def run() -> Result:
        async with open_adapters(settings, names_on_demand=True) as adapters:
            needs = replace(adapters.dependencies, vectors=None, archive=None)
            services = build_services(in_memory_stores(), needs, settings.policies())
            try:
                return await work(services)
            finally:
                await services.close()

    return asyncio.run(run())


def for_owner(
    user: str | None,
    tenant: str | None,
    work: Callable[["Services", Scope], Awaitable[Result]],
    *,
    starts_memory: bool = False,
) -> Result:
    """Do one thing with the services for the owner named, or else for the local user."""
    return with_services(
        lambda services, settings: work(services, owner_scope(settings, user, tenant)),
        starts_memory=starts_memory,
    )


@asynccontextmanager
async def administered(settings: Settings) -> AsyncIterator[str]:
    """The connection string as the settings give it, the embedded server running meanwhile."""
    from recollect.engines.postgres.connection.addresses import normalise  # noqa: PLC0415
    from recollect.engines.postgres.embedded import running_server  # noqa: PLC0415

    if settings.engine is not EngineKind.POSTGRESQL:
        raise ConfigurationError(
            f"MEMORY_ENGINE={settings.engine} has no schema to migrate: see 'recollect dynamodb'"
        )
    if settings.db_connection_string is not None:
        yield normalise(settings.db_connection_string.get_secret_value())
        return
    async with running_server(settings.home) as dsn:
        yield dsn
