"""No personal data reaches the tables of PostgreSQL, the logs or what recall finds."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.composition import build_services
from recollect.domain.chat.answers import Inquiry
from recollect.domain.chat.requests import ChatRequest, ClientIds, CompletionCall
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession, SessionChanges, session_id_from
from recollect.domain.facts.query import FactFilter
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.privacy.personal_data import personal_data_in
from recollect.domain.privacy.results import ResultPolicy
from recollect.engines.postgres.connection.database import Database
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.ports.jobs import Job, JobKind
from recollect.services.services import ServiceDependencies, Services
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder
from support.examples import a_scope
from support.facts.scripted_models import ScriptedExtractor
from support.listed_names import ListedNames
from support.personal_data import VALUES
from support.row_snapshots import rows_of
from support.scripted_answerer import ScriptedAnswerer

_KEY: Final = b"a key of a test, which is long enough"
_MODES: Final = st.sampled_from([MaskingMode.MASK, MaskingMode.HASH])
_CLIENT: Final = "a client's own id"
_PEOPLE: Final = ("Jan de Vries", "Aoife Ní Bhriain", "Li Wei", "O'Brien", "Zoë", "ANNA BOS")


def _details(value: str) -> AnswerDetails:
    return AnswerDetails(
        sql_query=f"SELECT name FROM shop.users WHERE contact = '{value}' -- {value}",  # noqa: S608  # never run
        query_explanation=f"Looks for {value}.",
        execution_result=[{"name": "Jan", "contact": value, value: 1}],
        citations=({"text": f"About {value}"}, value),
    )


def _message(role: Role, content: str, value: str) -> NewMessage:
    details = _details(value) if role is Role.ASSISTANT else AnswerDetails()
    metadata = {"contact": value, value: [f"and {value}"]}
    message_id = RandomIds().new_id()
    return NewMessage(
        message_id=message_id, role=role, content=content, metadata=metadata, details=details
    )


@contextmanager
def _captured_logs() -> Iterator[list[str]]:
    """Everything that is logged meanwhile, at every level."""
    lines: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.getMessage()} {record.__dict__}")

    logger, handler = logging.getLogger("recollect"), Handler()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


@dataclass(kw_only=True)
class Story:
    """One user who mentions a value wherever one can be mentioned."""

    stores: Stores
    value: str
    mode: MaskingMode
    scope: Scope = field(default_factory=a_scope)
    services: Services = field(init=False)
    answerer: ScriptedAnswerer = field(init=False)
    session_id: UUID = field(init=False)

    def __post_init__(self) -> None:
        half = len(self.value) // 2
        self.answerer = ScriptedAnswerer(
            f"I wrote to {self.value[:half]}",
            f"{self.value[half:]} about it.",
            details=_details(self.value),
        )
        self.services = build_services(
            self.stores,
            ServiceDependencies(
                clock=SystemClock(),
                ids=RandomIds(),
                counter_for=token_counter_for,
                answerer=self.answerer,
                sql=SqlglotReader(),
                stems=SnowballStems(),
                embedder=WordEmbedder(),
                fact_extractor=ScriptedExtractor({}),
                names=ListedNames(*_PEOPLE),
            ),
            Policies(
                compaction=CompactionPolicy(trigger=4, keep=2),
                results=ResultPolicy.parse("rows:5"),
                masking=MaskingPolicies(usual=self.mode, key=_KEY),
            ),
        )

    async def tell(self) -> None:
        """Mention it in every way there is; what the user is told has it."""
        session = NewSession(
            session_id=RandomIds().new_id(),
            name=f"About {self.value}",
            metadata={"contact": self.value},
            tags=(self.value,),
        )
        started, _ = await self.services.sessions.start(self.scope, session)
        self.session_id = started.session_id
        await self._ask()
        await self._append()
        await self._use_proxy()
        await self._add_facts()
        await self._work()

    async def _ask(self) -> None:
        inquiry = Inquiry(
            text=f"Which invoices went to {self.value} in 2024?", session_id=self.session_id
        )
        answered = await self.services.chat.ask(self.scope, inquiry)
        assert answered.answer.content == f"I wrote to {self.value} about it."
        assert self.answerer.requests[-1].context.question == inquiry.text
        command = Inquiry(text=f"Remember that I know {self.value}", session_id=self.session_id)
        turn = await self.services.chat.begin(self.scope, command)
        pieces = [piece async for piece in turn.stream() if isinstance(piece, str)]
        assert "".join(pieces) == answered.answer.content

    async def _append(self) -> None:
        messages = [
            _message(Role.USER, f"Who is {self.value}? Ask {self.value}, please.", self.value),
            _message(Role.ASSISTANT, f"Somebody at {self.value}.", self.value),
            _message(Role.SYSTEM, f"The user is {self.value}.", self.value),
        ]
        await self.services.messages.append(self.scope, self.session_id, messages)
        changes = SessionChanges(name=f"Now {self.value}", metadata={self.value: self.value})
        await self.services.sessions.change(self.scope, self.session_id, changes)

    async def _use_proxy(self) -> None:
        said = [("user", f"Hello from {self.value}"), ("assistant", f"Hello {self.value}")]
        said.append(("user", f"What did I say about {self.value}?"))
        body = {"messages": [{"role": role, "content": text} for role, text in said]}
        for _ in range(2):  # the second time, the conversation is known
            call = CompletionCall(request=ChatRequest.of(body), ids=ClientIds(session=_CLIENT))
            reply = await self.services.proxy.begin(self.scope, call, b"")
            assert self.value in json.loads(await reply.whole())["choices"][0]["message"]["content"]
            await reply.aclose()
        stored = await self.services.messages.last(self.scope, self._proxied, count=100)
        assert [message.role for message in stored] == ["user", "assistant", "user", "assistant"]

    @property
    def _proxied(self) -> UUID:
        return session_id_from(_CLIENT, self.scope.owner_id)

    async def _add_facts(self) -> None:
        facts = self.services.facts
        added = await facts.add(self.scope, f"Can be reached at {self.value}")
        await facts.update(self.scope, added.fact_id, content=f"Is best reached at {self.value}")
        ids = {"session_id": str(UUID(int=1)), "message_id": str(UUID(int=2))}
        evidence = {**ids, "quote": f"my colleague at {self.value}"}
        item = {"content": f"Has a colleague at {self.value}", "evidence": evidence}
        await self.services.fact_transfer.take_in(self.scope, [item])

    async def _work(self) -> None:
        services, indexing = self.services, self.services.indexing
        assert indexing is not None
        for session_id in (self.session_id, self._proxied):
            while await indexing.do_session(self.scope, session_id):
                pass
            job = Job(
                job_id=UUID(int=1),
                kind=JobKind.COMPACT,
                scope=self.scope,
                session_id=session_id,
                attempts=1,
                scheduled_at=SystemClock().now(),
            )
            await services.work.handlers[JobKind.COMPACT](job)

    def survives_in(self, texts: Sequence[str]) -> list[str]:
        """The texts that have the value, as it is written or without marks."""
        found = personal_data_in(self.value)  # none, if it is a name
        needles = {self.value.lower(), *(one.written.lower() for one in found)}
        return [text for text in texts if any(needle in text.lower() for needle in needles)]


@given(value=VALUES | st.sampled_from(_PEOPLE), mode=_MODES)
@example(value=_PEOPLE[0], mode=MaskingMode.MASK)
@settings(max_examples=11)
async def test_a_value_is_nowhere_in_the_database_or_the_logs_and_still_found(
    stores: Stores, database: Database, value: str, mode: MaskingMode
) -> None:
    story = Story(stores=stores, value=value, mode=mode)
    services, scope = story.services, story.scope
    with _captured_logs() as logs:
        await story.tell()

        results = await services.recall.search(scope, f"invoices of {value}")
        listed = await services.facts.list(scope, PageRequest(), filters=FactFilter(text=value))
        near = await services.facts.search(scope, f"reached at {value}")
        again = await services.contexts.build(scope, story.session_id, f"And {value} in 2023?")
        bare = await services.contexts.build(scope, story.session_id, "And in 2023?")

    rows = await rows_of(database, scope.owner_id)
    filled = {name for name, texts in rows.items() if texts}
    assert {"sessions", "messages", "summaries", "recall_entries", "facts"} <= filled
    assert story.survives_in([row for texts in rows.values() for row in texts]) == []
    assert story.survives_in(logs) == []
    assert any("invoices" in one.text for one in results.items)
    assert story.survives_in([one.text for one in results.items]) == []
    assert {fact.content.split()[0] for fact in listed.items} >= {"Is", "Has"}
    assert near
    assert story.survives_in([message.content for message in bare.window]) == []
    assert story.survives_in([message.content for message in again.window]) != []


@given(values=st.lists(VALUES, min_size=1, max_size=4, unique=True), mode=_MODES)
def test_masks_stay_when_they_are_masked_again(values: list[str], mode: MaskingMode) -> None:
    masker = MaskingPolicies(usual=mode, key=_KEY).masker(UUID(int=1), mode)
    assert masker is not None
    text = " and ".join(values)

    masked = masker.text(text)

    assert not any(value in masked for value in values)
    assert masker.text(masked) == masked
    assert masker.text(text.upper()) == masked.replace(" and ", " AND ")
