"""`recollect export` and `recollect import`: everything of a user in a file."""

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, nullcontext
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final

import typer
from rich.console import Console

from recollect.domain.transfer.document import Counts, ExportFormat, Outcome, Part, TransferReport
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

_SHOWN: Final = (Part.SESSIONS, Part.MESSAGES, Part.FACTS)


def export_owner(
    file: Annotated[str, typer.Argument(help="Where to; - is the standard output.")],
    user: User = None,
    tenant: Tenant = None,
    form: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format",
            help="One JSON document, or a ZIP of JSON Lines; default: by the file's name, or json.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write everything that is stored of a user; the file is there once it is complete.

    Of a user of whom nothing is stored, nothing is written, and the exit code is 1.
    """
    check_is_new(file, force=force)
    chosen = form or (ExportFormat.ZIP if file.lower().endswith(".zip") else ExportFormat.JSON)
    written: dict[Part, int] = {}

    async def work(services: "Services", settings: Settings) -> None:
        scope = owner_scope(settings, user, tenant)
        with Console(stderr=True).status("exporting …") as status, target(file) as written_to:

            def tell(counts: Counts) -> None:
                written.update(counts)
                status.update(f"{_told(counts)} exported …")

            pieces = services.owner_export.pieces(scope, chosen, progress=tell)
            await _write(pieces, written_to, written)
            if not _has_memory(written):
                raise nothing_stored(scope, settings, "nothing")

    with_services(work)
    if file != STANDARD:
        counts = {str(part): number for part, number in written.items()}
        show({"exported": counts}, as_json=as_json, text=f"{_told(written)} are in {file}")


def import_owner(
    file: Annotated[str, typer.Argument(help="What 'export' wrote; - is the standard input.")],
    user: User = None,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Store what an export has, for a user of any name; it can be repeated.

    What is there already stays as it is.
    """

    async def work(services: "Services", settings: Settings) -> TransferReport:
        from recollect.inputs import opened_document  # noqa: PLC0415  # as `Memory` does

        scope = owner_scope(settings, user, tenant)
        source = nullcontext(sys.stdin.buffer) if file == STANDARD else opened_document(file)
        with source as document, Console(stderr=True).status("importing …") as status:
            return await services.owner_import.take_in(
                scope,
                document,
                progress=lambda report: status.update(f"{taken_in(report)} …"),
            )

    report = with_services(work, starts_memory=True)
    show(report_fields(report), as_json=as_json, text=taken_in(report))


async def _write(
    pieces: AsyncGenerator[bytes, None], written_to: BinaryIO, written: Counts
) -> None:
    """Write the pieces from the first time that they have something of the user."""
    held: list[bytes] = []
    # Closed here: an export that nobody reads on is recorded before the memory is closed.
    async with aclosing(pieces):
        async for piece in pieces:
            held.append(piece)
            if _has_memory(written):
                written_to.writelines(held)
                held.clear()


def _has_memory(written: Counts) -> bool:
    """Whether there is anything but the audit log, which has this very export."""
    return any(number for part, number in written.items() if part is not Part.AUDIT)


def _told(counts: Counts) -> str:
    return ", ".join(f"{counts.get(part, 0):,} {part}" for part in _SHOWN)


def taken_in(report: TransferReport) -> str:
    """Say what became of everything that was to be stored."""
    parts = {part: getattr(report, part) for part in _SHOWN}
    outcome: Outcome = sum(parts.values(), start=report.profile + report.state)
    added = ", ".join(f"{one.added:,} {part}" for part, one in parts.items())
    text = f"{added} are added"
    for number, problem in (
        (outcome.known, "were there already"),
        (outcome.conflicting, "conflict with what is there"),
        (report.expired, "sessions have expired"),
        (report.withheld, "messages are withheld in the export"),
    ):
        if number:
            text += f", {number:,} {problem}"
    return text


def report_fields(report: TransferReport) -> dict[str, object]:
    """The same by name."""
    return {
        name: fields_of(value) if isinstance(value, Outcome) else value
        for name, value in fields_of(report).items()
    }
