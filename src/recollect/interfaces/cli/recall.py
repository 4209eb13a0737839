"""`recollect recall`, `recollect rewrite` and `recollect reindex`."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recollect.domain.context.rendering import recalled_object
from recollect.domain.conversation.message import parse_role
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import RecallFilter
from recollect.domain.recall.recalled import DEFAULT_RECALLED, MAX_RECALLED, Recollection
from recollect.errors import ConfigurationError, InvalidInput
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    facts_of,
    show,
    show_table,
    with_memory,
)
from recollect.memory import Memory
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals
from recollect.services.services import Services
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


def rewrite(
    question: Annotated[str, typer.Argument(help="The question as it was asked.")],
    session: Annotated[
        str | None, typer.Option(help="The session it was asked in.", show_default=False)
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(
            help='A JSON file of the messages before: [{"role", "content", "sql_query"?}, …].',
            show_default=False,
        ),
    ] = None,
    language: Annotated[str | None, typer.Option(help="en, nl, de, fr or es.")] = None,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Say a follow-up so that it can be understood without its history."""
    if (session is None) == (history is None):
        raise InvalidInput("--session", "or --history must be given, and not both")
    said = _read(history) if history else []

    async def work(memory: Memory, settings: Settings) -> Rewrite:
        rewriting = memory.services.rewriting
        if session is None:
            return await rewriting.after(said, question, language=language)
        scope = Scope(
            tenant=tenant or settings.tenant, user=user or settings.local_user, actor="cli"
        )
        identifier = parse_uuid(session, "session")
        return await rewriting.in_session(scope, identifier, question, language=language)

    found = with_memory(work)
    show(facts_of(found), as_json=as_json, text=found.standalone_question)


def _read(path: Path) -> list[Said]:
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return [
            Said(
                role=parse_role(item["role"]),
                content=str(item["content"]),
                sql_query=item.get("sql_query"),
            )
            for item in items
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput("--history", f"cannot be read as a list of messages: {error}") from None


def reindex(
    per_second: Annotated[
        float | None,
        typer.Option(min=0.1, help="The most entries to embed in a second.", show_default=False),
    ] = None,
    reconcile: Annotated[  # noqa: FBT002  # a flag of the command line
        bool,
        typer.Option(
            "--reconcile",
            help="First compare a store of vectors outside with the database, and set right what "
            "differs.",
        ),
    ] = False,
    as_json: AsJson = False,  # noqa: FBT002  # a flag of the command line
) -> None:
    """Index what is not indexed yet, and embed what another model has embedded.

    It can be stopped at any time and goes on where it was; searches are served meanwhile.
    """
    facts = with_memory(lambda memory, _: _reindex(memory.services, per_second, compare=reconcile))
    texts = (f"{count} {' '.join(reversed(what.split('_')))}" for what, count in facts.items())
    show(facts, as_json=as_json, text=", ".join(texts))


async def _reindex(
    services: Services, per_second: float | None, *, compare: bool
) -> dict[str, int]:
    indexing, reindexing = services.indexing, services.reindexing
    if indexing is None:
        raise ConfigurationError("nothing is indexed here: MEMORY_RECALL is off")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    facts: dict[str, int] = {}
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
        if services.removals is not None:
            facts["removed_vectors"] = await _remove(services.removals, bars)
        if compare:
            facts |= await _reconcile(services, bars)
        facts["indexed_turns"] = await _index(indexing, bars)
        facts["embedded_entries"] = (
            0 if reindexing is None else await _embed(reindexing, bars, per_second)
        )
    if services.reconciling is not None:
        await services.reconciling.forget_other_models()
    return facts


async def _remove(removals: Removals, bars: Progress) -> int:
    bar = bars.add_task("removing", total=await removals.waiting())
    return await removals.do_all(progress=lambda count: bars.update(bar, completed=count))


async def _reconcile(services: Services, bars: Progress) -> dict[str, int]:
    if services.reconciling is None:
        raise ConfigurationError(
            "there is nothing to compare: no store outside keeps vectors (MEMORY_VECTOR_STORE), "
            "or no model embeds (MEMORY_EMBEDDING_MODEL)"
        )
    bar = bars.add_task("comparing", total=None)
    found = await services.reconciling.do_all(
        progress=lambda done, of: bars.update(bar, completed=done, total=of)
    )
    return {"missing_vectors": found.missing, "surplus_vectors": found.surplus}


async def _index(indexing: Indexing, bars: Progress) -> int:
    bar = bars.add_task("indexing", total=await indexing.store.depth())
    count = 0
    while done := await indexing.do_some():
        count += done
        bars.update(bar, completed=count)
    return count


async def _embed(reindexing: Reindexing, bars: Progress, per_second: float | None) -> int:
    bar = bars.add_task("embedding", total=await reindexing.waiting())
    return await reindexing.at_most(per_second).do_all(
        progress=lambda count: bars.update(bar, completed=count)
    )
