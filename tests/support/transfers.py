"""Documents of exports: made of an owner, compared, and brought into a memory again."""

import io
import json
import zipfile
from typing import Any

from recollect.composition import build_services
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.transfer.document import ExportFormat, TransferReport
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import UNMEASURED, Telemetry
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock

Document = dict[str, Any]
NOT_IMPORTED = ("exported_at", "owner", "api_keys", "recall_entries", "audit")


def transfer_services(
    stores: Stores,
    *,
    clock: Clock | None = None,
    policies: Policies | None = None,
    telemetry: Telemetry = UNMEASURED,
) -> Services:
    """The use cases on these stores, without models."""
    needs = ServiceDependencies(
        clock=clock or SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        telemetry=telemetry,
    )
    return build_services(stores, needs, policies)


async def exported_bytes(services: Services, scope: Scope, form: str = "json") -> bytes:
    """The whole file of an export."""
    pieces = services.owner_export.pieces(scope, ExportFormat(form))
    return b"".join([piece async for piece in pieces])


async def exported(services: Services, scope: Scope) -> Document:
    """The document of an export."""
    document: Document = json.loads(await exported_bytes(services, scope))
    return document


async def imported(services: Services, scope: Scope, document: Document | bytes) -> TransferReport:
    """Bring a document, or the bytes of a file, into a memory."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return await services.owner_import.take_in(scope, io.BytesIO(text))


def essence(document: Document) -> Document:
    """What an import brings along."""
    return {name: value for name, value in document.items() if name not in NOT_IMPORTED}


def files_in(archive: bytes) -> dict[str, list[Any]]:
    """The items of each file of an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        return {
            name: [json.loads(line) for line in opened.read(name).splitlines()]
            for name in opened.namelist()
        }
