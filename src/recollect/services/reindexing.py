"""Embedding again what another model has embedded, or none."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Self

from recollect.domain.recall.entry import Entry
from recollect.domain.scope import Scope
from recollect.ports.models import Embedder
from recollect.ports.recall_index import RecallIndex

_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """Brings the whole index to the model in use, while searches go on.

    Until an entry is embedded again it is found by its words. It can be stopped at any time and
    goes on where it was; several may work at once.
    """

    index: RecallIndex
    embedder: Embedder
    per_second: float | None = None
    """The most entries to embed in a second; None: as fast as the model answers."""

    def at_most(self, per_second: float | None) -> Self:
        """The same at another rate."""
        return replace(self, per_second=per_second)

    async def waiting(self) -> int:
        """How many entries the model in use has not embedded."""
        return await self.index.count_outdated(model=self.embedder.model)

    async def do_some(self, *, at_once: int = _AT_ONCE) -> int:
        """Embed some entries, and say how many; then wait as long as the rate asks for."""
        model = self.embedder.model
        found = await self.index.outdated(model=model, limit=at_once)
        if not found:
            return 0
        vectors = await self.embedder.embed([entry.text for _, entry in found])
        given: defaultdict[Scope, list[tuple[Entry, tuple[float, ...]]]] = defaultdict(list)
        for (scope, entry), vector in zip(found, vectors, strict=True):
            given[scope].append((entry, vector))
        for scope, embedded in given.items():
            await self.index.embed(scope, embedded, model=model)
        if self.per_second is not None:
            await asyncio.sleep(len(found) / self.per_second)
        return len(found)

    async def do_all(self, *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Embed all that wait, and say how many; progress hears the number so far."""
        count = 0
        while done := await self.do_some():
            count += done
            progress(count)
        return count
