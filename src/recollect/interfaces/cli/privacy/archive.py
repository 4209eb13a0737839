"""`recollect archive`: expired sessions that were archived before they were deleted."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.console import Console

from recollect.domain.identity.scope import Scope
from recollect.errors import ArchivedSessionBroken, ConfigurationError
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    fields_of,
    owner_scope,
    show,
    show_table,
    with_services,
)
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.services.privacy.archive_access import ArchiveAccess, Restored, Verified
    from recollect.services.services import Services

app = typer.Typer(
    help="List, verify and restore archived sessions (MEMORY_ARCHIVE).", no_args_is_help=True
)
SessionOption = Annotated[
    UUID | None, typer.Option("--session", help="One session alone.", show_default=False)
]
Everybody = Annotated[bool, typer.Option("--all", help="Those of all users, by pseudonym.")]


@app.command("list")
def list_archived(
    user: User = None,
    tenant: Tenant = None,
    session: SessionOption = None,
    everybody: Everybody = False,
    as_json: AsJson = False,
) -> None:
    """List the archived sessions of a user, or of all."""

    async def work(services: "Services", settings: Settings) -> list[dict[str, object]]:
        scope = None if everybody else owner_scope(settings, user, tenant)
        items = _archive_of(services).list(scope, session_id=session)
        return [fields_of(item) async for item in items]

    columns = ("owner_id", "session_id", "created_at", "archived_at", "size")
    shown = columns if everybody else columns[1:]
    show_table(with_services(work), shown, empty="nothing is archived", as_json=as_json)


@app.command()
def restore(
    user: User = None,
    tenant: Tenant = None,
    session: SessionOption = None,
    as_json: AsJson = False,
) -> None:
    """Bring back the archived sessions of a user, or one; it can be repeated.

    They end as if they were used now, and stay in the archive. Exit code 1 if an object is broken.
    """

    async def work(services: "Services", settings: Settings) -> "Restored":
        with Console(stderr=True).status("restoring …") as status:
            return await _archive_of(services).restore(
                owner_scope(settings, user, tenant),
                session_id=session,
                progress=lambda restored: status.update(f"{_restored_text(restored)} …"),
            )

    restored = with_services(work, starts_memory=True)
    answer = {
        "sessions": fields_of(restored.sessions),
        "messages": fields_of(restored.messages),
        "older": restored.older,
        "broken": _problems(restored.broken),
    }
    _show_with_broken(answer, _restored_text(restored), restored.broken, as_json=as_json)


@app.command()
def verify(
    user: Annotated[
        str | None, typer.Option(help="One user's alone; default: everybody's.", show_default=False)
    ] = None,
    tenant: Tenant = None,
    session: SessionOption = None,
    as_json: AsJson = False,
) -> None:
    """Read every object and check it; exit code 1 if one is broken, and which."""

    async def work(services: "Services", settings: Settings) -> "Verified":
        scope = _chosen_owner(settings, user, tenant, session)
        with Console(stderr=True).status("verifying …") as status:
            return await _archive_of(services).verify(
                scope,
                session_id=session,
                progress=lambda so_far: status.update(f"{so_far.objects:,} objects read …"),
            )

    verified = with_services(work)
    answer = {
        "objects": verified.objects,
        "messages": verified.messages,
        "broken": _problems(verified.broken),
    }
    text = (
        f"{verified.objects:,} objects with {verified.messages:,} messages were read, "
        f"{len(verified.broken):,} are broken"
    )
    _show_with_broken(answer, text, verified.broken, as_json=as_json)


def _archive_of(services: "Services") -> "ArchiveAccess":
    if services.archive is None:
        raise ConfigurationError("there is no archive: set MEMORY_ARCHIVE")
    return services.archive


def _chosen_owner(
    settings: Settings, user: str | None, tenant: str | None, session: UUID | None
) -> Scope | None:
    """The owner that an option points to; None for everybody."""
    if user is None and tenant is None and session is None:
        return None
    return owner_scope(settings, user, tenant)


def _restored_text(restored: "Restored") -> str:
    text = (
        f"{restored.sessions.added:,} sessions, {restored.messages.added:,} messages are restored"
    )
    for number, problem in (
        (restored.sessions.known, "sessions were there already"),
        (restored.messages.conflicting, "messages conflict with what is there"),
        (restored.older, "earlier sessions of the same ids stay in the archive"),
        (len(restored.broken), "objects are broken"),
    ):
        if number:
            text += f", {number:,} {problem}"
    return text


def _problems(broken: list[ArchivedSessionBroken]) -> list[dict[str, str]]:
    return [{"name": error.name, "problem": error.problem} for error in broken]


def _show_with_broken(
    answer: dict[str, object], text: str, broken: list[ArchivedSessionBroken], *, as_json: bool
) -> None:
    show(answer, as_json=as_json, text="\n".join([text, *map(str, broken)]))
    if broken:
        raise typer.Exit(1)
