"""An owner who talks, and a worker that learns, all in this process."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from recollect.composition import build_services
from recollect.domain.facts.fact import Fact
from recollect.domain.facts.statement import Relation
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.examples import a_message, a_scope
from support.facts.scripted_models import Line, ScriptedExtractor, ScriptedRelations


class Scene:
    """An owner who talks, and a worker that learns what a script says."""

    def __init__(
        self,
        script: Mapping[str, Sequence[Line]],
        relations: Mapping[tuple[str, str], Relation] | None = None,
    ) -> None:
        self.clock = FixedClock()
        self.stores: Stores = in_memory_stores(self.clock)
        self.scope = a_scope()
        self.extractor = ScriptedExtractor(script)
        self.relations = ScriptedRelations(relations)
        self.services: Services = build_services(
            self.stores,
            ServiceDependencies(
                clock=self.clock,
                ids=CountingIds(),
                counter_for=token_counter_for,
                embedder=WordEmbedder(),
                fact_extractor=self.extractor,
                fact_relations=self.relations,
            ),
        )

    async def say(self, *texts: str, session_id: UUID | None = None, reply: str = "I see.") -> UUID:
        """Say something in a session, get an answer to each, and let the worker learn."""
        session_id = session_id or UUID(int=1)
        for text in texts:
            messages = [a_message("user", text), a_message("assistant", reply)]
            await self.services.messages.append(
                self.scope, session_id, messages, starts_session=True
            )
            await self.learn()
        return session_id

    async def learn(self) -> None:
        assert self.services.indexing is not None
        assert self.services.turn_learning is not None
        while await self.services.indexing.do_some():
            pass
        while await self.services.turn_learning.do_some():
            pass

    async def active(self) -> list[Fact]:
        return [one.fact for one in await self.stores.facts.active(self.scope)]

    async def contents(self) -> list[str]:
        return [fact.content for fact in await self.active()]
