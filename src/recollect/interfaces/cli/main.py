"""The `recollect` command."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from recollect.errors import DatabaseUnavailable, RecollectError
from recollect.extras import named_extra
from recollect.interfaces.cli import accounts, chat, recall, running, sessions
from recollect.interfaces.cli.doctor import doctor
from recollect.interfaces.cli.output import fail

app = typer.Typer(
    name="recollect",
    help="A memory server for conversational AI. Settings: MEMORY_* environment variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(running.serve)
app.command()(chat.chat)
app.command()(running.migrate)
app.add_typer(accounts.app, name="keys")
app.add_typer(sessions.app, name="sessions")
app.command()(recall.rewrite)
app.command()(recall.recall)
app.command()(accounts.audit)
app.command()(recall.reindex)
app.command()(running.worker)
app.command()(running.cleanup)
app.command()(doctor.doctor)


def _tell_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it so
    if wanted:
        typer.echo(f"recollect {version('recollect')}")
        raise typer.Exit


@app.callback()
def recollect(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """A memory server for conversational AI. Settings: MEMORY_* environment variables."""


def main() -> None:
    """Run a command; what went wrong is said in one line, without a traceback."""
    try:
        with named_extra(f"'recollect {' '.join(sys.argv[1:2])}'"):
            app()
    except RecollectError as error:
        # What is special about the embedded server or the schema comes with its own advice.
        is_away = type(error) is DatabaseUnavailable
        advice = "; 'recollect doctor' says what to check" if is_away else ""
        problem = error.explanation if isinstance(error, DatabaseUnavailable) else str(error)
        fail(f"{problem}{advice}", as_json="--json" in sys.argv)
