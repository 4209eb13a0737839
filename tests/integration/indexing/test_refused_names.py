"""Owners that were stored under a name that is refused now: the work for all goes on."""

from uuid import uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.identity.scope import Scope
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.models import Embedder
from recollect.services.services import ServiceDependencies, Services
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder
from support.examples import a_scope, append, messages_of, start_session

COMPACTS_SOON = CompactionPolicy(trigger=9, keep=3)


def services_of(stores: Stores, embedder: Embedder) -> Services:
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, embedder=embedder
    )
    return build_services(stores, around)


@pytest.mark.parametrize("name", [" alice", "al\u200bice", "ali\u0301ce", "ali\nce"])
async def test_background_work_is_done_for_a_stored_owner_of_a_refused_name_and_for_others(
    own_stores: Stores, name: str
) -> None:
    refused = Scope(tenant=f"tenant-{uuid4()}", user=name, actor="tester", is_stored=True)
    for scope in (refused, a_scope()):
        session = await start_session(own_stores, scope)
        exchanges = messages_of(*("user", "assistant") * 5)
        await append(own_stores, scope, session.session_id, *exchanges, compaction=COMPACTS_SOON)

    services = services_of(own_stores, WordEmbedder(dimensions=8))
    renewed = services_of(own_stores, WordEmbedder(dimensions=9))
    assert services.indexing is not None
    assert renewed.reindexing is not None
    assert await services.indexing.do_some() == 10
    assert await renewed.reindexing.do_all() == 10
    assert await services.work.do_waiting() == 2
