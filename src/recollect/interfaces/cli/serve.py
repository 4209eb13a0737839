"""`recollect serve`: the HTTP server."""

from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
import uvicorn
import uvloop

from recollect.interfaces.cli.output import AsJson
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import LogFormat, Settings, load_settings
from recollect.telemetry.logging import configure_logging


def serve(
    host: Annotated[str | None, typer.Option(help="Address; default: MEMORY_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: MEMORY_PORT.")] = None,
    home: Annotated[Path | None, typer.Option(help="Data folder; default: MEMORY_HOME.")] = None,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Serve memory over HTTP, with everything it needs, until interrupted."""
    chosen = {"host": host, "port": port, "home": home}
    settings = load_settings(**{name: value for name, value in chosen.items() if value is not None})
    settings.check_address()
    wants_json = True if as_json or settings.log_format is LogFormat.JSON else None
    configure_logging(
        level=settings.log_level,
        as_json=False if settings.log_format is LogFormat.TEXT else wants_json,
    )
    uvloop.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    async with Memory.open(settings) as memory:
        config = uvicorn.Config(
            create_app(memory, settings),
            host=settings.host,
            port=settings.port,
            http="httptools",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        await _Server(config).serve()


class _Server(uvicorn.Server):
    """A server that lets the memory close behind it."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  # uvicorn's signature
        """Stop serving; uvicorn would raise the signal again and end the process there and then."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]  # only handed on
        """Listen, and say so."""
        await super().startup(sockets)  # type: ignore[arg-type]  # as above
        if self.started:
            for server in self.servers:
                for socket in server.sockets:
                    host, port = socket.getsockname()[:2]
                    shown = f"[{host}]" if ":" in host else host
                    typer.echo(f"Recollect listens on http://{shown}:{port}", err=True)
