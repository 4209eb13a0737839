"""What permissions leave of conversations: in contexts, follow-ups and lists."""

import logging
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest

from recollect.composition import build_services
from recollect.domain.context.compaction import Summary
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails, NewMessage, Visibility
from recollect.domain.conversation.paging import Order, PageRequest
from recollect.domain.conversation.session import NewSession, SessionChanges
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.engines.in_memory import in_memory_stores
from recollect.models.tokens import token_counter_for
from recollect.ports import Stores
from recollect.services.access import UNAVAILABLE
from recollect.services.services import ServiceDependencies, Services
from recollect.settings import load_settings
from recollect.sql_reading import SqlglotReader
from recollect.testing import FIRST_MOMENT, CountingIds, FakeFollowUpModel, FixedClock
from support.examples import a_message, a_scope, put_summary, summary_of
from support.logs import logged
from support.permissions import ByHand

SALES = Access(tables={"sales.*": Visibility.ALL})
RESTRICTED = Access(tables={"sales.*": Visibility.ALL, "hr.*": Visibility.SHAPE})

ORDERS = AnswerDetails(
    sql_query="SELECT SUM(amount) FROM sales.orders WHERE year = 2024",
    tables_used=("sales.orders", "hr.pay"),
    execution_result={"rows": [["1234567"]]},
)
PAY = AnswerDetails(
    sql_query="SELECT pay FROM hr.pay WHERE name = 'Quentin'",
    query_explanation="Looks up Quentin's pay.",
    tables_used=("hr.pay",),
    execution_result={"rows": [["98765"]]},
    citations=("98765",),
    tokens=7,
)


@dataclass(slots=True, kw_only=True)
class Scene:
    """One session of one owner, under permissions that the test sets."""

    source: ByHand = field(default_factory=lambda: ByHand(SALES))
    preset: str = "default"
    scope: Scope = field(default_factory=a_scope)
    session_id: UUID = field(default_factory=uuid4)
    stores: Stores = field(init=False)
    services: Services = field(init=False)
    follow_ups: FakeFollowUpModel = field(
        default_factory=lambda: FakeFollowUpModel({"And in 2023?": "How much did we sell in 2023?"})
    )

    def __post_init__(self) -> None:
        clock = FixedClock()
        self.stores = in_memory_stores(clock)
        around = ServiceDependencies(
            clock=clock,
            ids=CountingIds(),
            counter_for=token_counter_for,
            sql=SqlglotReader(),
            permissions=self.source,
            follow_up_model=self.follow_ups,
        )
        policies = load_settings(preset=self.preset).policies()
        self.services = build_services(self.stores, around, policies)

    async def start(self, *databases: str) -> None:
        await self.services.sessions.start(
            self.scope, NewSession(session_id=self.session_id, databases=databases)
        )

    async def say(self, question: str, answer: str, details: AnswerDetails) -> list[NewMessage]:
        metadata = {"note": answer}
        messages = [
            a_message("user", question),
            a_message("assistant", answer, details=details, metadata=metadata),
        ]
        await self.services.messages.append(self.scope, self.session_id, messages)
        return messages

    async def context(self, question: str, *, databases: tuple[str, ...] | None = None) -> Context:
        return await self.services.contexts.build(
            self.scope, self.session_id, question, databases=databases
        )


@pytest.fixture
async def scene() -> Scene:
    """Two exchanges: one about sales, which may be seen, one about pay, which may not."""
    made = Scene()
    await made.start()
    await made.say("How much did we sell in 2024?", "We sold 1234567.", ORDERS)
    await made.say("What does Quentin earn?", "Quentin earns 98765.", PAY)
    return made


def everything_in(context: Context) -> str:
    forms = (context.messages(), context.variables(), context.to_json(), context.instructions())
    return " ".join(map(str, (*forms, context.conversation_block(), context)))


async def test_a_turn_that_draws_on_a_forbidden_table_is_left_out_whole(scene: Scene) -> None:
    context = await scene.context("Hello?")

    assert [m.content for m in context.window] == [
        "How much did we sell in 2024?",
        "We sold 1234567.",
    ]
    assert context.sources.messages == tuple(m.message_id for m in context.window)
    assert context.warnings == ()
    text = everything_in(context)
    assert "1234567" in text
    assert "Quentin" not in text
    assert "98765" not in text
    assert "hr.pay" not in text


