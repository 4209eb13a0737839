"""`recollect migrate`: the database's schema."""

import asyncio
from typing import Annotated

import typer

from recollect.engines.postgres.migrations import downgrade as run_downgrade
from recollect.engines.postgres.migrations import migrate as run_upgrade
from recollect.interfaces.cli.database import administered
from recollect.interfaces.cli.output import AsJson, fail, show
from recollect.settings import load_settings


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
