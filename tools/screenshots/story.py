"""The memory that the pictures of the documentation show: a month of a made-up analyst."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from recollect.adapters import open_adapters
from recollect.composition import build_services
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.fact import FactType, Priority
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.in_memory import in_memory_stores
from recollect.memory import Memory
from recollect.ports.metrics import CLEANUP_DELETED, CLEANUP_SUCCESS, SHOWN
from recollect.ports.statistics import StoreStatistics
from recollect.settings import Settings
from recollect.telemetry.measuring import Measuring
from recollect.telemetry.metrics import MetricStore
from recollect.testing import FixedClock

USER = "Sanne"
_REVENUE = """SELECT region.name, sum(sale.amount) AS revenue
FROM shop.sales AS sale
JOIN shop.regions AS region ON region.id = sale.region_id
WHERE sale.sold_on >= DATE '2026-07-01' -- the third quarter
GROUP BY region.name
ORDER BY revenue DESC
LIMIT 3"""
_ROWS = {
    "columns": ["name", "revenue"],
    "row_count": 3,
    "rows": [
        {"name": "Noord-Holland", "revenue": 1_284_300},
        {"name": "Utrecht", "revenue": 973_150},
        {"name": "Gelderland", "revenue": 611_900},
    ],
}


@dataclass(frozen=True, kw_only=True)
class Talk:
    """One conversation: when it was, and what was said, the user first."""

    days_ago: int
    name: str
    turns: tuple[tuple[str, str | None], ...]
    """A question and its answer; None where nobody answered."""
    tags: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    details: AnswerDetails | None = None
    """Of the first answer."""


TALKS = (
    Talk(
        days_ago=27,
        name="A new job",
        turns=(
            (
                "I work at Globex in Utrecht as a data analyst since October.",
                "Congratulations! What will you be working on at Globex?",
            ),
            (
                "Mostly revenue reports. My manager is Jeroen.",
                "Then I will keep that in mind when you ask about reports.",
            ),
        ),
    ),
    Talk(
        days_ago=21,
        name="How answers should look",
        turns=(
            (
                "From now on, give me short answers with figures in euros.",
                "I will keep answers short, with figures in euros.",
            ),
            ("I prefer bar charts to pie charts.", "Bar charts it is."),
        ),
    ),
    Talk(
        days_ago=14,
        name="Bedrijfsuitje",
        turns=(
            (
                "Ik ben vegetariër, kun je een restaurant in Utrecht voorstellen?",
                "In Utrecht zijn er verschillende vegetarische restaurants bij de Oudegracht.",
            ),
            ("En iets met een tuin?", "Met een tuin kun je aan de Maliesingel terecht."),
        ),
        tags=("team",),
    ),
    Talk(
        days_ago=9,
        name="Quarterly revenue by region",
        turns=(
            (
                "Which regions had the most revenue in the third quarter?",
                "Noord-Holland leads with € 1,284,300, then Utrecht with € 973,150.",
            ),
            (
                "And in the second quarter?",
                "The same two lead: Noord-Holland € 1,190,400, Utrecht € 902,700.",
            ),
            ("Compare both quarters in a chart for the board meeting", None),
        ),
        tags=("board",),
        databases=("shop",),
        details=AnswerDetails(
            sql_query=_REVENUE,
            query_explanation="Sums the sales since 1 July by region and takes the three largest.",
            tables_used=("shop.sales", "shop.regions"),
            execution_result=_ROWS,
            execution_time_ms=184,
            tokens=912,
            model="gpt-4o",
            database="shop",
        ),
    ),
    Talk(
        days_ago=5,
        name="Churn in the Utrecht region",
        turns=(
            (
                "How many customers did we lose in Utrecht this year?",
                "412 customers left in Utrecht this year, 3.1 % of all there.",
            ),
            (
                "Is that more than last year?",
                "Yes: last year it was 356, so 56 more.",
            ),
            (
                "Why did they leave?",
                "Most named the delivery times; a fifth of them moved to a competitor.",
            ),
        ),
        databases=("shop",),
    ),
    Talk(
        days_ago=2,
        name="The Q4 report",
        turns=(
            (
                "I'm working on the Q4 report, it is due on 15 December.",
                "Noted. Shall I start with the revenue by region again?",
            ),
            ("Yes, and use the definition of churn we agreed on.", "I will use that one."),
        ),
        tags=("board",),
    ),
    Talk(
        days_ago=0,
        name="Preparing the board meeting",
        turns=(
            (
                "What should I mention about Utrecht to the board?",
                "Revenue rose to € 973,150, while 412 customers left over delivery times.",
            ),
        ),
        databases=("shop",),
    ),
)
FACTS = (
    (25, "We count a customer as lost after 90 days without an order.", "procedure", "critical"),
    (20, "Globex reports in euros, without cents.", "procedure", "high"),
    (16, "Jeroen is the head of sales.", "entity", None),
    (11, "Reports to Jeroen.", "relationship", None),
    (4, "The board meets on the first Tuesday of the month.", "fact", None),
)


class DemoAnswerer:
    """Answers every question with the same figures, in pieces."""

    async def answer(self, _scope: Scope, _request: AnswerRequest) -> Answer:
        """The whole answer."""
        return Answer(content=_ANSWER, details=AnswerDetails(model="gpt-4o"))

    async def stream(
        self, scope: Scope, request: AnswerRequest
    ) -> AsyncGenerator[str | Answer, None]:
        """The same word by word."""
        for word in _ANSWER.split(" "):
            yield word + " "
        yield await self.answer(scope, request)


_ANSWER = (
    "Short version for the board: revenue in Utrecht rose to € 973,150 (+7.8 %), and 412 customers "
    "left, mostly because of delivery times."
)


@asynccontextmanager
async def told_story(settings: Settings) -> AsyncIterator[Memory]:
    """A memory in which the whole month has happened."""
    now = datetime.now(UTC)
    clock = FixedClock(now - timedelta(days=29))
    async with open_adapters(settings, None) as adapters:
        measuring = Measuring(metrics=MetricStore(only=SHOWN))
        needs: dict[str, Any] = {
            "clock": clock,
            "answerer": DemoAnswerer(),
            "telemetry": measuring,
        }
        stores = replace(in_memory_stores(clock), statistics=QuietQueues())
        around = replace(adapters.dependencies, **needs)
        memory = Memory(build_services(stores, around, settings.policies()))
        await memory.warm()
        scope = Scope(tenant=settings.tenant, user=USER, actor="local")
        events = [(talk.days_ago, talk) for talk in TALKS] + [(one[0], one) for one in FACTS]
        for days_ago, event in sorted(events, key=lambda one: -one[0]):
            moment = now - timedelta(days=days_ago, hours=2 if days_ago else 0, minutes=20)
            clock.move(moment - clock.now())
            if isinstance(event, Talk):
                await _tell(memory, scope, event, clock)
            else:
                _, content, kind, priority = event
                await memory.services.facts.add(
                    scope,
                    content,
                    type=FactType(kind),
                    priority=Priority(priority) if priority else None,
                )
            await memory.catch_up()
        clock.move(now - clock.now())
        measuring.observe(CLEANUP_SUCCESS, (now - timedelta(minutes=12)).timestamp())
        for what, count in {"sessions": 3, "facts": 1, "audit_entries": 118}.items():
            measuring.count(CLEANUP_DELETED, what, by=count)
        await _give_keys(memory, settings.tenant)
        yield memory
        await memory.services.close()


async def _give_keys(memory: Memory, tenant: str) -> None:
    """Make the keys that such a tenant has."""
    scope, keys = TenantScope(tenant=tenant, actor="local"), memory.services.api_keys
    await keys.create(scope, name="Sanne's notebook", scopes=[KeyScope.USER], user=USER)
    await keys.create(scope, name="Reports", scopes=[KeyScope.SERVICE])
    await keys.create(scope, name="Help desk", scopes=[KeyScope.SERVICE, KeyScope.ADMIN])


class QuietQueues:
    """What waits on a server that has little to do."""

    async def read(self) -> StoreStatistics:
        """The same at any time."""
        return StoreStatistics(
            queue_depth={"indexing": 2, "learning": 1, "jobs": 0, "erasures": 0},
            queue_oldest_seconds={"indexing": 1.4},
        )


async def _tell(memory: Memory, scope: Scope, talk: Talk, clock: FixedClock) -> UUID:
    services = memory.services
    session = NewSession(
        session_id=uuid4(), name=talk.name, tags=talk.tags, databases=talk.databases
    )
    await services.sessions.start(scope, session)
    for number, (question, answer) in enumerate(talk.turns, 1):
        await services.contexts.build(scope, session.session_id, question)
        asked = NewMessage(message_id=uuid4(), role=Role.USER, content=question)
        appended = await services.messages.append(scope, session.session_id, [asked])
        clock.move(timedelta(seconds=40))
        if answer is None:
            turn = appended.messages[0].turn_number or number
            await services.messages.fail_turn(scope, session.session_id, turn)
            continue
        details = talk.details if number == 1 and talk.details else AnswerDetails(model="gpt-4o")
        reply = NewMessage(message_id=uuid4(), role=Role.ASSISTANT, content=answer, details=details)
        await services.messages.append(scope, session.session_id, [reply])
        clock.move(timedelta(minutes=2))
    return session.session_id
