"""`recollect erase`: everything of a user or a tenant, gone in every place, with a receipt."""

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from recollect.domain.conversation.session import session_id_from
from recollect.domain.erasure.erasure import Erasure
from recollect.domain.erasure.receipt import with_names
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.domain.transfer.archive import noted_address
from recollect.errors import InvalidInput, InvalidReceipt, SessionNotFound
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    Yes,
    confirm,
    fail,
    memory_place,
    owner_name,
    owner_scope,
    parse_moment,
    show,
    to_json,
    with_services,
)
from recollect.settings import Settings, load_settings

if TYPE_CHECKING:
    from recollect.services.services import Services

_LARGEST_RECEIPT: Final = 1_000_000
_Session = Annotated[
    str | None, typer.Option(help="Only this session, by its id.", show_default=False)
]
_Before = Annotated[
    str | None,
    typer.Option(
        help="Only what is from before this time, such as 2026-01-31.", show_default=False
    ),
]


def erase(  # noqa: PLR0913  # the options of the command line
    *,
    user: User = None,
    tenant: Tenant = None,
    session: _Session = None,
    before: _Before = None,
    whole_tenant: Annotated[
        bool, typer.Option("--whole-tenant", help="All users of the tenant; its own keys stay.")
    ] = False,
    verify: Annotated[
        Path | None,
        typer.Option(help="Erase nothing: check the receipt in this file.", show_default=False),
    ] = None,
    forget_store: Annotated[
        str | None,
        typer.Option(
            help="Erase nothing: say that a vector store such as chroma/recollect_memory, which is "
            "no longer set, was deleted; no erasure waits for it any more.",
            show_default=False,
        ),
    ] = None,
    forget_archive: Annotated[
        str | None,
        typer.Option(
            help="Erase nothing: say that an archive such as folder:/srv/archive was deleted, or "
            "moved to the one that is set (MEMORY_ARCHIVE); no erasure waits for it any more.",
            show_default=False,
        ),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase everything of a user in every place, for good, and print the signed receipt.

    What a server or worker that runs meanwhile has begun goes on, and so does what this command has
    begun when it is interrupted. The exit code is 1 where nothing at all was stored of them.
    """
    if verify is not None or forget_store is not None or forget_archive is not None:
        _erase_nothing(verify, forget_store, forget_archive, as_json=as_json)
        return
    if whole_tenant and (user, session, before) != (None, None, None):
        raise InvalidInput("--whole-tenant", "goes with no --user, --session or --before")
    settings, time = load_settings(), parse_moment(before, "--before")
    scope: Scope | TenantScope = owner_scope(settings, user, tenant)
    if whole_tenant:
        scope = TenantScope(tenant=tenant or settings.tenant, actor="cli")
    what, place = _what(scope, session, time), memory_place(settings)
    if not yes:
        question = f"Erase everything {what} in {place}? It cannot be brought back"
        confirm(question, refused="nothing was erased", as_json=as_json)

    async def work(services: "Services", _: Settings) -> JsonObject:
        begun = await _begin(services, scope, session, time)
        with _bar() as bar:
            task = bar.add_task("erasing", total=begun.expected or None)
            receipt = await services.erasing.complete(
                begun,
                progress=lambda one: bar.update(
                    task, completed=one.erased_messages, total=one.expected or None
                ),
            )
        return with_names(receipt, scope)

    receipt = with_services(work)
    typer.echo(to_json(receipt))
    if not _has_erased(receipt):
        nothing = f"nothing {what} was stored in {place}: nothing was erased"
        if time is None:
            fail(nothing, as_json=as_json)
        typer.echo(nothing, err=True)
    elif not as_json:
        typer.echo(f"everything {what} is erased; keep the receipt above", err=True)


async def _begin(
    services: "Services", scope: Scope | TenantScope, session: str | None, before: datetime | None
) -> Erasure:
    if isinstance(scope, TenantScope):
        return await services.erasing.begin_tenant(scope)
    session_id = None if session is None else session_id_from(session, scope.owner_id)
    try:
        return await services.erasing.begin(scope, session_id=session_id, before=before)
    except SessionNotFound:
        # By the name that was given: an id may be derived from it.
        missing = f"names no session of {owner_name(scope)}: '{session}'"
        raise InvalidInput("--session", missing) from None


def _what(scope: Scope | TenantScope, session: str | None, before: datetime | None) -> str:
    """What is erased, to follow 'everything' or 'nothing'."""
    if isinstance(scope, TenantScope):
        return f"of all users of the tenant '{scope.tenant}'"
    whose = f"of {owner_name(scope)}"
    if session is not None:
        return f"of the session {session} {whose}"
    if before is not None:
        return f"from before {before:%Y-%m-%d %H:%M:%S %Z} {whose}"
    return whose


def _has_erased(receipt: JsonObject) -> bool:
    erased = receipt["erased"]
    assert isinstance(erased, dict)  # noqa: S101  # as every receipt has it
    return any(isinstance(counts, dict) and any(counts.values()) for counts in erased.values())


def _bar() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("messages"),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # else it ends with an empty line
    )


def _erase_nothing(
    verify: Path | None, store: str | None, archive: str | None, *, as_json: bool
) -> None:
    """Do what the first of these options says."""
    if verify is not None:
        _verify(verify, as_json=as_json)
    elif store is not None:
        _forget_store(store, as_json=as_json)
    elif archive is not None:
        _forget_archive(archive, as_json=as_json)


def _forget_store(store: str, *, as_json: bool) -> None:
    if store == load_settings().outside_store:
        raise InvalidInput("--forget-store", "must not be the store that is set: it is emptied")
    count = with_services(lambda services, _: services.erasing.forget_store(store))
    show({"forgotten": count}, as_json=as_json, text=f"{count} vectors of {store} are forgotten")


def _forget_archive(given: str, *, as_json: bool) -> None:
    address = noted_address(given)

    async def work(services: "Services", _: Settings) -> int:
        if address == services.erasing.archive:
            raise InvalidInput("--forget-archive", "must not be the one that is set: it is emptied")
        return await services.erasing.forget_archive(address)

    count = with_services(work)
    text = f"{address} is forgotten for {count} users"
    show({"forgotten": count}, as_json=as_json, text=text)


def _verify(path: Path, *, as_json: bool) -> None:
    """Check a receipt's signature; the exit code is 1 if it is not as it was signed."""
    given = _read(path)
    receipt = with_services(lambda services, _: services.erasing.check(given))
    show(
        {"valid": True, "erasure_id": receipt["erasure_id"], "what": receipt["what"]},
        as_json=as_json,
        text=f"the receipt is valid: erasure {receipt['erasure_id']} ({receipt['what']}), finished "
        f"{receipt['finished_at']}",
    )


def _read(path: Path) -> object:
    try:
        with path.open("rb") as file:
            read: object = json.loads(file.read(_LARGEST_RECEIPT))
    except OSError as error:
        raise InvalidInput("receipt", f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise InvalidReceipt("is not a receipt of an erasure: it is no JSON") from None
    # What GET /api/v1/privacy/erase/{id} answers has the receipt in it.
    inside = read.get("receipt") if isinstance(read, dict) else None
    return read if inside is None else inside
