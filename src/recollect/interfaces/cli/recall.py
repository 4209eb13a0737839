"""`recollect recall`, `recollect rewrite` and `recollect reindex`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recollect.domain.context.rendering import recalled_object
from recollect.domain.conversation.session import parse_uuid
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.recall.entry import DEFAULT_RECALLED, MAX_RECALLED, RecallFilter
from recollect.errors import ConfigurationError, InvalidInput
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    fields_of,
    for_owner,
    parse_moment,
    show,
    show_table,
    with_services,
    without_memory,
)

if TYPE_CHECKING:
    from recollect.services.services import Services

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
        since=parse_moment(since, "--since"),
        until=parse_moment(until, "--until"),
        tables=frozenset(table) if table else None,
        databases=frozenset(database) if database else None,
    )
    results = for_owner(
        user,
        tenant,
        lambda services, scope: services.recall.search(scope, query, k=k, filters=filters),
    )
    items = [recalled_object(item) for item in results.items]
    if as_json:
        show({"items": items, "warnings": results.warnings}, as_json=True, text="")
        return
    for warning in results.warnings:
        typer.echo(f"recollect: {warning}", err=True)
    rows = (
        {**row, "score": f"{item.score:.2f}", "created_at": item.created_at}
        for row, item in zip(items, results.items, strict=True)
    )
    show_table(rows, _COLUMNS, as_json=False, empty="nothing of the kind was said")


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
    as_json: AsJson = False,
) -> None:
    """Say a follow-up so that it can be understood without its history."""
    if (session is None) == (history is None):
        raise InvalidInput("--session", "or --history must be given, and not both")
    messages = _read(history) if history else []

    if session is None:
        rewritten = without_memory(
            lambda services: services.rewriting.after(messages, question, language=language)
        )
    else:
        session_id = parse_uuid(session, "session")
        rewritten = for_owner(
            user,
            tenant,
            lambda services, scope: services.rewriting.in_session(
                scope, session_id, question, language=language
            ),
        )
    show(fields_of(rewritten), as_json=as_json, text=rewritten.standalone_question)


def _read(path: Path) -> list[HistoryMessage]:
    from recollect.inputs import history_message  # noqa: PLC0415  # as `Memory.rewrite` does

    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return [
            history_message(item["role"], str(item["content"]), item.get("sql_query"))
            for item in items
        ]
    except (OSError, ValueError, TypeError, LookupError, AttributeError, InvalidInput) as error:
        raise InvalidInput("--history", f"cannot be read as a list of messages: {error}") from None


def reindex(
    per_second: Annotated[
        float | None,
        typer.Option(min=0.1, help="The most entries to embed in a second.", show_default=False),
    ] = None,
    reconcile: Annotated[
        bool,
        typer.Option(
            "--reconcile",
            help="First compare a store of vectors outside with the database, and set right what "
            "differs.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Index what is not indexed yet, and embed what another model has embedded.

    It can be stopped at any time and goes on where it was; searches are served meanwhile.
    """
    counts = with_services(lambda services, _: _reindex(services, per_second, compare=reconcile))
    texts = (f"{count} {' '.join(reversed(what.split('_')))}" for what, count in counts.items())
    show(counts, as_json=as_json, text=", ".join(texts))


async def _reindex(
    services: "Services", per_second: float | None, *, compare: bool
) -> dict[str, int]:
    from recollect.services.background import repeat  # noqa: PLC0415  # loaded with the services

    indexing, reindexing = services.indexing, services.reindexing
    if indexing is None:
        raise ConfigurationError("nothing is indexed here: MEMORY_RECALL is off")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    counts: dict[str, int] = {}
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:

        def bar(name: str, total: int | None) -> Callable[..., None]:
            task = bars.add_task(name, total=total)
            return lambda done, of=total: bars.update(task, completed=done, total=of)

        if services.removals is not None:
            progress = bar("removing", await services.removals.waiting())
            counts["removed_vectors"] = await services.removals.do_all(progress=progress)
        if compare:
            counts |= await _reconcile(services, bar("comparing", None))
        progress = bar("indexing", await indexing.store.depth())
        counts["indexed_turns"] = await repeat(indexing.do_some, progress)
        counts["embedded_entries"] = 0
        if reindexing is not None:
            progress = bar("embedding", await reindexing.waiting())
            counts["embedded_entries"] = await reindexing.at_most(per_second).do_all(
                progress=progress
            )
    if services.vector_store_check is not None:
        await services.vector_store_check.forget_other_models()
    return counts


async def _reconcile(services: "Services", progress: Callable[[int, int], None]) -> dict[str, int]:
    if services.vector_store_check is None:
        raise ConfigurationError(
            "there is nothing to compare: no store outside keeps vectors (MEMORY_VECTOR_STORE), "
            "or no model embeds (MEMORY_EMBEDDING_MODEL)"
        )
    differences = await services.vector_store_check.do_all(progress=progress)
    return {"missing_vectors": differences.missing, "surplus_vectors": differences.surplus}
