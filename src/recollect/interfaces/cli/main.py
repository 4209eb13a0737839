"""The `recollect` command: its parts, and `serve`, `worker`, `cleanup`, `migrate`, `doctor`."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer
from rich.console import Console

from recollect.errors import DatabaseUnavailable, RecollectError
from recollect.extras import named_extra
from recollect.interfaces.cli import (
    accounts,
    chatting,
    dynamodb,
    fact_files,
    facts,
    profile,
    recall,
    sessions,
    tenants,
    top,
    users,
)
from recollect.interfaces.cli.output import (
    AsJson,
    administered,
    confirm,
    fail,
    fields_of,
    given_options,
    memory_place,
    show,
    show_table,
    with_services,
)
from recollect.interfaces.cli.privacy import (
    archive,
    audit,
    copying,
    encryption,
    erase,
    transfer,
)
from recollect.settings import load_settings
from recollect.telemetry.logging import configure_logging

if TYPE_CHECKING:
    from recollect.services.services import Services

# What typer raises of all misuse: Click's, which newer versions of typer have inside.
_COMMAND_ERROR: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])

app = typer.Typer(
    name="recollect",
    help="A memory server for conversational AI. Settings: MEMORY_* environment variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def serve(
    host: Annotated[str | None, typer.Option(help="Address; default: MEMORY_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: MEMORY_PORT.")] = None,
    home: Annotated[Path | None, typer.Option(help="Data folder; default: MEMORY_HOME.")] = None,
    processes: Annotated[
        int | None, typer.Option(help="Processes that answer; default: MEMORY_PROCESSES.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Log in JSON.")] = False,
) -> None:
    """Serve memory over HTTP, with everything it needs, until interrupted."""
    # The web framework takes 0.4 s to load, which no other command needs.
    from recollect.interfaces.http.serving.server import run_server  # noqa: PLC0415

    settings = load_settings(
        **given_options(
            host=host,
            port=port,
            home=home,
            processes=processes,
            log_format="json" if as_json else None,
        )
    )
    settings.check_address()
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_server(settings)


def worker() -> None:
    """Do the background work of all servers on this database, until interrupted or told to stop."""
    # The event loop is the server's, and an extra.
    from recollect.interfaces.http.serving.metrics_server import metrics_listener  # noqa: PLC0415
    from recollect.interfaces.processes import run_until_stopped  # noqa: PLC0415
    from recollect.interfaces.worker import work_alone  # noqa: PLC0415

    settings = load_settings()
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_until_stopped(work_alone(settings, scraped=metrics_listener(settings)))


def cleanup(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete expired sessions and old audit entries, and prune facts that have faded.

    With MEMORY_ARCHIVE, sessions are archived first, and what the archive has kept for long enough
    is deleted from it.
    """
    if dry_run:
        ended = with_services(_count_ended)
        text = (
            f"{ended['expired']} sessions have expired, {ended['faded_facts']} facts have faded, "
            f"{ended['old_audit_entries']} audit entries are too old"
        )
        if "outdated_archived" in ended:
            text += f", {ended['outdated_archived']} archived sessions are outdated"
        show(ended, as_json=as_json, text=text)
        return
    with Console(stderr=True).status("deleting expired sessions …") as status:
        done = with_services(
            lambda services, _: _clean_up(
                services, lambda count: status.update(f"{count} expired sessions deleted …")
            )
        )
    text = (
        f"{done['deleted']} expired sessions deleted, {done['pruned_facts']} faded facts pruned, "
        f"{done['deleted_audit_entries']} old audit entries deleted"
    )
    if "pruned_archived" in done:
        text += f", {done['pruned_archived']} archived sessions deleted from the archive"
    show(done, as_json=as_json, text=text)


async def _clean_up(services: "Services", progress: Callable[[int], None]) -> dict[str, int]:
    pruned = await services.fact_pruning.prune()
    old = await services.audit_pruning.prune()
    done = {
        "deleted": await services.retention.clean_up(progress=progress),
        "pruned_facts": pruned,
        "deleted_audit_entries": old,
    }
    if services.retention.archive is not None:
        done["pruned_archived"] = await services.retention.prune_archive()
    return done


async def _count_ended(services: "Services", _: object) -> dict[str, int]:
    ended = {
        "expired": await services.retention.count(),
        "faded_facts": await services.fact_pruning.count(),
        "old_audit_entries": await services.audit_pruning.count(),
    }
    if services.retention.archive is not None:
        ended["outdated_archived"] = await services.retention.count_archived()
    return ended


