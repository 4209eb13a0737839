"""`recollect encryption`: stored content encrypted with a key for each owner."""

import os
from base64 import b64encode
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from recollect.domain.privacy.encrypted import MASTER_KEY_BYTES
from recollect.errors import ConfigurationError
from recollect.interfaces.cli.output import (
    AsJson,
    fields_of,
    show,
    tenant_scope,
    with_services,
)
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.services.privacy.encrypting import Encrypted, Encryption, EncryptionStatus
    from recollect.services.services import Services

app = typer.Typer(
    help="Encrypt stored content, and rotate its keys (MEMORY_ENCRYPTION_KEY).",
    no_args_is_help=True,
)
KeyId = Annotated[
    str | None,
    typer.Option("--id", help="What the key is called, beside others.", show_default=False),
]


@app.command("new-key")
def new_key(key_id: KeyId = None, as_json: AsJson = False) -> None:
    """Print a new master key for MEMORY_ENCRYPTION_KEY; nothing stores it."""
    encoded = b64encode(os.urandom(MASTER_KEY_BYTES)).decode()
    key = encoded if key_id is None else f"{key_id}:{encoded}"
    show({"key": key}, as_json=as_json, text=key)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Count what is encrypted and what is plain, by table; it reads all content.

    Exit code 1 if something is plain although there is a master key.
    """

    async def work(services: "Services", _: object) -> "EncryptionStatus | None":
        if services.encryption is None:
            return None
        with Console(stderr=True).status("counting …") as shown:
            return await services.encryption.status(
                progress=lambda so_far: shown.update(
                    f"{so_far.rows:,} rows counted, {so_far.owners:,} owners done …"
                )
            )

    found = with_services(work)
    if found is None:
        text = "encryption is off: MEMORY_ENCRYPTION_KEY is not set"
        show({"encryption": "off"}, as_json=as_json, text=text)
        return
    tables = {name: fields_of(rows) for name, rows in found.tables.items()}
    answer = {"owners": found.owners, "keys": found.keys, "tables": tables}
    show(answer, as_json=as_json, text=_status_text(found))
    if found.plain:
        raise typer.Exit(1)


@app.command()
def rotate(as_json: AsJson = False) -> None:
    """Wrap the keys of all owners by the first master key; the others can go then.

    It can be ended and repeated. Content is not encrypted anew.
    """

    async def work(services: "Services", settings: Settings) -> "Encrypted":
        with Console(stderr=True).status("wrapping keys …") as shown:
            return await _encryption_of(services).rotate(
                tenant_scope(settings, None),
                progress=lambda so_far: shown.update(f"{so_far.changed:,} keys wrapped …"),
            )

    done = with_services(work)
    text = f"{done.changed:,} keys are wrapped by the current master key now"
    show({"keys": done.changed}, as_json=as_json, text=text)


@app.command()
def encrypt(as_json: AsJson = False) -> None:
    """Encrypt what was stored before encryption was on, beside running servers.

    It can be ended and repeated. All servers have to have the master key before.
    """

    async def work(services: "Services", settings: Settings) -> "Encrypted":
        with Console(stderr=True).status("encrypting …") as shown:
            return await _encryption_of(services).encrypt(
                tenant_scope(settings, None),
                progress=lambda so_far: shown.update(
                    f"{so_far.changed:,} rows encrypted, {so_far.owners:,} owners done …"
                ),
            )

    done = with_services(work)
    text = f"{done.changed:,} rows of {done.owners:,} owners are encrypted now"
    show({"rows": done.changed, "owners": done.owners}, as_json=as_json, text=text)


def _encryption_of(services: "Services") -> "Encryption":
    if services.encryption is None:
        raise ConfigurationError("nothing is encrypted: set MEMORY_ENCRYPTION_KEY")
    return services.encryption


def _status_text(found: "EncryptionStatus") -> str:
    lines = [f"{found.owners:,} owners"]
    lines += [
        f"master key {key_id}: {number:,} owners' keys" for key_id, number in found.keys.items()
    ]
    lines += [
        f"{name}: {rows.encrypted:,} encrypted, {rows.plain:,} plain"
        for name, rows in found.tables.items()
    ]
    if found.plain:
        lines.append("'recollect encryption encrypt' encrypts what is plain")
    return "\n".join(lines)
