"""Rows of `facts` and `fact_changes` as values of the domain, and back."""

import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Final
from uuid import UUID, uuid5

import orjson
from asyncpg import Record

from recollect.concurrency import off_loop
from recollect.domain.facts.fact import (
    ChangeKind,
    Evidence,
    Fact,
    FactChange,
    FactEdit,
    FactRecord,
    FactSource,
    FactStatus,
    FactType,
    Priority,
)
from recollect.domain.facts.query import searched_text
from recollect.domain.facts.slots import has_one_value
from recollect.domain.facts.stored import EmbeddedFact
from recollect.domain.vectors import Vector

_GISTS: Final = UUID("b1a6f6b5-3f8a-4d0e-9a53-0f2f5b7d7c7e")
_EVIDENCE: Final = tuple(field.name for field in fields(Evidence))
_AS_STORED: Final = tuple(
    field.name
    for field in fields(Fact)
    if field.name not in {"type", "priority", "status", "source", "evidence", "tables"}
)
_HEADER: Final = 4  # bytes before a vector's numbers, as PostgreSQL sends it
_OF_FACT: Final = 200
"""Characters that take as long to work on as a fact: some 10 µs."""
_OF_NUMBER: Final = 2  # of a vector


async def edits_as_json(
    edits: Sequence[FactEdit], vectors: Mapping[UUID, EmbeddedFact]
) -> tuple[str, str]:
    """The facts and the changes of edits, as `commit_facts` takes them."""
    numbers = sum(len(one.vector or ()) for one in vectors.values())
    characters = _OF_FACT * len(edits) + _OF_NUMBER * numbers
    return await off_loop(partial(_edits_as_json, edits, vectors), characters=characters)


async def records_as_json(records: Sequence[FactRecord]) -> tuple[str, str]:
    """The facts and all changes of records, as `import_facts` takes them."""
    lines = sum(1 + len(record.history) for record in records)
    return await off_loop(partial(_records_as_json, records), characters=_OF_FACT * lines)


async def vectors_as_json(vectors: Mapping[UUID, tuple[int, Vector]]) -> str:
    """The vectors of versions of facts, as `embed_facts` takes them."""
    numbers = sum(len(vector) for _, vector in vectors.values())
    return await off_loop(partial(_vectors_as_json, vectors), characters=_OF_NUMBER * numbers)


def vector_text(vector: Vector) -> str:
    """A vector as PostgreSQL reads it: the driver takes ten times as long over an array."""
    return orjson.dumps(vector).decode()


async def read_facts(rows: Sequence[Record]) -> tuple[Fact, ...]:
    """Rows of `facts`; many are read in a thread."""
    return await off_loop(lambda: tuple(map(fact_from, rows)), characters=_OF_FACT * len(rows))


async def read_embedded_facts(rows: Sequence[Record]) -> tuple[EmbeddedFact, ...]:
    """The same with their vectors."""
    numbers = sum(len(row["vector"] or b"") // 2 for row in rows)
    characters = _OF_FACT * len(rows) + _OF_NUMBER * numbers
    return await off_loop(lambda: tuple(map(_embedded_fact_from, rows)), characters=characters)


async def read_histories(rows: Sequence[Record]) -> Mapping[UUID, tuple[FactChange, ...]]:
    """Rows of `fact_changes` by fact; many are read in a thread."""
    return await off_loop(partial(_histories_from, rows), characters=_OF_FACT * len(rows))


def fact_from(row: Record) -> Fact:
    """A row of `facts`."""
    return Fact(
        **{name: row[name] for name in _AS_STORED},
        type=FactType(row["type"]),
        priority=Priority(row["priority"]),
        status=FactStatus(row["status"]),
        source=FactSource(row["source"]),
        evidence=_evidence_from(row),
        tables=tuple(row["tables"]),
    )


def change_from(row: Record) -> FactChange:
    """A row of `fact_changes`."""
    return FactChange(
        **{**row, "kind": ChangeKind(row["kind"]), "status": FactStatus(row["status"])}
    )


def _histories_from(rows: Sequence[Record]) -> Mapping[UUID, tuple[FactChange, ...]]:
    histories: defaultdict[UUID, list[FactChange]] = defaultdict(list)
    for row in rows:
        histories[row["fact_id"]].append(change_from(row))
    return {fact_id: tuple(changes) for fact_id, changes in histories.items()}


def _edits_as_json(
    edits: Sequence[FactEdit], vectors: Mapping[UUID, EmbeddedFact]
) -> tuple[str, str]:
    facts = [_fact_columns(edit.fact, vectors.get(edit.fact.fact_id)) for edit in edits]
    return _json_text(facts), _json_text([_change_columns(edit.change) for edit in edits])


def _records_as_json(records: Sequence[FactRecord]) -> tuple[str, str]:
    facts = [_fact_columns(record.fact, None) for record in records]
    changes = [_change_columns(change) for record in records for change in record.history]
    return _json_text(facts), _json_text(changes)


def _fact_columns(fact: Fact, embedded: EmbeddedFact | None) -> dict[str, object]:
    columns: dict[str, object] = {
        field.name: getattr(fact, field.name) for field in fields(fact) if field.name != "evidence"
    }
    if fact.evidence is not None:
        columns |= {name: getattr(fact.evidence, name) for name in _EVIDENCE}
    if embedded is not None and embedded.model is not None and embedded.vector is not None:
        columns |= {"model": embedded.model, "vector": vector_text(embedded.vector)}
    return columns | {
        "has_one_value": has_one_value(fact.slot),
        "gist": _gist_id(fact.gist),
        "searched": searched_text(fact),
    }


def _change_columns(change: FactChange) -> dict[str, object]:
    columns: dict[str, object] = {
        field.name: getattr(change, field.name) for field in fields(change)
    }
    statement = change.statement
    return columns | {"statement_gist": None if statement is None else _gist_id(statement)}


def _gist_id(gist: str) -> UUID:
    """The id that is stored for a gist, which may be too long for an index."""
    return uuid5(_GISTS, gist)


def _vectors_as_json(vectors: Mapping[UUID, tuple[int, Vector]]) -> str:
    return _json_text(
        [
            {"fact_id": fact_id, "version": version, "vector": vector_text(vector)}
            for fact_id, (version, vector) in vectors.items()
        ]
    )


def _json_text(value: object) -> str:
    """JSON as PostgreSQL reads it; the driver's own kind of UUID is written as others are."""
    return orjson.dumps(value, default=str).decode()


def _embedded_fact_from(row: Record) -> EmbeddedFact:
    numbers = row["vector"]
    vector = None if numbers is None else _vector_from(numbers)
    return EmbeddedFact(fact=fact_from(row), model=row["model"], vector=vector)


def _vector_from(numbers: bytes) -> Vector:
    """A vector as PostgreSQL sends it: a header, then 16 bits for each number."""
    return struct.unpack(f">{(len(numbers) - _HEADER) // 2}e", numbers[_HEADER:])


def _evidence_from(row: Record) -> Evidence | None:
    return None if row["quote"] is None else Evidence(**{name: row[name] for name in _EVIDENCE})
