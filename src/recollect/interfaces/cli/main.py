"""The `recollect` command."""

import sys

import typer

from recollect.errors import RecollectError
from recollect.interfaces.cli import (
    audit,
    chat,
    doctor,
    keys,
    migrate,
    recall,
    reindex,
    rewrite,
    serve,
    sessions,
    worker,
)
from recollect.interfaces.cli.output import fail

app = typer.Typer(
    name="recollect",
    help="A memory server for conversational AI. Settings: MEMORY_* environment variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(serve.serve)
app.command()(chat.chat)
app.command()(migrate.migrate)
app.add_typer(keys.app, name="keys")
app.add_typer(sessions.app, name="sessions")
app.command()(rewrite.rewrite)
app.command()(recall.recall)
app.command()(audit.audit)
app.command()(reindex.reindex)
app.command()(worker.worker)
app.command()(worker.cleanup)
app.command()(doctor.doctor)


def main() -> None:
    """Run a command; what went wrong is said in one line, without a traceback."""
    try:
        app()
    except RecollectError as error:
        fail(str(error), as_json="--json" in sys.argv)
