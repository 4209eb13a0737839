"""`recollect recall`: what was said before."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from recollect.domain.context.rendering.values import recalled_object
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallFilter
from recollect.domain.recall.recalled import DEFAULT_RECALLED, MAX_RECALLED, Recollection
from recollect.errors import InvalidInput
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, Tenant, User, show, show_table
from recollect.memory import Memory
from recollect.settings import Settings

_COLUMNS = ("score", "created_at", "session_id", "text")


def recall(  # noqa: PLR0913  # the options of the command line
    query: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    k: Annotated[
        int, typer.Option("--k", min=1, max=MAX_RECALLED, help="How many at most.")
    ] = DEFAULT_RECALLED,
    session: Annotated[
        str | None, typer.Option(help="Look in this session alone.", show_default=False)
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Said at this time or later, as 2026-05-01 or with hours.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Said before this time.")] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="The answer draws on this table; may be repeated.")
    ] = None,
    database: Annotated[
        list[str] | None, typer.Option(help="It draws on no other database; may be repeated.")
    ] = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Find what a user said or was told before, by words and by meaning."""
    filters = RecallFilter(
        session_id=None if session is None else parse_uuid(session, "session"),
        since=_moment(since, "--since"),
        until=_moment(until, "--until"),
        tables=frozenset(table) if table else None,
        databases=frozenset(database) if database else None,
    )

    async def work(memory: Memory, settings: Settings) -> Recollection:
        scope = Scope(
            tenant=tenant or settings.tenant, user=user or settings.local_user, actor="cli"
        )
        return await memory.services.recall.search(scope, query, k=k, filters=filters)

    _show(with_memory(work), as_json=as_json)


def _show(found: Recollection, *, as_json: bool) -> None:
    items = [recalled_object(item) for item in found.items]
    if as_json:
        show({"items": items, "warnings": found.warnings}, as_json=True, text="")
        return
    for warning in found.warnings:
        typer.echo(f"recollect: {warning}", err=True)
    rows = (
        {**row, "score": f"{item.score:.2f}", "created_at": item.created_at}
        for row, item in zip(items, found.items, strict=True)
    )
    show_table(rows, _COLUMNS, as_json=False, empty="nothing of the kind was said")


def _moment(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(option, "must be a time such as 2026-05-01T12:00:00Z") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