def migrate(
    down_to: Annotated[
        str | None,
        typer.Option("--down-to", help="Go back to a revision, or to 'base': all data is lost."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before going back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the database to the schema of this version; the server does so by itself at start."""
    if down_to is not None and not yes:
        loss = (
            "All data of all users is lost" if down_to == "base" else "Data of later ones is lost"
        )
        question = f"Take {memory_place(load_settings())} back to revision '{down_to}'? {loss}"
        confirm(question, refused="nothing was changed", as_json=as_json)
    before, after = asyncio.run(_migrate(down_to))
    text = (
        f"the schema is at revision {after}"
        if before == after
        else f"the schema went from revision {before or 'none'} to {after or 'none'}"
    )
    show({"before": before, "after": after}, as_json=as_json, text=text)


async def _migrate(down_to: str | None) -> tuple[str | None, str | None]:
    from recollect.engines.postgres import migrations  # noqa: PLC0415

    async with administered(load_settings()) as dsn:
        if down_to is None:
            return await migrations.migrate(dsn)
        return await migrations.downgrade(dsn, target=down_to)


def doctor(as_json: AsJson = False) -> None:
    """Check all that the server needs; exit code 1 where something that is set does not answer."""
    # Loaded here: engines and models take half a second that no other command needs.
    from recollect.interfaces.cli.doctor import diagnose  # noqa: PLC0415
    from recollect.interfaces.cli.doctor.findings import Status  # noqa: PLC0415

    findings = [*diagnose()]
    columns = ("status", "check", "found", "advice")
    show_table(map(fields_of, findings), columns, as_json=as_json, empty="")
    if any(finding.status is Status.FAILED for finding in findings):
        raise typer.Exit(1)


def _show_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  # for this alone

        typer.echo(f"recollect {version('recollect')}")
        raise typer.Exit


app.command()(serve)
app.command()(chatting.chat)
app.command()(migrate)
app.add_typer(dynamodb.app, name="dynamodb")
app.add_typer(accounts.app, name="keys")
app.add_typer(users.app, name="users")
app.add_typer(sessions.app, name="sessions")
app.add_typer(profile.app, name="profile")
facts.app.command("export")(fact_files.export_facts)
facts.app.command("import")(fact_files.import_facts)
app.add_typer(facts.app, name="facts")
app.command("export")(transfer.export_owner)
app.command("import")(transfer.import_owner)
app.command()(copying.copy)
app.command("erase")(erase.erase)
app.add_typer(archive.app, name="archive")
app.add_typer(encryption.app, name="encryption")
app.command()(recall.rewrite)
app.command()(recall.recall)
app.add_typer(audit.app, name="audit")
app.add_typer(tenants.app, name="tenants")
app.command()(recall.reindex)
app.command()(worker)
app.command()(cleanup)
app.command()(doctor)
app.command()(top.top)


@app.callback()
def recollect(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """A memory server for conversational AI. Settings: MEMORY_* environment variables."""


def _run(*, as_json: bool) -> None:
    """Run the command of the command line; for programs, misuse of it is told in JSON, too."""
    if not as_json:
        app()
        return
    try:
        code = app(standalone_mode=False)
    except _COMMAND_ERROR as error:
        context = getattr(error, "ctx", None)
        advice = "" if context is None else f"; see '{context.command_path} --help'"
        fail(f"{error.format_message().rstrip('.')}{advice}", as_json=True, code=error.exit_code)
    except typer.Abort:
        fail("aborted", as_json=True)
    raise SystemExit(code if isinstance(code, int) else 0)


def main() -> None:
    """Run a command; an error is printed in one line, without a traceback."""
    try:
        with named_extra(f"'recollect {' '.join(sys.argv[1:2])}'"):
            _run(as_json="--json" in sys.argv)
    except RecollectError as error:
        # What is special about the embedded server or the schema comes with its own advice.
        is_away = type(error) is DatabaseUnavailable
        advice = "; 'recollect doctor' says what to check" if is_away else ""
        fail(f"{error.explanation}{advice}", as_json="--json" in sys.argv)
    except SystemExit as end:
        # Typer and rich end with 1 where nobody reads the output any more, as with '| head'.
        if isinstance(end.__context__, BrokenPipeError):
            _end_by_closed_pipe()
        raise


def _end_by_closed_pipe() -> None:
    """End as other Unix programs do, by the signal that Python ignores: with 141 in a shell."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.raise_signal(signal.SIGPIPE)
