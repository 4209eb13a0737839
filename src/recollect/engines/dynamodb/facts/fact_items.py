"""Facts and their histories as items of the table."""

import struct
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from recollect.domain.facts.fact import (
    ChangeKind,
    Evidence,
    Fact,
    FactChange,
    FactSource,
    FactStatus,
    FactType,
    Priority,
)
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.vectors import Vector
from recollect.engines.dynamodb.table.items import (
    Attribute,
    json_from,
    json_text,
    optional_time,
    time_from,
    time_text,
)
from recollect.engines.dynamodb.table.keys import fact_history_key, fact_key, key_of

ACCESSED_AT: Final = "accessedAt"
ACCESS_COUNT: Final = "accessCount"
_APART: Final = frozenset({"accessed_at", "access_count", "evidence"})
"""What is not in the JSON of a fact: it changes alone, or has a form of its own."""


def vector_bytes(vector: Vector) -> bytes:
    """Return a vector in 32 bits for each number."""
    return struct.pack(f"<{len(vector)}f", *vector)


def vector_from(packed: object) -> Vector | None:
    """Read what `vector_bytes` wrote; None where there is none."""
    if not isinstance(packed, bytes):
        return None
    return struct.unpack(f"<{len(packed) // 4}f", packed)


def fact_item(owner_id: UUID, one: EmbeddedFact) -> dict[str, Attribute | None]:
    """The item of a fact, without its version."""
    fact = one.fact
    written = {
        field.name: _plain(getattr(fact, field.name))
        for field in fields(Fact)
        if field.name not in _APART
    }
    evidence = fact.evidence
    if evidence is not None:
        written["evidence"] = {
            field.name: _plain(getattr(evidence, field.name)) for field in fields(Evidence)
        }
    return {
        **key_of(owner_id, fact_key(fact.fact_id)),
        "factId": str(fact.fact_id),
        "fact": json_text(written),
        ACCESSED_AT: time_text(fact.accessed_at),
        ACCESS_COUNT: fact.access_count,
        "model": one.model,
        "vector": None if one.vector is None else vector_bytes(one.vector),
    }


def _plain(value: object) -> object:
    match value:
        case datetime():
            return time_text(value)
        case UUID() | StrEnum():
            return str(value)
        case _:
            return value


def embedded_fact_from(item: Mapping[str, Attribute]) -> EmbeddedFact:
    """Read the item of a fact."""
    written: dict[str, Any] = json_from(item["fact"])
    evidence = written.pop("evidence", None)
    fact = Fact(
        **{
            **written,
            "fact_id": UUID(written["fact_id"]),
            "type": FactType(written["type"]),
            "priority": Priority(written["priority"]),
            "status": FactStatus(written["status"]),
            "source": FactSource(written["source"]),
            "created_at": time_from(written["created_at"]),
            "updated_at": time_from(written["updated_at"]),
            "valid_from": time_from(written["valid_from"]),
            "valid_to": optional_time(written["valid_to"]),
            "tables": tuple(written["tables"]),
        },
        accessed_at=time_from(item[ACCESSED_AT]),
        access_count=int(item[ACCESS_COUNT]),
        evidence=None if evidence is None else _evidence_from(evidence),
    )
    model = item.get("model")
    return EmbeddedFact(
        fact=fact,
        model=None if model is None else str(model),
        vector=vector_from(item.get("vector")),
    )


def _evidence_from(written: Mapping[str, Any]) -> Evidence:
    return Evidence(
        session_id=UUID(written["session_id"]),
        message_id=UUID(written["message_id"]),
        turn_number=written["turn_number"],
        quote=written["quote"],
    )


def history_item(
    owner_id: UUID, fact_id: UUID, changes: tuple[FactChange, ...]
) -> dict[str, Attribute | None]:
    """The item of a fact's history."""
    written = [
        {field.name: _plain(getattr(change, field.name)) for field in fields(FactChange)}
        for change in changes
    ]
    return {
        **key_of(owner_id, fact_history_key(fact_id)),
        "factId": str(fact_id),
        "changes": json_text(written),
        # An erasure counts them where they cannot be decrypted any more.
        "changeCount": len(written),
    }


def history_from(item: Mapping[str, Attribute]) -> tuple[FactChange, ...]:
    """Read the item of a fact's history."""
    return tuple(_change_from(written) for written in json_from(item["changes"]))


def _change_from(written: Mapping[str, Any]) -> FactChange:
    message_id = written["message_id"]
    return FactChange(
        **{
            **written,
            "fact_id": UUID(written["fact_id"]),
            "kind": ChangeKind(written["kind"]),
            "status": FactStatus(written["status"]),
            "at": time_from(written["at"]),
            "message_id": None if message_id is None else UUID(message_id),
        }
    )
