"""Erasures as items of the table."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.domain.erasure.erasure import (
    Erasure,
    ErasureKind,
    ErasureRequest,
    ErasureState,
)
from recollect.engines.dynamodb.table.items import (
    Attribute,
    json_from,
    json_text,
    optional_time,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import (
    WORK_DUE,
    WORK_QUEUE,
    erasure_key,
    key_of,
    owner_of,
    queue_of,
)

UNDER_WAY: Final = "erasure"
"""The queue of erasures to be carried on, each due when it is tried again."""
DONE: Final = "erased"
"""The erasures that are done, by the time of that."""


def erasure_item(
    erasure: Erasure, *, due: datetime, changed_at: datetime
) -> dict[str, Attribute | None]:
    """The item of an erasure, without its version."""
    request = erasure.request
    queue = DONE if erasure.is_done else UNDER_WAY
    return {
        **key_of(erasure.owner_id, erasure_key(erasure.erasure_id)),
        "erasureId": str(erasure.erasure_id),
        "tenant": erasure.tenant,
        "kind": request.kind.value,
        "sessionId": None if request.session_id is None else str(request.session_id),
        "before": None if request.before is None else time_text(request.before),
        "requestedBy": erasure.requested_by,
        "transactionId": erasure.transaction_id,
        "requestedAt": time_text(erasure.requested_at),
        "expected": erasure.expected,
        "state": erasure.state.value,
        "counts": json_text(erasure.counts),
        "waitsFor": erasure.waits_for,
        "partOf": None if erasure.part_of is None else str(erasure.part_of),
        "receipt": None if erasure.receipt is None else json_text(erasure.receipt),
        "changedAt": time_text(changed_at),
        WORK_QUEUE: queue_of(queue, erasure.owner_id),
        WORK_DUE: time_text(changed_at if erasure.is_done else due),
    }


def erasure_from(item: Mapping[str, Attribute]) -> Erasure:
    """Read the item of an erasure."""
    session_id, part_of, receipt = item.get("sessionId"), item.get("partOf"), item.get("receipt")
    waits_for = item.get("waitsFor")
    return Erasure(
        erasure_id=UUID(str(item["erasureId"])),
        owner_id=owner_of(item),
        tenant=str(item["tenant"]),
        request=ErasureRequest(
            kind=ErasureKind(str(item["kind"])),
            session_id=None if session_id is None else UUID(str(session_id)),
            before=optional_time(item.get("before")),
        ),
        requested_by=str(item["requestedBy"]),
        transaction_id=str(item["transactionId"]),
        requested_at=time_from(item["requestedAt"]),
        expected=int(item["expected"]),
        state=ErasureState(str(item["state"])),
        counts=json_from(item["counts"]),
        waits_for=None if waits_for is None else str(waits_for),
        part_of=None if part_of is None else UUID(str(part_of)),
        receipt=None if receipt is None else json_from(receipt),
    )
