"""An edited question in PostgreSQL: its turn is due again, and what only it said is withdrawn."""

from uuid import UUID

from conformance.contracts.branch_client import Talk
from recollect.composition import build_services
from recollect.domain.facts.slots import Slot
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.testing import CountingIds, FixedClock, WordEmbedder
from support.facts.scripted_models import ScriptedExtractor, ScriptedRelations

SISTER, CORRECTED = "My sister is Ann, help me.", "My sister is Anna, help me."
SCRIPT = {
    SISTER: [("My sister is Ann", Slot.FAMILY)],
    CORRECTED: [("My sister is Anna", Slot.FAMILY)],
}


def _services(stores: Stores) -> Services:
    return build_services(
        stores,
        ServiceDependencies(
            clock=FixedClock(),
            ids=CountingIds(),
            counter_for=token_counter_for,
            embedder=WordEmbedder(),
            fact_extractor=ScriptedExtractor(SCRIPT),
            fact_relations=ScriptedRelations(None),
        ),
    )


async def _learn(services: Services, stores: Stores, talk: Talk) -> list[str]:
    """Learn from what is due in a session; what holds afterwards."""
    assert services.indexing is not None
    assert services.turn_learning is not None
    assert stores.learning is not None
    session_id: UUID = talk.session_id
    await services.indexing.do_session(talk.scope, session_id)
    turns = await stores.learning.due(talk.scope, session_id, limit=10)
    await services.turn_learning.learning.learn(talk.scope, session_id, turns)
    await stores.learning.done(talk.scope, session_id, turns)
    return [one.fact.content for one in await stores.facts.active(talk.scope)]


async def test_an_edited_question_withdraws_what_only_it_said(stores: Stores) -> None:
    talk, services = await Talk.start(stores), _services(stores)
    await talk.say(SISTER)
    assert await _learn(services, stores, talk) == ["My sister is Ann."]

    await talk.say(CORRECTED)
    assert await _learn(services, stores, talk) == ["My sister is Anna."]

    await talk.say(SISTER, f"re: {SISTER}", "Thanks.")
    assert await _learn(services, stores, talk) == ["My sister is Ann."]
