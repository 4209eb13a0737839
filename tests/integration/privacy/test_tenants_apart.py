"""Two tenants of one server with other settings: each part of memory goes by those of its own."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.chat.answers import Inquiry
from recollect.domain.conversation.message import AnswerDetails, Message
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.slots import Slot
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.policy import FactExtractorKind
from recollect.domain.text import JsonObject, JsonValue
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.engine import postgres_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.system import RandomIds
from recollect.testing import FixedClock
from support.archives import folder_archive
from support.examples import a_message, a_scope, a_session
from support.facts.scripted_models import ScriptedExtractor
from support.scripted_answerer import ScriptedAnswerer

A_DAY = timedelta(days=1)
MAIL = "jan@acme.nl"
SAID = "I work at ACME."
ROWS: list[JsonObject] = [{"region": "North", "sales": n} for n in range(4)]
RESULT: JsonObject = {"columns": ["region", "sales"], "row_count": 4, "rows": ROWS}
STRICT: dict[str, JsonValue] = {
    "retention": "fixed:1",
    "mask_pii": "mask",
    "store_results": "none",
    "archive": "off",
    "facts": "off",
}
WIDE: dict[str, JsonValue] = {
    "retention": "sliding:90",
    "mask_pii": "off",
    "store_results": "rows:2",
    "archive": "on",
    "facts": "on",
    "facts_extractor": "llm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A server, and a user of a strict tenant, of a wide one, and of one with no settings."""

    services: Services
    stores: Stores
    clock: FixedClock
    local: ScriptedExtractor
    llm: ScriptedExtractor
    strict: Scope
    wide: Scope
    usual: Scope

    @property
    def scopes(self) -> Sequence[Scope]:
        return self.strict, self.wide, self.usual

    async def ask(self, scope: Scope) -> tuple[Message, Message]:
        answered = await self.services.chat.ask(scope, Inquiry(text=f"Sales of {MAIL}?"))
        assert answered.session_id is not None
        stored = await self.stores.messages.last(scope, answered.session_id, count=2)
        assert stored is not None
        question, answer = stored
        return question, answer

    async def learn_from(self, scope: Scope, session_id: UUID) -> None:
        messages = [a_message("user", SAID), a_message("assistant", "I see.")]
        await self.services.messages.append(scope, session_id, messages, starts_session=True)
        await self.work()

    async def work(self) -> None:
        assert self.services.indexing is not None
        assert self.services.turn_learning is not None
        while await self.services.indexing.do_some():
            pass
        while await self.services.turn_learning.do_some():
            pass

    async def facts(self, scope: Scope) -> list[str]:
        listed = await self.services.facts.list(scope, PageRequest())
        return [fact.content for fact in listed.items]

    async def in_context(self, scope: Scope) -> list[str]:
        session, _ = await self.services.sessions.start(scope, a_session())
        context = await self.services.contexts.build(
            scope, session.session_id, "Do I work at ACME?", model="gpt-4o"
        )
        return [fact.content for fact in context.facts]

    async def archived(self, scope: Scope) -> list[UUID]:
        assert self.services.archive is not None
        return [item.session_id async for item in self.services.archive.list(scope)]

    async def set(self, scope: Scope, values: dict[str, JsonValue]) -> None:
        tenant = TenantScope(tenant=scope.tenant, actor="tester")
        await self.services.tenant_settings.change(tenant, values)


