"""Searches of two indexes compared, and the statements that a search sends to the database."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

import pytest

from conformance.contracts.recall_shared import EAST, MODEL, search
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import (
    RecallFilter,
)
from recollect.domain.vectors import Vector
from recollect.engines.postgres.connection.database import Database
from recollect.ports import Stores


class Scores(NamedTuple):
    """How well an entry matches a query."""

    lexical: float
    semantic: float | None


Found = Mapping[tuple[UUID, int], tuple[Scores, ...]]


class Asked(Database):
    """A database that records the names of the statements it runs."""

    def __init__(self, database: Database) -> None:
        self._connections = database._connections  # the same ones, watched
        self.keys, self.telemetry = database.keys, database.telemetry
        self.names: list[str] = []

    async def read(self, name: str, /, **parameters: object) -> list[object]:
        rows = await super().read(name, **parameters)
        self.names.append(f"{name}: {len(rows)}")
        return rows


async def found(
    stores: Stores,
    scope: Scope,
    words: str,
    vector: Vector | None = EAST,
    *,
    model: str = MODEL,
    count: int = 100,
    **filters: object,
) -> Found:
    """Return the results of a search with all scores that an index must compute exactly."""
    candidates = await search(
        stores,
        scope,
        words,
        vector,
        model=model,
        filters=RecallFilter(**filters),  # type: ignore[arg-type]
        count=count,
    )
    return {
        (one.entry.session_id, one.entry.sequence): (
            Scores(one.words[one.own], one.meanings[one.own]),
            *map(Scores, one.words, one.meanings),
        )
        for one in candidates
    }


def assert_same(one: Found, other: Found) -> None:
    assert one.keys() == other.keys()
    for key, scores in one.items():
        lexical, semantic = zip(*scores, strict=True)
        other_lexical, other_semantic = zip(*other[key], strict=True)
        assert lexical == pytest.approx(other_lexical)
        assert semantic == pytest.approx(other_semantic, abs=2e-3)