async def test_a_follow_up_is_not_rewritten_with_hidden_turns(scene: Scene) -> None:
    context = await scene.context("And in 2023?")
    rewrite = await scene.services.rewriting.in_session(
        scene.scope, scene.session_id, "And in 2023?"
    )

    expected = "How much did we sell in 2023?"
    assert context.standalone_question == rewrite.standalone_question == expected
    assert "Quentin" not in str(scene.follow_ups.histories)


async def test_turns_reappear_when_their_tables_become_visible_again(scene: Scene) -> None:
    scene.source.access = Access(tables={"*": Visibility.ALL})
    assert "Quentin earns 98765." in everything_in(await scene.context("Hello?"))


async def test_of_a_restricted_view_only_the_question_and_the_shape_of_its_sql_are_shown(
    scene: Scene,
) -> None:
    scene.source.access = RESTRICTED

    context = await scene.context("Hello?")

    question, answer = context.window[2:]
    assert (question.content, question.visibility) == (
        "What does Quentin earn?",
        Visibility.SHAPE,
    )
    assert (answer.content, answer.visibility) == ("[…]", Visibility.SHAPE)
    assert answer.details == AnswerDetails(
        sql_query="SELECT pay FROM hr.pay WHERE name = ?", tables_used=("hr.pay",), tokens=7
    )
    assert "98765" not in everything_in(context)


