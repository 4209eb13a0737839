"""`recollect worker` and `recollect cleanup`: what happens in the background, by hand."""

from typing import Annotated

import typer
from rich.console import Console

from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, show
from recollect.interfaces.processes import run_until_stopped
from recollect.interfaces.worker import work_alone
from recollect.settings import load_settings
from recollect.telemetry.logging import configure_logging


def worker() -> None:
    """Do the background work of all servers on this database, until interrupted or told to stop."""
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
