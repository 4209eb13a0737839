"""`recollect export` and `recollect import`: everything of a user in a file."""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, BinaryIO, Final

import typer
from rich.console import Console

from recollect.domain.identity.scope import Scope
from recollect.domain.transfer.document import Counts, ExportFormat, Outcome, Part, TransferReport
from recollect.errors import InvalidInput
from recollect.inputs import opened_document
from recollect.interfaces.cli.output import (
    AsJson,
    Tenant,
    User,
    fields_of,
    memory_place,
    owner_scope,
    show,
    with_services,
)
from recollect.services.services import Services
from recollect.settings import Settings

_STANDARD: Final = "-"
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
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write everything that is stored of a user; the file is there once it is complete.

    Of a user of whom nothing is stored, nothing is written, and the exit code is 1.
    """
    if file != _STANDARD and not force and Path(file).exists():
        raise InvalidInput("file", f"'{file}' is there already: --force replaces it")
    chosen = form or (ExportFormat.ZIP if file.lower().endswith(".zip") else ExportFormat.JSON)
    written: dict[Part, int] = {}

    async def work(services: Services, settings: Settings) -> None:
        scope = owner_scope(settings, user, tenant)
        with Console(stderr=True).status("exporting …") as status, _target(file) as target:

            def tell(counts: Counts) -> None:
                written.update(counts)
                status.update(f"{_told(counts)} exported …")

            pieces = services.owner_export.pieces(scope, chosen, progress=tell)
            await _write(pieces, target, written)
            if not _has_memory(written):
                raise InvalidInput("user", _absence(scope, settings))

    with_services(work)
    if file != _STANDARD:
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

    async def work(services: Services, settings: Settings) -> TransferReport:
        scope = owner_scope(settings, user, tenant)
        source = nullcontext(sys.stdin.buffer) if file == _STANDARD else opened_document(file)
        with source as document, Console(stderr=True).status("importing …") as status:
            return await services.owner_import.take_in(
                scope,
                document,
                progress=lambda report: status.update(f"{taken_in(report)} …"),
            )

    report = with_services(work)
    show(report_fields(report), as_json=as_json, text=taken_in(report))


async def _write(pieces: AsyncIterator[bytes], target: BinaryIO, written: Counts) -> None:
    """Write the pieces from the first time that they have something of the user."""
    held: list[bytes] = []
    async for piece in pieces:
        held.append(piece)
        if _has_memory(written):
            target.writelines(held)
            held.clear()


def _has_memory(written: Counts) -> bool:
    """Whether there is anything but the audit log, which has this very export."""
    return any(number for part, number in written.items() if part is not Part.AUDIT)


def _absence(scope: Scope, settings: Settings) -> str:
    return (
        f"'{scope.user}' of the tenant '{scope.tenant}' has nothing stored in "
        f"{memory_place(settings)}: nothing was written"
    )


@contextmanager
def _target(file: str) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete, and that nobody else may read."""
    if file == _STANDARD:
        yield sys.stdout.buffer
        return
    path = Path(file)
    try:
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as target:
            try:
                yield target  # type: ignore[misc]  # a wrapper of the file
                target.flush()
                os.fsync(target.fileno())
                Path(target.name).replace(path)
            except BaseException:
                with suppress(OSError):
                    Path(target.name).unlink()
                raise
    except OSError as error:
        raise InvalidInput("file", f"'{file}' cannot be written: {error.strerror}") from None


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
