"""`recollect serve`, `worker`, `cleanup` and `migrate`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from recollect.engines.postgres.connection.migrate import downgrade as run_downgrade
from recollect.engines.postgres.connection.migrate import migrate as run_upgrade
from recollect.interfaces.cli.output import AsJson, administered, fail, show, with_memory
from recollect.settings import load_settings
from recollect.telemetry.logging import configure_logging


def serve(
    host: Annotated[str | None, typer.Option(help="Address; default: MEMORY_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: MEMORY_PORT.")] = None,
    home: Annotated[Path | None, typer.Option(help="Data folder; default: MEMORY_HOME.")] = None,
    processes: Annotated[
        int | None, typer.Option(help="Processes that answer; default: MEMORY_PROCESSES.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Log in JSON.")] = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Serve memory over HTTP, with everything it needs, until interrupted."""
    # The web framework takes 0.4 s to load, which no other command needs.
    from recollect.interfaces.http.serving.server import run_server  # noqa: PLC0415

    chosen = {
        "host": host,
        "port": port,
        "home": home,
        "processes": processes,
        "log_format": "json" if as_json else None,
    }
    settings = load_settings(**{name: value for name, value in chosen.items() if value is not None})
    settings.check_address()
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_server(settings)


def worker() -> None:
    """Do the background work of all servers on this database, until interrupted or told to stop."""
    # The event loop is the server's, and an extra.
    from recollect.interfaces.processes import run_until_stopped  # noqa: PLC0415
    from recollect.interfaces.worker import work_alone  # noqa: PLC0415

    settings = load_settings()
    configure_logging(level=settings.log_level, as_json=settings.wants_json_logs)
    run_until_stopped(work_alone(settings))


def cleanup(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count them.")] = False,  # noqa: FBT002  # a flag of the command line
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Delete the sessions that have expired."""
    if dry_run:
        found = with_memory(lambda memory, _: memory.services.retention.count())
        show({"expired": found}, as_json=as_json, text=f"{found} sessions have expired")
        return
    with Console(stderr=True).status("deleting expired sessions …") as status:
        deleted = with_memory(
            lambda memory, _: memory.services.retention.clean_up(
                progress=lambda count: status.update(f"{count} expired sessions deleted …")
            )
        )
    show({"deleted": deleted}, as_json=as_json, text=f"{deleted} expired sessions deleted")


def migrate(
    down_to: Annotated[
        str | None,
        typer.Option("--down-to", help="Go back to a revision, or to 'base': all data is lost."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before going back.")] = False,  # noqa: FBT002  # a flag of the command line
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Bring the database to the schema of this version; the server does so by itself at start."""
    if (
        down_to is not None
        and not yes
        and not typer.confirm(
            f"Go back to '{down_to}'? What later revisions hold is deleted", err=True
        )
    ):
        fail("nothing was changed", as_json=as_json)
    before, after = asyncio.run(_migrate(down_to))
    text = (
        f"the schema is at revision {after}"
        if before == after
        else f"the schema went from revision {before or 'none'} to {after or 'none'}"
    )
    show({"before": before, "after": after}, as_json=as_json, text=text)


async def _migrate(down_to: str | None) -> tuple[str | None, str | None]:
    async with administered(load_settings()) as dsn:
        if down_to is None:
            return await run_upgrade(dsn)
        return await run_downgrade(dsn, target=down_to)
