"""Answers for people as tables and for programs as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Annotated, NoReturn
from uuid import UUID

import typer
from rich.console import Console
from rich.table import Table

AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Tenant = Annotated[
    str | None, typer.Option(help="The tenant; default: MEMORY_TENANT.", show_default=False)
]
User = Annotated[
    str | None, typer.Option(help="The user; default: MEMORY_LOCAL_USER.", show_default=False)
]

_HEADINGS = {"message_count": "messages"}
"""What columns are called where their own name takes the room that free text needs."""
_FREE_TEXT = frozenset({"name", "content", "text", "found", "advice", "user"})


def show(value: object, *, as_json: bool, text: str) -> None:
    """Print one answer."""
    typer.echo(to_json(value) if as_json else text)


def show_table(
    rows: Iterable[Mapping[str, object]], columns: Sequence[str], *, as_json: bool, empty: str
) -> None:
    """Print many alike: all they have as JSON, the named columns as a table."""
    found = list(rows)
    if as_json:
        typer.echo(to_json({"items": found}))
        return
    if not found:
        typer.echo(empty)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        # Free text may take several lines; an id or a time broken over lines cannot be copied.
        heading = _HEADINGS.get(column, column)
        table.add_column(heading, no_wrap=column not in _FREE_TEXT, overflow="fold")
    for row in found:
        table.add_row(*(_cell(row[column]) for column in columns))
    Console().print(table)


def to_json(value: object) -> str:
    """JSON with times in UTC and ids as text."""
    return json.dumps(value, default=_plain, indent=2, ensure_ascii=False)


def fail(message: str, *, as_json: bool) -> NoReturn:
    """Say what is wrong and leave with an error."""
    typer.echo(to_json({"error": message}) if as_json else f"recollect: {message}", err=True)
    raise SystemExit(1)


def facts_of(value: object) -> dict[str, object]:
    """A domain value's parts by name."""
    assert is_dataclass(value)  # noqa: S101  # all domain values are
    return {part.name: getattr(value, part.name) for part in fields(value)}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}Z"
        case frozenset() | tuple() | list():
            return ", ".join(sorted(map(str, value))) or "-"
        case _:
            return str(value)
