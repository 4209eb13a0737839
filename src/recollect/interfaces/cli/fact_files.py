"""`recollect facts export` and `recollect facts import`: facts in a file."""

import json
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from recollect.domain.facts.transfer import ImportReport
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from recollect.interfaces.cli.files import STANDARD, check_is_new, target
from recollect.interfaces.cli.output import (
    AsJson,
    Force,
    Tenant,
    User,
    fields_of,
    nothing_stored,
    owner_scope,
    show,
    with_services,
)
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.services.services import Services


def export_facts(
    file: Annotated[str, typer.Argument(help="Where to; - is the standard output.")] = STANDARD,
    user: User = None,
    tenant: Tenant = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write all facts about a user, of any status, with their history, as JSON.

    Of a user without any, nothing is written, and the exit code is 1.
    """
    check_is_new(file, force=force)

    async def work(services: "Services", settings: Settings) -> int:
        scope, count = owner_scope(settings, user, tenant), 0
        status = Console(stderr=True).status("exporting facts …")
        # Closed here: what is read of it is recorded before the memory is closed.
        items = aclosing(services.fact_transfer.export(scope))
        with target(file) as written_to, status:
            async with items as facts:
                async for item in facts:
                    before = ",\n" if count else '{"facts": [\n'
                    written_to.write(f"{before}{json.dumps(item, ensure_ascii=False)}".encode())
                    count += 1
                    status.update(f"{count} facts exported …")
            if not count:
                raise nothing_stored(scope, settings, "no facts")
            written_to.write(b"\n]}\n")
        return count

    count = with_services(work)
    if file != STANDARD:
        show({"exported": count}, as_json=as_json, text=f"{count} facts are in {file}")


def import_facts(
    file: Annotated[
        str, typer.Argument(help="What 'export' wrote; - is the standard input.")
    ] = STANDARD,
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Store the facts of an export that are not there yet; it can be repeated."""
    items = _read(file)

    async def work(services: "Services", settings: Settings) -> ImportReport:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bars:
            task = bars.add_task("importing", total=len(items))
            return await services.fact_transfer.take_in(
                owner_scope(settings, user, tenant),
                items,
                progress=lambda done: bars.update(task, completed=done),
            )

    report = with_services(work, starts_memory=True)
    text = f"{report.added} facts are added, {report.skipped} were there already"
    if report.conflicting:
        text += f", {report.conflicting} conflict with one that is there"
    show(fields_of(report), as_json=as_json, text=text)


def _read(file: str) -> Sequence[JsonValue]:
    try:
        text = sys.stdin.read() if file == STANDARD else Path(file).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise InvalidInput("file", f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidInput("file", "must be JSON in UTF-8") from None
    facts = document.get("facts") if isinstance(document, dict) else document
    if not isinstance(facts, list):
        raise InvalidInput("file", 'must have a list of facts: {"facts": […]}')
    return facts