@pytest_asyncio.fixture
async def scene(own_database: Database, tmp_path: Path) -> AsyncIterator[Scene]:
    """The server's own settings lie between those of the two tenants."""
    clock = FixedClock()
    stores = postgres_stores(own_database, clock)
    line = {SAID: [("I work at ACME", Slot.EMPLOYER)]}
    local, llm = ScriptedExtractor(line), ScriptedExtractor(line)
    details = AnswerDetails(sql_query="SELECT 1", execution_result=RESULT)
    around = ServiceDependencies(
        clock=clock,
        ids=RandomIds(),
        counter_for=token_counter_for,
        answerer=ScriptedAnswerer("Enough.", details=details),
        archive=folder_archive(tmp_path),
        fact_extractor=local,
        fact_extractors={FactExtractorKind.LOCAL: local, FactExtractorKind.LLM: llm},
    )
    settings = load_settings(
        retention="fixed:7", mask_pii="hash", masking_key="a secret of a test, long enough for it"
    )
    services = build_services(stores, around, settings.policies())
    scopes = {name: a_scope(f"{name}-{uuid4()}") for name in ("strict", "wide", "usual")}
    made = Scene(services=services, stores=stores, clock=clock, local=local, llm=llm, **scopes)
    await made.set(made.strict, STRICT)
    await made.set(made.wide, WIDE)
    await made.work()  # what other tests have left undone
    local.seen.clear()
    llm.seen.clear()
    yield made
    await services.settle()


async def test_sessions_end_by_the_retention_of_their_tenant(scene: Scene) -> None:
    ends: list[datetime | None] = []
    for scope in scene.scopes:
        session, _ = await scene.services.sessions.start(scope, a_session())
        ends.append(session.expires_at)

    now = scene.clock.now()
    assert ends == [now + A_DAY, now + 90 * A_DAY, now + 7 * A_DAY]


async def test_what_is_stored_of_a_turn_goes_by_the_masks_and_results_of_the_tenant(
    scene: Scene,
) -> None:
    stored = {scope.tenant: await scene.ask(scope) for scope in scene.scopes}

    question, answer = stored[scene.strict.tenant]
    assert MAIL not in question.content
    assert len(question.content) < len("Sales of [email:]?") + 20, "a short mask"
    assert answer.details.execution_result is None
    question, answer = stored[scene.wide.tenant]
    assert question.content == f"Sales of {MAIL}?"
    assert answer.details.execution_result == {**RESULT, "rows": ROWS[:2]}
    question, answer = stored[scene.usual.tenant]
    assert MAIL not in question.content
    assert len(question.content) > len("Sales of [email:]?") + 20, "a long one"
    assert answer.details.execution_result == {"columns": ["region", "sales"], "row_count": 4}


async def test_expired_sessions_are_archived_if_their_tenant_wants_that(scene: Scene) -> None:
    session = a_session()
    for scope in scene.scopes:
        await scene.services.sessions.start(scope, session)
    scene.clock.move(100 * A_DAY)

    assert await scene.services.retention.clean_up() >= 3

    archived = [await scene.archived(scope) for scope in scene.scopes]
    assert archived == [[], [session.session_id], [session.session_id]]


async def test_facts_are_learnt_by_whom_the_tenant_has_chosen_or_not_at_all(scene: Scene) -> None:
    for scope in scene.scopes:
        await scene.learn_from(scope, uuid4())

    assert [await scene.facts(scope) for scope in scene.scopes] == [[], [SAID], [SAID]]
    assert (len(scene.llm.seen), len(scene.local.seen)) == (1, 1)

    await scene.set(scene.wide, {"learn_facts": "off"})
    await scene.learn_from(scene.wide, uuid4())
    assert len(scene.llm.seen) == 1
    assert await scene.in_context(scene.wide) == [SAID], "what is known is still used"
    await scene.set(scene.wide, {"facts": "off"})
    assert await scene.in_context(scene.wide) == []


async def test_facts_fade_as_their_tenant_says(scene: Scene) -> None:
    for scope in (scene.wide, scene.usual):
        await scene.learn_from(scope, uuid4())
    await scene.set(scene.wide, {"facts_half_lives": "high:1", "facts_prune_below": 0.5})
    scene.clock.move(5 * A_DAY)

    await scene.services.fact_pruning.prune()

    assert [await scene.facts(scope) for scope in (scene.wide, scene.usual)] == [[], [SAID]]
