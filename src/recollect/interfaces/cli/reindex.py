"""`recollect reindex`: bring what is indexed to the model in use, now."""

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recollect.errors import ConfigurationError
from recollect.interfaces.cli.database import with_memory
from recollect.interfaces.cli.output import AsJson, show
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals
from recollect.services.services import Services


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
