"""`recollect serve`: the HTTP server."""

from pathlib import Path
from typing import Annotated

import typer

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