async def test_with_a_failing_source_only_messages_without_tables_are_shown_with_a_warning(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    await scene.say("Hello", "Hello to you.", AnswerDetails())
    scene.source.access = None

    with caplog.at_level(logging.WARNING):
        context = await scene.context("What do you know?")

    assert [m.content for m in context.window] == ["Hello", "Hello to you."]
    assert context.warnings == (UNAVAILABLE,)
    assert context.to_json()["warnings"] == [UNAVAILABLE]
    assert logged(caplog, "permissions") == ["permissions.unavailable"]
    assert "1234567" not in everything_in(context)


async def test_the_source_is_asked_once_per_context(scene: Scene) -> None:
    scene.source.scopes.clear()
    await scene.context("And in 2023?")
    assert scene.source.scopes == [scene.scope]


async def test_a_context_is_limited_to_the_requested_databases(scene: Scene) -> None:
    scene.source.access = Access(tables={"*": Visibility.ALL})
    await scene.say("Hello", "Hello to you.", AnswerDetails())

    context = await scene.context("So?", databases=("HR",))

    assert [m.content for m in context.window][::2] == ["What does Quentin earn?", "Hello"]


async def test_a_summary_with_a_forbidden_table_is_rebuilt_from_visible_messages() -> None:
    scene = Scene(preset="agent")
    await scene.start()
    await scene.say("How much did we sell in 2024?", "We sold 1234567 in 2024.", ORDERS)
    await scene.say("What does Quentin earn?", "Quentin earns 98765.", PAY)
    for number in range(8):
        await scene.say(f"Hello number {number}?", f"Hello {number}.", AnswerDetails())
    summary = Summary(
        text="We sold 1234567 in 2024, and Quentin earns 98765.",
        first_sequence=1,
        last_sequence=4,
        tables=("hr.pay", "sales.orders"),
        method="by hand",
        created_at=FIRST_MOMENT,
    )
    assert await put_summary(scene.stores, scene.scope, scene.session_id, summary, replaces=0)

    context = await scene.context("What do you know?")

    assert context.summary is not None
    assert "1234567" in context.summary
    assert "98765" not in everything_in(context)
    assert "Quentin" not in everything_in(context)
    session = await scene.services.sessions.get(scene.scope, scene.session_id)
    assert session.summary == "[…]"
    assert session.is_summarized

    scene.source.access = Access(tables={"*": Visibility.ALL})
    assert "Quentin earns 98765." in ((await scene.context("What do you know?")).summary or "")


async def test_lists_show_a_placeholder_for_what_may_not_be_seen(scene: Scene) -> None:
    oldest_first = PageRequest(order=Order.ASC)
    listed = await scene.services.messages.list(scene.scope, scene.session_id, oldest_first)
    history = await scene.services.history.list(scene.scope, oldest_first)
    last = await scene.services.messages.last(scene.scope, scene.session_id, count=4)

    assert listed.items == history.items == last
    assert [message.visibility for message in last] == [
        *[Visibility.ALL] * 2,
        *[Visibility.NOTHING] * 2,
    ]
    assert [message.sequence for message in last] == [1, 2, 3, 4]
    assert [message.content for message in last[2:]] == ["[…]", "[…]"]
    assert "Quentin" not in str(last)
    assert "98765" not in str(last)
    assert "hr.pay" not in str(last)


async def test_a_question_is_kept_back_even_on_a_page_without_its_answer(scene: Scene) -> None:
    page = PageRequest(order=Order.ASC, limit=3)
    listed = await scene.services.messages.list(scene.scope, scene.session_id, page)
    assert [message.content for message in listed.items][2:] == ["[…]"]
    history = await scene.services.history.list(scene.scope, page)
    assert history.items == listed.items


async def test_a_retry_does_not_return_text_that_is_now_hidden(scene: Scene) -> None:
    scene.source.access = Access(tables={"*": Visibility.ALL})
    messages = await scene.say("Who is Quentin?", "He earns 98765.", PAY)
    scene.source.access = SALES

    again = await scene.services.messages.append(scene.scope, scene.session_id, messages)

    assert not again.is_new
    assert [message.content for message in again.messages] == ["[…]", "[…]"]


async def test_a_session_is_not_named_by_a_question_that_is_kept_back() -> None:
    scene = Scene()
    await scene.start()
    await scene.say("What does Quentin earn?", "Quentin earns 98765.", PAY)

    listed = await scene.services.sessions.list(scene.scope, PageRequest())
    assert [session.name for session in listed.items] == ["[…]"]

    renamed = await scene.services.sessions.change(
        scene.scope, scene.session_id, SessionChanges(name="About pay")
    )
    assert renamed.name == "About pay"


async def test_a_session_named_after_a_later_question_hides_that_name_with_it() -> None:
    scene = Scene()
    await scene.start()
    first, _ = await scene.say("How much in 2024?", "1234567", ORDERS)
    await scene.say("What does Quentin earn?", "Quentin earns 98765.", PAY)
    await scene.services.messages.delete(scene.scope, scene.session_id, first.message_id)

    assert (await scene.services.sessions.get(scene.scope, scene.session_id)).name == "[…]"
    scene.source.access = RESTRICTED
    shown = await scene.services.sessions.get(scene.scope, scene.session_id)
    assert shown.name == "What does Quentin earn?"


async def test_tables_without_a_database_are_in_that_of_the_session_when_they_were_used() -> None:
    scene = Scene(source=ByHand(Access(tables={"sales.orders": Visibility.ALL})))
    await scene.start("sales")
    details = AnswerDetails(sql_query="SELECT 1 FROM orders")
    await scene.say("How many?", "One.", details)
    await scene.services.sessions.change(
        scene.scope, scene.session_id, SessionChanges(databases=("hr",))
    )
    await scene.say("And how many now?", "Two.", details)

    context = await scene.context("So?")

    assert [m.content for m in context.window] == ["How many?", "One."]


async def test_a_summary_records_the_tables_in_the_sql_and_names_no_others() -> None:
    scene = Scene(preset="data-questions")
    await scene.start()
    unread = AnswerDetails(sql_query="SELECT FROM WHERE", tables_used=("Stock.Items",))
    for _ in range(5):
        await scene.say("How much did we sell in 2024?", "We sold 1234567.", ORDERS)
        await scene.say("What is in stock?", "Many items.", unread)
    assert await scene.services.work.do_one()

    summary = await summary_of(scene.stores, scene.scope, scene.session_id)

    assert summary is not None
    assert summary.tables == ("sales.orders", "stock.items")
    assert "hr.pay" not in summary.text
